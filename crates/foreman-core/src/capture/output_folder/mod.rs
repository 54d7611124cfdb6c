//! The folder of all output: made if missing, and only used when it is ours all the way down.

#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::OutputFolder;
#[cfg(unix)]
pub(crate) use unix::own_base;
