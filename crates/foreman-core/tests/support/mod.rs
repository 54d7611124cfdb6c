//! What the tests with real children need on every system: a run with real parts, and eyes for its processes.
//!
//! What differs stands below `unix` and `windows`, which offer the same to what is here: `Witness`, `Leftovers`, `Home`,
//! `shell`, `programs`, `open_to_all`.

mod binaries;
mod helper_host;
mod launch;
mod run;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::time::{Duration, Instant};

pub(crate) use binaries::probe;
#[cfg(unix)]
pub(crate) use binaries::shim;
pub(crate) use helper_host::{HelperHost, HostPlan, Word};
pub(crate) use launch::{Launch, prints, script};
pub(crate) use run::{Answer, Outcome, Run};
#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// When something that has to happen has not happened: far longer than the slowest machine needs. Windows may be Wine, where a
/// fork of the shell takes 0.1 s.
pub(crate) const FAILURE_BOUND: Duration = Duration::from_secs(if cfg!(windows) { 120 } else { 30 });

/// Between two looks, so that those who are waited for get the processor.
const LOOK_PAUSE: Duration = Duration::from_millis(if cfg!(windows) { 20 } else { 1 });

/// Looks again and again, for what can only be looked at.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(what, || is_so().then_some(()));
}

/// The same, until there is something.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let give_up_at = Instant::now() + FAILURE_BOUND;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < give_up_at, "not so: {what}");
        std::thread::sleep(LOOK_PAUSE);
    }
}
