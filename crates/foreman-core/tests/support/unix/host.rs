//! What only a host on Unix can be told, and what it can leave behind in itself.

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::support::HelperHost;

/// What runs that are over left in their host.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Leftovers {
    pub(crate) open_descriptors: usize,
    /// Ended ones that nobody has collected count too.
    pub(crate) children: usize,
}

impl Leftovers {
    /// Children are seen on Linux only.
    pub(crate) fn of_this_process() -> Self {
        let open_descriptors = std::fs::read_dir("/dev/fd").unwrap().count();
        let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
        Self { open_descriptors, children: lists.map(|list| list.split_ascii_whitespace().count()).sum() }
    }
}

impl HelperHost {
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Stops it, and waits until all of its threads stand still.
    #[cfg(target_os = "linux")]
    #[track_caller]
    pub(crate) fn suspend(&self) {
        self.signal(Signal::STOP);
        let threads = format!("/proc/{}/task", self.pid().as_raw_pid());
        crate::support::wait_until("every thread of the host stands still", || {
            let mut threads = std::fs::read_dir(&threads).unwrap().flatten();
            threads.all(|thread| {
                let id = thread.file_name().to_str().unwrap().parse().unwrap();
                foreman_core::containment::ProcStat::of(id).unwrap().state == b'T'
            })
        });
    }
}
