//! The process core of pi-foreman: it starts one shell per run, captures what the run prints, knows every process that
//! belongs to it, and ends all of them.
//!
//! # Promises
//! - Nothing a run starts outlives it unseen, and nothing outlives the host.
//! - Nothing a run prints is lost without being said.
//! - No call here blocks its caller on a command.
//!
//! # Caveats
//! - A process of another user (`sudo`) can be seen but not ended; a stop names it.
//! - A process inside an uninterruptible system call ends when the kernel lets it.
//!
//! # Platforms
//! | | container | supervisor |
//! | --- | --- | --- |
//! | Linux | child subreaper | `foreman-shim`, one process per run |
//! | macOS | group, session, descendants, mark | `foreman-shim` |
//! | Windows | Job Object | a thread of the addon |

#[cfg(target_os = "linux")]
pub mod capture;
#[cfg(target_os = "linux")]
pub mod containment;
pub mod environment;
pub mod error;
pub mod escalation;
pub mod frame;
#[cfg(target_os = "linux")]
pub mod host;
#[cfg(target_os = "linux")]
pub mod journal;
pub mod limits;
#[cfg(target_os = "linux")]
pub mod link;
pub mod log;
pub mod outcome;
pub mod script;
pub mod shell;
#[cfg(target_os = "linux")]
pub mod shim;
#[cfg(target_os = "linux")]
pub mod spawn;
pub mod spec;
#[cfg(target_os = "linux")]
pub mod supervise;
mod threads;

pub use error::{Error, ErrorKind, Result};
pub use spec::Spec;
