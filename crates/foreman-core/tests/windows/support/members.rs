//! Processes of a run, known by what they said of themselves and held by number and start.

use std::collections::HashSet;

use foreman_core::containment::ProcessIdentity;

/// Those that said `ready <number>`.
#[derive(Debug)]
pub(crate) struct Members(Vec<ProcessIdentity>);

impl Members {
    /// Of an output in which `count` of them have spoken. `None`: not yet.
    pub(crate) fn in_output(text: &str, count: usize) -> Option<Self> {
        let pids: Vec<i32> = text
            .lines()
            .filter_map(|line| line.strip_prefix("ready ")?.split_whitespace().next()?.parse().ok())
            .collect();
        (pids.len() >= count).then(|| Self(pids.iter().filter_map(|pid| ProcessIdentity::of(*pid)).collect()))
    }

    pub(crate) fn alive(&self) -> usize {
        self.0.iter().filter(|member| member.is_alive()).count()
    }

    pub(crate) fn alive_of(&self, pids: &HashSet<u32>) -> usize {
        self.0.iter().filter(|member| pids.contains(&member.pid.cast_unsigned()) && member.is_alive()).count()
    }

    #[track_caller]
    pub(crate) fn expect_all_alive(&self, count: usize) {
        assert_eq!(self.alive(), count, "members that should be alive: {:?}", self.0);
    }

    #[track_caller]
    pub(crate) fn expect_nobody(&self) {
        assert_eq!(self.alive(), 0, "a member was alive when the run was said to be over: {:?}", self.0);
    }
}
