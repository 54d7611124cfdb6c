//! The supervisor's end of the talk with its host. The host may be slow, stopped or gone; none of that holds it up.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::Link;
#[cfg(windows)]
pub use windows::Link;
#[cfg(windows)]
pub(crate) use windows::Shared;
