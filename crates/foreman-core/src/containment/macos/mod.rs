//! macOS: no subreaper, so the process table, read again and again, and a kernel queue that says when to.

mod container;
mod darwin;
mod machine;
mod orphans;
mod process_table;
mod watch;

pub use container::Container;
pub use machine::{boot_id, pid_namespace};
pub(crate) use machine::{is_alive, is_stopped, parent_of, start_of};
pub(crate) use orphans::end_orphans;
