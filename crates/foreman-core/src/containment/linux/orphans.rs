//! What is left of a run whose supervisor was killed: found by its mark and its session, and ended.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal};

use super::ProcStat;
use super::proc_stat::{all_pids, is_gone};
use crate::containment::ProcessIdentity;
use crate::environment::RUN_MARK;

/// Ends every process that carries the mark of a run whose supervisor is gone, or that is in the session of its shell.
/// Returns whether none is left within `bound`. This process and those it descends from are never touched.
pub(crate) fn end_orphans(run_id: &str, shell: Option<ProcessIdentity>, bound: Duration) -> bool {
    let mark = format!("{RUN_MARK}={run_id}").into_bytes();
    let Ok((ours, our_groups)) = ancestry() else { return false };
    let deadline = Instant::now() + bound;
    let mut empty_passes = 0;
    loop {
        empty_passes += 1;
        // A pass in which somebody could not be looked at (no descriptor or memory was left) is not an empty one.
        let mut pids = all_pids().unwrap_or_else(|_| {
            empty_passes = 0;
            Vec::new()
        });
        pids.retain(|pid| *pid > 1 && !ours.contains(pid));
        // The newest first: they may be gone, and have left others, before a list from the front reaches them.
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
            let looked = member_stat(pid, &mark, shell);
            if !matches!(looked, Ok(None)) {
                empty_passes = 0;
            }
            let Ok(Some(stat)) = looked else { continue };
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
///
/// # Errors
/// When it cannot be looked at now.
fn member_stat(pid: i32, mark: &[u8], shell: Option<ProcessIdentity>) -> io::Result<Option<ProcStat>> {
    let Some(stat) = ProcStat::find(pid)?.filter(|stat| stat.state != b'Z') else { return Ok(None) };
    if let Some(shell) = shell
        && stat.session == shell.pid
        && stat.start_ticks >= shell.start
        && ProcStat::find(shell.pid)?.is_none_or(|leader| leader.start_ticks == shell.start)
    {
        return Ok(Some(stat));
    }
    let environment = match fs::read(format!("/proc/{pid}/environ")) {
        Ok(environment) => environment,
        // Of another user, which no later look will change.
        Err(e) if is_gone(&e) || e.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        Err(e) => return Err(e),
    };
    Ok(environment.split(|b| *b == 0).any(|entry| entry == mark).then_some(stat))
}

/// The numbers and groups of this process and of everything it descends from.
///
/// # Errors
/// When one of them cannot be looked at now.
fn ancestry() -> io::Result<(Vec<i32>, Vec<i32>)> {
    let mut pids = vec![rustix::process::getpid().as_raw_pid()];
    let mut groups = Vec::new();
    while let Some(last) = pids.last()
        && let Some(stat) = ProcStat::find(*last)?
    {
        groups.push(stat.group);
        if stat.parent <= 1 {
            break;
        }
        pids.push(stat.parent);
    }
    Ok((pids, groups))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use rustix::process::{Resource, Rlimit, getppid, getrlimit, setrlimit};

    use super::*;

    /// Set for a copy of this program that runs out of descriptors: their limit is one of a whole process.
    const IS_COPY: &str = "FOREMAN_CORE_TEST_WITHOUT_DESCRIPTORS";

    #[test]
    fn who_cannot_be_looked_at_is_taken_for_dead() {
        if std::env::var_os(IS_COPY).is_none() {
            let this = "containment::linux::orphans::tests::who_cannot_be_looked_at_is_taken_for_dead";
            let mut copy = Command::new(std::env::current_exe().unwrap());
            let output = copy.args(["--exact", this]).env(IS_COPY, "1").output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && said.contains("1 passed"), "{said}");
            return;
        }
        let parent = ProcessIdentity::of(getppid().unwrap().as_raw_pid()).unwrap();
        let usual = getrlimit(Resource::Nofile);
        setrlimit(Resource::Nofile, Rlimit { current: Some(0), ..usual }).unwrap();
        let seen = (parent.is_alive(), end_orphans("core-test-no-such-run", None, Duration::from_millis(20)));
        setrlimit(Resource::Nofile, usual).unwrap();
        assert_eq!(seen, (true, false), "(alive, nobody is left)");
        assert!(end_orphans("core-test-no-such-run", None, Duration::from_secs(60)));
    }
}
