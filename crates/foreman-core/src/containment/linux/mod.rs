//! Linux: a child subreaper and `/proc`.

mod container;
mod machine;
mod orphans;
mod proc_stat;

pub use container::Container;
pub use machine::{boot_id, pid_namespace};
pub(crate) use machine::{is_alive, is_stopped, parent_of, start_of};
pub(crate) use orphans::end_orphans;
pub use proc_stat::ProcStat;
