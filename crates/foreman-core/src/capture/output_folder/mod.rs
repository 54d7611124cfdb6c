//! The folder of all output: made if missing, and only used when it is ours all the way down.

#[cfg(windows)]
mod owner;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::OutputFolder;
#[cfg(unix)]
pub(crate) use unix::own_base;
#[cfg(windows)]
pub use windows::OutputFolder;
#[cfg(windows)]
pub(crate) use windows::{has_no_name, own_base};
