//! Processes of a run, known by what they said of themselves and held by number and start.

use std::collections::HashSet;

use foreman_core::containment::ProcessIdentity;
use foreman_core::frame::{Event, Request};
use foreman_core::spec::Spec;

use super::{TREE_ALIVE, TREE_READY};
use crate::support::{Run, wait_for};

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

    /// Of a background run of another host, once all are ready.
    #[track_caller]
    pub(crate) fn of(spec: &Spec, count: usize) -> Self {
        let path = format!("{}\\session\\tasks\\{}.output", spec.output_base, spec.id);
        wait_for("members are ready", || Self::in_output(&std::fs::read_to_string(&path).ok()?, count))
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

impl Run {
    #[track_caller]
    pub(crate) fn stdout_now(&mut self) -> String {
        assert!(self.control.request(&Request::Snapshot { tail_bytes: None }), "it is over: {}", self.told());
        let printed = self.wait_for(|event| match event {
            Event::Snapshot(snapshot) => Some(Some(snapshot.stdout.head.clone())),
            Event::ShellExited { .. } => Some(None),
            _ => None,
        });
        let printed = printed.unwrap_or_else(|| panic!("the shell has ended: {}", self.told()));
        String::from_utf8_lossy(&printed).into_owned()
    }

    /// Asks for what was printed until `pick` finds something.
    #[track_caller]
    pub(crate) fn wait_for_output<T>(&mut self, what: &str, pick: impl Fn(&str) -> Option<T>) -> T {
        wait_for(what, || pick(&self.stdout_now()))
    }

    /// Waits until so many members have said that they are ready, and are alive.
    #[track_caller]
    pub(crate) fn members(&mut self, count: usize) -> Members {
        let members = self.wait_for_output("members", |text| Members::in_output(text, count));
        members.expect_all_alive(count);
        members
    }

    /// Waits for a [`TREE`](super::TREE) to stand.
    #[track_caller]
    pub(crate) fn tree(&mut self) -> Members {
        let members = self.wait_for_output("a tree", |text| Members::in_output(text, TREE_READY));
        members.expect_all_alive(TREE_ALIVE);
        members
    }
}
