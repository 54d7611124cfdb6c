//! Who belongs to a run, and how all of them are reached.
//!
//! Each system has one module with a type `Container` of the same contract:
//!
//! - `reap` says, without waiting, whether the shell has ended and whether anybody is left;
//! - `request_end` asks the members at hand to end, `force_end` makes them end; `…_of_rest` does so with all others, also
//!   those that left the shell's group, session or environment. None of them promises that anybody is gone;
//! - `survivors` lists who is there now, and why.
//!
//! Beside it stand the facts about processes that outlive a container: `start_of`, `is_alive`, `boot_id`, `pid_namespace`,
//! and `end_orphans` for what a killed supervisor has left.
//!
//! Design: docs/design/containment.md.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as system;
#[cfg(unix)]
mod exit_status;
// They call nothing of macOS, and so are tested on every Unix.
#[cfg(any(target_os = "macos", all(unix, test)))]
mod process_arguments;
#[cfg(any(target_os = "macos", all(unix, test)))]
mod pursuit;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as system;

use serde::{Deserialize, Serialize};

use crate::outcome::Exit;

#[cfg(target_os = "linux")]
pub use linux::ProcStat;
pub use system::Container;
pub(crate) use system::end_orphans;
pub use system::{boot_id, pid_namespace};
#[cfg(windows)]
pub(crate) use windows::Job;
#[cfg(windows)]
pub use windows::Usage;

/// A process that can be told from a later one of the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIdentity {
    /// Its number.
    pub pid: i32,
    /// When it was started, in a unit of the system's own; only good for telling and ordering.
    pub start: u64,
}

impl ProcessIdentity {
    /// Of a process that is there now.
    pub fn of(pid: i32) -> Option<Self> {
        Some(Self { pid, start: system::start_of(pid)? })
    }

    /// Whether it is there and has not ended. On Linux true also when that cannot be known now.
    pub fn is_alive(self) -> bool {
        system::is_alive(self)
    }

    /// Lets it go on if somebody has stopped it. Nothing else changes for it.
    #[cfg(unix)]
    pub(crate) fn wake(self) {
        self.signal(rustix::process::Signal::CONT);
    }

    /// Ends it, soon.
    #[cfg(unix)]
    pub(crate) fn force_end(self) {
        self.signal(rustix::process::Signal::KILL);
    }

    /// Whether it is there and stands still because of a signal.
    #[cfg(unix)]
    pub(crate) fn is_stopped(self) -> bool {
        system::is_stopped(self)
    }

    /// Whether it is there and a child of the process of this number.
    #[cfg(unix)]
    pub(crate) fn is_child_of(self, parent: i32) -> bool {
        system::parent_of(self) == Some(parent)
    }

    #[cfg(unix)]
    fn signal(self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid).filter(|_| self.pid > 1 && Self::of(self.pid) == Some(self));
        if let Some(pid) = pid {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

/// What collecting ended children showed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reaped {
    /// The shell has ended; said once.
    pub shell: Option<Exit>,
    /// Nobody is left. Final: only members can start members.
    pub empty: bool,
}
