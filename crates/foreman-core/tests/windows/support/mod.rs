//! What every test here needs: a run with real parts, and eyes for its processes.

mod helper_host;
mod launch;
mod members;
mod outer_job;
mod run;

use std::time::{Duration, Instant};

pub(crate) use helper_host::{HelperHost, HostPlan};
pub(crate) use launch::{Launch, cmd, script};
pub(crate) use members::Members;
pub(crate) use outer_job::OuterJob;
pub(crate) use run::{Outcome, Run};

/// Under Git Bash every one of these has a parent that is gone: the runtime starts a new process for each exec.
pub(crate) const TREE: &str = "(\"$PROBE\" wait | cat | cat) & (sh -c 'exec \"$PROBE\" wait' | tee /dev/null) & \
     \"$PROBE\" orphan-then-exit; \"$PROBE\" daemonize; nohup \"$PROBE\" spawn-grandchild | cat";

/// Two that wait, an orphan, a daemon, three generations.
pub(crate) const TREE_ALIVE: usize = 7;

/// So many say that they are ready: the parent of the orphan ends.
pub(crate) const TREE_READY: usize = TREE_ALIVE + 1;

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
