//! Who belongs to a run, and how all of them are reached.
//!
//! Each system has one file with a type `Container` of the same contract:
//!
//! - `prepare` makes this process able to contain what it starts from now on;
//! - `reap` collects ended children and says whether the shell has ended and whether anybody is left;
//! - `request_end` asks the members at hand to end, `force_end` makes them end; `…_of_rest` does so with all others, also
//!   those that left the shell's group, session or environment. None of them promises that anybody is gone;
//! - `survivors` lists who is there now, and why.
//!
//! Design: docs/design/containment.md.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod proc_stat;

#[cfg(target_os = "linux")]
pub use linux::{Container, Reaped};
#[cfg(target_os = "linux")]
pub(crate) use linux::{end_marked, is_alive};
#[cfg(target_os = "linux")]
pub use proc_stat::ProcStat;
