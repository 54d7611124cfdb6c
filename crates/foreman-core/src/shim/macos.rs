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

/// No signal can be ordered for the end of the host. A supervisor that its own command has stopped (`kill -STOP $PPID`) does
/// not see that end until somebody continues it; the next sweep of the journal does.
#[expect(clippy::unnecessary_wraps, reason = "the same on every system")]
pub(super) const fn wake_at_end_of_host() -> io::Result<()> {
    Ok(())
}
