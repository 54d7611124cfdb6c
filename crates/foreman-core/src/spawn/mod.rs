//! Starts the shell of a run from its supervisor, contained from its first instruction on.

#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::{Spawner, StartedShell};
