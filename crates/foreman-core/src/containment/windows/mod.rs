//! Windows: a Job Object.

mod container;
mod exit_code;
mod job;
mod machine;
mod shell_wait;

pub use container::Container;
pub(crate) use job::Job;
pub use job::Usage;
pub use machine::{boot_id, pid_namespace};
pub(crate) use machine::{end_orphans, is_alive, start_of};
