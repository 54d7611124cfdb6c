//! What the members of a run use: their number, CPU time in milliseconds, and resident bytes. `None`: could not look.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::usage_of;
#[cfg(windows)]
pub use windows::usage_of;
