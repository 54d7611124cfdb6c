//! Containment without a subreaper: the members of a run are looked for in the process table, again and again.
//!
//! Nothing here calls the system: what it sees and does goes through [`Kernel`]. So the whole of it is tested on every
//! Unix, against a kernel that is made up; macOS brings the real one.
//!
//! Design: docs/design/containment.md.

mod kernel;
mod membership;
mod observer;
mod party;
#[cfg(test)]
mod simulation;

pub(super) use kernel::{Happened, Kernel, Look, Sight};
pub(super) use membership::Row;
pub(super) use observer::{Depth, Observer};
pub(super) use party::{Party, SUPERVISORS_SPARED_FOR};
