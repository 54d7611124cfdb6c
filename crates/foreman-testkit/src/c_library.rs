//! The few calls of the C library that neither std nor rustix offers. std links it in any case.

use std::ffi::c_int;

/// `SIGHUP`, `SIGINT`, `SIGQUIT`, `SIGTERM`: what asks a process to end. The same numbers on every Unix.
pub(crate) const POLITE_SIGNALS: [c_int; 4] = [1, 2, 3, 15];

/// `SIG_IGN`.
const IGNORE: usize = 1;

unsafe extern "C" {
    fn fork() -> c_int;
    fn vfork() -> c_int;
    fn signal(number: c_int, handler: usize) -> usize;
    fn setuid(user: u32) -> c_int;
}

/// Whether this is the child after a fork.
pub(crate) fn fork_is_child() -> bool {
    // SAFETY: every probe has one thread, so the child may go on as the parent would have.
    unsafe { fork() == 0 }
}

/// Sits in the kernel until a child that never ends lets go of our memory, as a parent does between vfork and exec.
pub(crate) fn lend_memory_for_ever() -> ! {
    // SAFETY: the child does not return from here and writes nothing that the parent reads; the parent sleeps until then.
    if unsafe { vfork() } == 0 {
        crate::readiness::say_ready();
    }
    crate::readiness::wait_for_ever()
}

/// From now on these signals do nothing to this process, nor to what it starts.
pub(crate) fn ignore(signals: &[c_int]) {
    for number in signals {
        // SAFETY: sets an action that is no function.
        unsafe { signal(*number, IGNORE) };
    }
}

/// Makes the real and the saved user of this process this one too, which is its effective user already.
pub(crate) fn become_user(user: u32) -> bool {
    // SAFETY: a system call on a number; the probe has one thread.
    unsafe { setuid(user) == 0 }
}
