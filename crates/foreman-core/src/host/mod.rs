//! The host's side of a run: starts its supervisor, sends it requests and passes its events on.

#[cfg(unix)]
mod supervisor;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{Control, launch};
#[cfg(windows)]
pub use windows::{Control, launch};
