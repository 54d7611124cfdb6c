//! Looks at the process table and tells who of it belongs to the run.

use std::collections::HashSet;

use rustix::process::Signal;

use super::membership::{Member, Membership};
use super::{Kernel, Look, Row, Sight};
use crate::containment::ProcessIdentity;
use crate::environment::RUN_MARK;

/// Looks for whom the stopped ones forked before they stood still. A storm of forks can go on longer; the next call goes on
/// where this one ended.
const MAX_FREEZES: u32 = 8;

/// `launchd`: everybody may see it, so who does not may see nobody.
const LAUNCHD: i32 = 1;

/// How much a look asks of each process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Where it belongs; two or three calls of a microsecond.
    Table,
    /// The mark in its environment too, where nothing else speaks for it. The kernel copies all its arguments for that.
    Marks,
}

/// The members of a run as far as they were seen.
#[derive(Debug)]
pub(crate) struct Observer {
    membership: Membership,
    marks: Marks,
}

impl Observer {
    /// Of the run of this shell; processes of a `protected` birth are never members.
    pub(crate) fn new(run_id: &str, shell: Option<ProcessIdentity>, protected: impl IntoIterator<Item = u64>) -> Self {
        Self { membership: Membership::new(shell, protected), marks: Marks::of(run_id) }
    }

    /// Looks at every process of the machine, and names each member when it is found and whether it is a new one. False
    /// when we are not allowed to look; what was known stays known.
    pub(crate) fn look<K: Kernel>(
        &mut self,
        kernel: &mut K,
        depth: Depth,
        on_member: &mut dyn FnMut(&mut K, &Row, bool),
    ) -> bool {
        let Some(pids) = kernel.pids() else { return false };
        if kernel.look_at(LAUNCHD) == Look::Nobody {
            return false;
        }
        self.membership.begin_look();
        let mut others: Vec<Sight> = Vec::new();
        for pid in pids {
            if let Look::There(sight) = kernel.look_at(pid)
                && !self.judge(kernel, &sight, depth, on_member)
            {
                others.push(sight);
            }
        }
        // The newest came first: those that a member has started may have been looked at before it.
        loop {
            let before = others.len();
            others.retain(|sight| !self.judge(kernel, sight, Depth::Table, on_member));
            if others.len() == before {
                break;
            }
        }
        self.membership.end_look();
        self.marks.forget_all_but(&others);
        true
    }

    /// Looks at the children of a process that has forked, at theirs, and so on. True when a new member was among them.
    pub(crate) fn look_below(&mut self, kernel: &mut impl Kernel, pid: i32) -> bool {
        let mut waiting = vec![pid];
        let mut found = false;
        while let Some(parent) = waiting.pop() {
            for child in kernel.children_of(parent) {
                if let Look::There(sight) = kernel.look_at(child)
                    && !self.membership.has(sight.row.birth)
                    && self.judge(kernel, &sight, Depth::Table, &mut |_, _, _| {})
                {
                    found = true;
                    waiting.push(child);
                }
            }
        }
        found
    }

    /// Looks at one process.
    pub(crate) fn look_at(&mut self, kernel: &mut impl Kernel, pid: i32) {
        if let Look::There(sight) = kernel.look_at(pid) {
            self.judge(kernel, &sight, Depth::Table, &mut |_, _, _| {});
        }
    }

    fn judge<K: Kernel>(
        &mut self,
        kernel: &mut K,
        sight: &Sight,
        depth: Depth,
        on_member: &mut dyn FnMut(&mut K, &Row, bool),
    ) -> bool {
        let is_new = !self.membership.has(sight.row.birth);
        let marks = &mut self.marks;
        let is_marked = || depth == Depth::Marks && marks.are_on(kernel, &sight.row);
        let is_member = self.membership.judge(&sight.row, is_marked);
        if is_member {
            on_member(kernel, &sight.row, is_new);
        }
        is_member
    }

    /// Stops every member, looks for new ones until there are none, and ends them all. False when we are not allowed to look.
    ///
    /// A process that is stopped forks nothing; one that is killed right away may just have.
    pub(crate) fn freeze_and_end<K: Kernel>(&mut self, kernel: &mut K, spare_supervisors: bool) -> bool {
        let is_spared = |supervises: bool| supervises && spare_supervisors;
        for member in self.members().iter().filter(|member| !is_spared(member.supervises)) {
            send(kernel, member.pid, member.birth, Signal::STOP);
        }
        let mut may_look = false;
        for _ in 0..MAX_FREEZES {
            let mut found = false;
            may_look = self.look(kernel, Depth::Marks, &mut |kernel, row, is_new| {
                if is_new && !is_spared(row.supervises) {
                    found = true;
                    send(kernel, row.pid, row.birth, Signal::STOP);
                }
            });
            if !found {
                break;
            }
        }
        for member in self.members().iter().filter(|member| !is_spared(member.supervises)) {
            send(kernel, member.pid, member.birth, Signal::KILL);
        }
        may_look
    }

    /// The process of this number was seen to end.
    pub(crate) fn note_end(&mut self, pid: i32) {
        self.membership.note_end(pid);
    }

    /// Who was there at the last look, the oldest first.
    pub(crate) fn members(&self) -> Vec<Member> {
        self.membership.members()
    }
}

/// The mark of the run, and who is known not to have it.
#[derive(Debug)]
struct Marks {
    entry: Vec<u8>,
    /// An environment is inherited, and a process that has none of ours does not come by one later.
    unmarked: HashSet<u64>,
}

impl Marks {
    fn of(run_id: &str) -> Self {
        Self { entry: format!("{RUN_MARK}={run_id}").into_bytes(), unmarked: HashSet::new() }
    }

    /// What cannot be read today may be readable after an exec: only a clear no is remembered.
    fn are_on(&mut self, kernel: &mut impl Kernel, row: &Row) -> bool {
        if self.unmarked.contains(&row.birth) {
            return false;
        }
        let answer = kernel.has_variable(row.pid, &self.entry);
        if answer == Some(false) {
            self.unmarked.insert(row.birth);
        }
        answer == Some(true)
    }

    fn forget_all_but(&mut self, others: &[Sight]) {
        if !self.unmarked.is_empty() {
            let there: HashSet<u64> = others.iter().map(|sight| sight.row.birth).collect();
            self.unmarked.retain(|birth| there.contains(birth));
        }
    }
}

/// Sends a signal to a process, if its number is still its own. Between the look and the signal lies a microsecond, and a
/// number comes around again after all others were given away.
pub(super) fn send(kernel: &mut impl Kernel, pid: i32, birth: u64, signal: Signal) {
    if pid > 1 && matches!(kernel.look_at(pid), Look::There(sight) if sight.row.birth == birth) {
        kernel.signal(pid, signal);
    }
}
