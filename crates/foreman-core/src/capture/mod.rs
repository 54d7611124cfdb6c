//! From the pipes of a run to its output file and its windows.
//!
//! Design: docs/design/capture.md.

mod capped_file;
mod output_folder;
mod pipe;
mod pump;
mod window;

pub use capped_file::CappedFile;
pub(crate) use capped_file::errno_name;
pub use output_folder::{OutputFolder, output_bases};
pub use pipe::OutputPipe;
pub use pump::{Pump, Stream};
pub use window::Window;
