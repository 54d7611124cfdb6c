//! What the supervisor does its own way on macOS.

use std::io;

/// Closes every descriptor above 2.
///
/// # Safety
/// Nobody owns one of them.
pub(super) unsafe fn close_inherited() {
    // SAFETY: as promised by the caller.
    unsafe { super::close_listed("/dev/fd") };
}

/// Blocks every signal but these.
pub(super) fn block_signals_except(needed: &[i32]) {
    // SAFETY: an all-zero set is valid, sigfillset and sigdelset only write to it, and it outlives the calls.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        for signal in needed {
            libc::sigdelset(&raw mut all, *signal);
        }
        libc::sigprocmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
    }
}

/// No signal can be ordered for the end of the host. A supervisor that its own command has stopped (`kill -STOP $PPID`) does
/// not see that end until somebody continues it; the next sweep of the journal does.
#[expect(clippy::unnecessary_wraps, reason = "the same on every system")]
pub(super) const fn wake_at_end_of_host() -> io::Result<()> {
    Ok(())
}
