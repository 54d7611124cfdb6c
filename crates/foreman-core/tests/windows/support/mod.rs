//! What every test here needs: a run with real parts, and eyes for its processes.

mod helper_host;
mod launch;
mod members;
mod run;

use std::time::{Duration, Instant};

pub(crate) use helper_host::{HelperHost, HostPlan};
pub(crate) use launch::{Launch, cmd, script};
pub(crate) use members::Members;
pub(crate) use run::{Outcome, Run};

/// When something that has to happen has not happened: far longer than the slowest machine needs.
pub(crate) const FAILURE_BOUND: Duration = Duration::from_secs(120);

/// Between two looks, so that those who are waited for get the processor.
pub(crate) const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// Looks again and again, for what can only be looked at.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let give_up_at = Instant::now() + FAILURE_BOUND;
    while !is_so() {
        assert!(Instant::now() < give_up_at, "not yet: {what}");
        std::thread::sleep(LOOK_PAUSE);
    }
}
