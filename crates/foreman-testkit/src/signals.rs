//! Processes that do not act on a polite signal.

use std::process::ExitCode;

use rustix::process::{Signal, getpid, kill_process};

use crate::c_library::{POLITE_SIGNALS, ignore, lend_memory_for_ever};
use crate::readiness::{say_ready, say_ready_and_wait, wait_for_ever};

/// Ignores everything that asks it to end.
pub(crate) fn ignore_term() -> ExitCode {
    ignore(&POLITE_SIGNALS);
    say_ready_and_wait()
}

/// Stops itself, as Ctrl+Z would: no signal but KILL reaches it until somebody continues it.
pub(crate) fn stop_itself() -> ExitCode {
    say_ready();
    let _ = kill_process(getpid(), Signal::STOP);
    wait_for_ever()
}

/// Waits in state D: only KILL ends it. Its child, which waits too, shares its memory.
pub(crate) fn uninterruptible() -> ExitCode {
    lend_memory_for_ever()
}
