//! The real kernel, as a pursuit needs it.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::process_table::{ArgumentsBuffer, all_pids, children_of, look_at};
use super::watch::Watch;
use crate::containment::pursuit::{Happened, Kernel, Look};

/// Process table, signals, and a queue that tells what happens.
#[derive(Debug, Default)]
pub(super) struct Darwin {
    /// `None` in a sweep, which waits for nobody; and when no descriptor was left: then members are looked for whenever
    /// something else happens.
    watch: Option<Watch>,
    arguments: ArgumentsBuffer,
}

impl Darwin {
    /// With a queue.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { watch: Some(Watch::new()?), arguments: ArgumentsBuffer::default() })
    }

    /// Readable when something has happened.
    pub(super) fn readable(&self) -> Option<BorrowedFd<'_>> {
        self.watch.as_ref().map(Watch::readable)
    }
}

impl Kernel for Darwin {
    fn pids(&mut self) -> Option<Vec<i32>> {
        all_pids()
    }

    fn look_at(&mut self, pid: i32) -> Look {
        look_at(pid)
    }

    fn children_of(&mut self, pid: i32) -> Vec<i32> {
        children_of(pid)
    }

    fn has_variable(&mut self, pid: i32, entry: &[u8]) -> Option<bool> {
        self.arguments.read(pid)?.has_variable(entry)
    }

    fn signal(&mut self, pid: i32, signal: Signal) {
        if let Some(pid) = Pid::from_raw(pid) {
            let _ = kill_process(pid, signal);
        }
    }

    fn signal_group(&mut self, group: i32, signal: Signal) {
        if let Some(group) = Pid::from_raw(group) {
            let _ = kill_process_group(group, signal);
        }
    }

    fn watch(&mut self, pid: i32, birth: u64) -> bool {
        self.watch.as_mut().is_some_and(|watch| watch.add(pid, birth))
    }

    fn is_watching(&self) -> bool {
        self.watch.as_ref().is_some_and(Watch::has_somebody)
    }

    fn look_again_after(&mut self, pause: Duration) {
        if let Some(watch) = &mut self.watch {
            watch.look_again_after(pause);
        }
    }

    fn take_happened(&mut self) -> Happened {
        match &mut self.watch {
            Some(watch) => watch.take(),
            None => Happened { is_time: true, ..Happened::default() },
        }
    }
}
