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
//! | macOS | descent by birth, group, session, mark | `foreman-shim` |
//! | Windows | Job Object | a thread of the addon |

pub mod capture;
pub mod command_line;
pub mod containment;
pub mod environment;
pub mod error;
pub mod escalation;
pub mod frame;
pub mod host;
pub mod journal;
pub mod limits;
pub mod link;
pub mod log;
pub mod outcome;
pub mod poller;
pub mod script;
pub mod shell;
#[cfg(unix)]
pub mod shim;
pub mod spawn;
pub mod spec;
pub mod supervise;
mod threads;

pub use error::{Error, ErrorKind, Result};
pub use spec::Spec;
