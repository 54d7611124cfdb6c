//! The reading end of a pipe that carries output of a run. Reading never waits.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::OutputPipe;
#[cfg(windows)]
pub use windows::OutputPipe;
