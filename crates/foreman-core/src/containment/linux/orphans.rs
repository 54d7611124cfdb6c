//! What is left of a run whose supervisor was killed: found by its mark and its session, and ended.

use std::fs;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal};

use super::ProcStat;
use super::proc_stat::all_pids;
use crate::containment::ProcessIdentity;
use crate::environment::RUN_MARK;

/// Ends every process that carries the mark of a run whose supervisor is gone, or that is in the session of its shell.
/// Returns whether none is left within `bound`. This process and those it descends from are never touched.
pub(crate) fn end_orphans(run_id: &str, shell: Option<ProcessIdentity>, bound: Duration) -> bool {
    let mark = format!("{RUN_MARK}={run_id}").into_bytes();
    let ours = ancestry();
    let our_groups: Vec<i32> = ours.iter().filter_map(|pid| Some(ProcStat::of(*pid).ok()?.group)).collect();
    let deadline = Instant::now() + bound;
    let mut empty_passes = 0;
    loop {
        empty_passes += 1;
        // The newest first: they may be gone, and have left others, before a list from the front reaches them.
        let mut pids: Vec<i32> = all_pids().filter(|pid| *pid > 1 && !ours.contains(pid)).collect();
        pids.sort_unstable_by(|a, b| b.cmp(a));
        for pid in pids {
            // Nobody in the run is older than its shell, so most processes need no closer look.
            if shell.is_some_and(|shell| ProcStat::of(pid).is_ok_and(|stat| stat.start_ticks < shell.start)) {
                continue;
            }
            let Some(target) = Pid::from_raw(pid) else { continue };
            // Held before it is looked at: what we see is what we signal.
            let handle = match pidfd_open(target, PidfdFlags::empty()) {
                Ok(handle) => Some(handle),
                Err(Errno::SRCH) => continue,
                // No pidfds here. The number is signalled right after it was looked at.
                Err(_) => None,
            };
            let Some(stat) = member_stat(pid, &mark, shell) else { continue };
            empty_passes = 0;
            // Who shares a group with a member descends from the shell. Its forks cannot slip through.
            if let Some(group) =
                Pid::from_raw(stat.group).filter(|_| stat.group > 1 && !our_groups.contains(&stat.group))
            {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = match handle {
                Some(handle) => pidfd_send_signal(&handle, Signal::KILL),
                None => kill_process(target, Signal::KILL),
            };
        }
        // One look may fall between two links of a chain that forks and exits.
        if empty_passes == 2 {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A session's number is that of its leader, and is not given away while the session has members; a member cannot be
/// older than the leader. A process of that number with another start is a stranger, and so is its session.
fn member_stat(pid: i32, mark: &[u8], shell: Option<ProcessIdentity>) -> Option<ProcStat> {
    let stat = ProcStat::of(pid).ok().filter(|stat| stat.state != b'Z')?;
    let in_session = shell.is_some_and(|shell| {
        stat.session == shell.pid
            && stat.start_ticks >= shell.start
            && ProcStat::of(shell.pid).map_or(true, |leader| leader.start_ticks == shell.start)
    });
    let marked = || {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|b| *b == 0).any(|entry| entry == mark)
    };
    (in_session || marked()).then_some(stat)
}

/// This process and everything it descends from.
fn ancestry() -> Vec<i32> {
    let mut pids = vec![rustix::process::getpid().as_raw_pid()];
    while let Some(last) = pids.last()
        && let Ok(stat) = ProcStat::of(*last)
        && stat.parent > 1
    {
        pids.push(stat.parent);
    }
    pids
}
