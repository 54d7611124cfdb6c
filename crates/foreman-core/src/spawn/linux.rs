//! What Linux does its own way when a shell is started.

use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::ops::RangeInclusive;
use std::os::fd::OwnedFd;

use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create};
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

use crate::capture::OutputFolder;
use crate::limits::{MAX_OOM_SCORE_ADJ, OOM_SCORE_ADJ};

/// All numbers that a signal can have.
pub(super) const SIGNALS: RangeInclusive<i32> = 1..=64;

/// A file without a name that holds these parts, at its start. It lies in memory, so no folder is needed.
pub(super) fn script_file(parts: [&[u8]; 2], _folder: Option<&OutputFolder>) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("script", MemfdFlags::CLOEXEC)?);
    for part in parts {
        file.write_all(part)?;
    }
    file.rewind()?;
    Ok(file.into())
}

/// Runs between fork and exec.
pub(super) fn prepare_child(supervisor: Pid) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(supervisor) {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    prefer_for_oom_kill();
    Ok(())
}

/// Runs in the supervisor when its shell has been started.
pub(super) fn after_start() {
    // Naps of the pump are microseconds; the usual slack is 50 of them. After the fork: a child would inherit it.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

/// By the system call itself: the C library refuses the numbers that it keeps for its threads, which a host may have left
/// ignored.
pub(super) fn set_default(signal: i32) {
    // The kernel's own sigaction: handler, flags, restorer, mask. All zero is the default action.
    let default = [0_u64; 4];
    let mask_bytes = 8_usize;
    // SAFETY: the kernel reads the array, which outlives the call, and writes nothing. It refuses KILL and STOP.
    unsafe {
        libc::syscall(libc::SYS_rt_sigaction, signal, &raw const default, std::ptr::null_mut::<u64>(), mask_bytes)
    };
}

/// When memory runs out the kernel should take the command, not pi. Refused only where nothing may be raised.
fn prefer_for_oom_kill() {
    let Ok(file) = rustix::fs::open(c"/proc/self/oom_score_adj", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()) else {
        return;
    };
    let (mut own, mut raised) = ([0; 16], io::Cursor::new([0; 16]));
    let length = rustix::io::read(&file, &mut own).unwrap_or(0);
    if let Some(score) = raised_oom_score(&own[..length])
        && write!(raised, "{score}").is_ok()
    {
        let length = raised.position() as usize;
        let _ = rustix::io::write(&file, &raised.get_ref()[..length]);
    }
}

/// What a command gets when we have this: pi may have been started as one that is to be taken early itself.
fn raised_oom_score(own: &[u8]) -> Option<i32> {
    let own: i32 = std::str::from_utf8(own).ok()?.trim_ascii_end().parse().ok()?;
    Some((own + OOM_SCORE_ADJ).min(MAX_OOM_SCORE_ADJ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pi_is_taken_before_its_command_when_memory_runs_out() {
        let raised = [&b"0\n"[..], b"500\n", b"900\n", b"1000\n", b"-1000\n", b"", b"x"].map(raised_oom_score);
        assert_eq!(raised, [Some(300), Some(800), Some(1000), Some(1000), Some(-700), None, None]);
    }
}
