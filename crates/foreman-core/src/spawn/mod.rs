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
pub use unix::Spawner;
#[cfg(unix)]
pub(crate) use unix::forget_script;
#[cfg(windows)]
pub use windows::Spawner;
#[cfg(windows)]
pub(crate) use windows::{ScriptFolder, forget_script};

use crate::capture::OutputPipe;
use crate::containment::Container;

/// A shell that runs, and the reading ends of its pipes.
#[derive(Debug)]
pub struct StartedShell {
    /// Its number; on Unix it leads its own session and group.
    pub pid: i32,
    /// It, and all that it will start.
    pub container: Container,
    /// Standard output, or both streams of a background run.
    pub out: OutputPipe,
    /// Standard error of a foreground run.
    pub err: Option<OutputPipe>,
}
