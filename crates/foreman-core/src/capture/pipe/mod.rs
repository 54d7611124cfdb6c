//! The reading end of a pipe that carries output of a run. Reading never waits.

#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::OutputPipe;
