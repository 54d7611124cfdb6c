//! The host's side of a run: starts its supervisor, sends it requests and passes its events on.

#[cfg(unix)]
mod supervisor;
#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::{Control, launch};
