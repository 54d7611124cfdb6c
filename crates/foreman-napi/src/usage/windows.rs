//! By the job of the run: links to parents lead nowhere under Git Bash.

use crate::runs::AliveRun;

/// Of all that is in the job. CPU time is that of members that have ended too.
pub fn usage_of(run: &AliveRun) -> Option<(u32, u64, u64)> {
    let usage = run.control.usage()?;
    Some((usage.members, usage.cpu_ms, usage.resident_bytes))
}
