//! Starts the shell of a run from its supervisor, contained from its first instruction on.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as system;
#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::{Spawner, StartedShell};
