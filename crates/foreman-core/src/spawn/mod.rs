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
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::forget_script;
#[cfg(unix)]
pub use unix::{Spawner, StartedShell};
#[cfg(windows)]
pub(crate) use windows::{ScriptFolder, forget_script};
#[cfg(windows)]
pub use windows::{Spawner, StartedShell};
