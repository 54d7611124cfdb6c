//! What every test here needs: a run with real parts, and eyes for its processes.

mod binaries;
mod helper_host;
mod launch;
mod run;
mod witness;

use std::time::{Duration, Instant};

pub(crate) use binaries::{probe, shim};
pub(crate) use helper_host::{HelperHost, HostPlan, Word};
pub(crate) use launch::{Launch, script};
pub(crate) use run::{Outcome, Run};
pub(crate) use witness::Witness;

/// When something that has to happen has not happened: far longer than the slowest machine needs.
pub(crate) const FAILURE_BOUND: Duration = Duration::from_secs(30);

/// Whether this process may do anything.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Says on the test's output that it could not look, and why.
pub(crate) fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// Looks again and again, for what can only be looked at.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let give_up_at = Instant::now() + FAILURE_BOUND;
    while !is_so() {
        assert!(Instant::now() < give_up_at, "not so: {what}");
        std::thread::yield_now();
    }
}
