//! By the links to parents, which hold below a supervisor that orphans come back to.

use std::collections::{HashMap, HashSet};

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

use crate::runs::AliveRun;

/// Of all that descends from the supervisor.
pub fn usage_of(run: &AliveRun) -> Option<(u32, u64, u64)> {
    let mut system = System::new().ok()?;
    let what = ProcessRefreshKind::nothing().with_cpu().with_memory().with_cmd(UpdateKind::Never);
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what.without_tasks());
    let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
    for (pid, process) in system.processes() {
        if let Some(parent) = process.parent() {
            children.entry(parent).or_default().push(*pid);
        }
    }
    let (mut members, mut cpu_ms, mut resident_bytes) = (0, 0, 0);
    let mut waiting = vec![Pid::from_u32(run.supervisor_pid.cast_unsigned())];
    let mut seen = HashSet::new();
    while let Some(parent) = waiting.pop() {
        for pid in children.get(&parent).into_iter().flatten().filter(|pid| seen.insert(**pid)) {
            if let Some(process) = system.process(*pid) {
                members += 1;
                cpu_ms += process.accumulated_cpu_time();
                resident_bytes += process.memory();
            }
            waiting.push(*pid);
        }
    }
    Some((members, cpu_ms, resident_bytes))
}
