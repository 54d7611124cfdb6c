//! What the supervisor does its own way on Linux.

use std::io;

use rustix::process::{Signal, set_parent_process_death_signal};

/// Closes every descriptor above 2.
///
/// # Safety
/// Nobody owns one of them.
pub(super) unsafe fn close_inherited() {
    // SAFETY: a system call on numbers; the caller promises that nobody owns the descriptors.
    if unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) } != 0 {
        // Kernels before 5.9.
        // SAFETY: as promised by the caller.
        unsafe { super::close_listed("/proc/self/fd") };
    }
}

/// A command can stop its supervisor (`kill -STOP $PPID`). The end of the host wakes it, so that it sees that end.
pub(super) fn wake_at_end_of_host() -> io::Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::CONT))?)
}
