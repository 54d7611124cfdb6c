//! What a pursuit needs of the system.

use std::time::Duration;

use rustix::process::Signal;

use super::Row;

/// A process that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sight {
    /// Who it is and where it belongs.
    pub(crate) row: Row,
    /// Its parent.
    pub(crate) parent: i32,
    /// Whether it has begun to end.
    pub(crate) in_exit: bool,
}

/// What is behind a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// A process.
    There(Sight),
    /// A process that has ended and was not collected, by its birth.
    Ended(u64),
    /// No process; or one that we are not allowed to know of.
    Nobody,
}

/// What was told since the last time.
#[derive(Debug, Default)]
pub(crate) struct Happened {
    /// These have forked, maybe more than once.
    pub(crate) forked: Vec<i32>,
    /// These have ended; all their files are closed.
    pub(crate) ended: Vec<i32>,
    /// It is time to look again.
    pub(crate) is_time: bool,
}

/// The system, as far as a pursuit has to do with it. No call waits.
pub(crate) trait Kernel {
    /// Every number in use, the newest first as a rule: what is about to go should be looked at before it does. `None`: we
    /// are not allowed to look.
    fn pids(&mut self) -> Option<Vec<i32>>;
    /// Looks at one process.
    fn look_at(&mut self, pid: i32) -> Look;
    /// The children of a process now; some may be left out.
    fn children_of(&mut self, pid: i32) -> Vec<i32>;
    /// Whether this entry stands in the environment of a process. `None`: it cannot be seen.
    fn has_variable(&mut self, pid: i32, entry: &[u8]) -> Option<bool>;
    /// Signals one process. Whoever has gone, or is not ours to signal, is found out by the next look.
    fn signal(&mut self, pid: i32, signal: Signal);
    /// Signals a process group.
    fn signal_group(&mut self, group: i32, signal: Signal);
    /// Asks to be told of forks and of the end of a process. False: it is on its way out, or may not be watched.
    fn watch(&mut self, pid: i32, birth: u64) -> bool;
    /// Whether the end of somebody will still be told.
    fn is_watching(&self) -> bool;
    /// Asks to be told after this time; the first of several wishes counts. Not below a millisecond.
    fn look_again_after(&mut self, pause: Duration);
    /// What has happened. An end is told once.
    fn take_happened(&mut self) -> Happened;
}
