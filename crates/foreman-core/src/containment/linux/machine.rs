//! What tells this machine, this boot and its processes from others.

use super::ProcStat;
use crate::containment::ProcessIdentity;

/// The kernel's id of this boot.
pub fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim_end().to_owned()).unwrap_or_default()
}

/// The process namespace that this process is in.
pub fn pid_namespace() -> String {
    std::fs::read_link("/proc/self/ns/pid").map(|name| name.display().to_string()).unwrap_or_default()
}

/// Clock ticks from boot to the start of a process that is there now, ended ones that nobody has collected among them.
pub(crate) fn start_of(pid: i32) -> Option<u64> {
    Some(ProcStat::of(pid).ok()?.start_ticks)
}

/// Whether it is there and has not ended. Who cannot be looked at counts as alive: the dead are forgotten, and what they left
/// is ended.
pub(crate) fn is_alive(process: ProcessIdentity) -> bool {
    let found = ProcStat::find(process.pid);
    found.map_or(true, |stat| stat.is_some_and(|stat| stat.start_ticks == process.start && stat.state != b'Z'))
}

/// Whether it is there and stands still because of a signal.
pub(crate) fn is_stopped(process: ProcessIdentity) -> bool {
    look_at(process).is_some_and(|stat| stat.state == b'T')
}

/// The parent of a process that is there.
pub(crate) fn parent_of(process: ProcessIdentity) -> Option<i32> {
    look_at(process).map(|stat| stat.parent)
}

fn look_at(process: ProcessIdentity) -> Option<ProcStat> {
    ProcStat::of(process.pid).ok().filter(|stat| stat.start_ticks == process.start)
}
