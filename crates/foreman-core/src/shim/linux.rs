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

/// Blocks every signal but these. By the system call itself: a C library leaves out the numbers that it keeps for its threads,
/// and a command may send those too.
pub(super) fn block_signals_except(needed: &[i32]) {
    let mask = needed.iter().fold(u64::MAX, |mask, signal| mask & !(1 << (signal - 1)));
    // SAFETY: the kernel reads the eight bytes of the mask, which outlives the call, and writes nothing.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            &raw const mask,
            std::ptr::null_mut::<u64>(),
            size_of::<u64>(),
        )
    };
}

/// A command can stop its supervisor (`kill -STOP $PPID`). The end of the host wakes it, so that it sees that end.
pub(super) fn wake_at_end_of_host() -> io::Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::CONT))?)
}
