//! Looks at the process table and tells who of it belongs to the run.

use std::collections::HashSet;

use super::process_table::{ArgumentsBuffer, Look, Sight, all_pids, children_of, look_at};
use crate::containment::ProcessIdentity;
use crate::containment::membership::{Member, Membership, Row};
use crate::environment::RUN_MARK;

/// `launchd`: everybody may see it, so who does not may see nobody.
const LAUNCHD: i32 = 1;

/// How much a look asks of each process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Where it belongs; two or three calls of a microsecond.
    Table,
    /// The mark in its environment too, where nothing else speaks for it. The kernel copies all its arguments for that.
    Marks,
}

/// The members of a run as far as they were seen.
#[derive(Debug)]
pub(super) struct Observer {
    membership: Membership,
    marks: Marks,
}

impl Observer {
    /// Of the run of this shell; processes of a `protected` birth are never members.
    pub(super) fn new(run_id: &str, shell: Option<ProcessIdentity>, protected: impl IntoIterator<Item = u64>) -> Self {
        Self { membership: Membership::new(shell, protected), marks: Marks::of(run_id) }
    }

    /// Looks at every process of the machine, and names each member when it is found and whether it is a new one. False
    /// when we are not allowed to look; what was known stays known.
    pub(super) fn look(&mut self, depth: Depth, on_member: &mut dyn FnMut(&Row, bool)) -> bool {
        let Some(pids) = all_pids().filter(|_| !matches!(look_at(LAUNCHD), Look::Nobody)) else { return false };
        self.membership.begin_look();
        let mut others: Vec<Sight> = Vec::new();
        for pid in pids {
            if let Look::There(sight) = look_at(pid)
                && !self.judge(&sight, depth, on_member)
            {
                others.push(sight);
            }
        }
        // The newest came first: those that a member has started may have been looked at before it.
        loop {
            let before = others.len();
            others.retain(|sight| !self.judge(sight, Depth::Table, on_member));
            if others.len() == before {
                break;
            }
        }
        self.membership.end_look();
        self.marks.forget_all_but(&others);
        true
    }

    /// Looks at the children of a process that has forked, at theirs, and so on. True when a new member was among them.
    pub(super) fn look_below(&mut self, pid: i32) -> bool {
        let mut waiting = vec![pid];
        let mut found = false;
        while let Some(parent) = waiting.pop() {
            for child in children_of(parent) {
                if let Look::There(sight) = look_at(child)
                    && !self.membership.has(sight.row.birth)
                    && self.judge(&sight, Depth::Table, &mut |_, _| {})
                {
                    found = true;
                    waiting.push(child);
                }
            }
        }
        found
    }

    /// Looks at one process.
    pub(super) fn look_at(&mut self, pid: i32) {
        if let Look::There(sight) = look_at(pid) {
            self.judge(&sight, Depth::Table, &mut |_, _| {});
        }
    }

    fn judge(&mut self, sight: &Sight, depth: Depth, on_member: &mut dyn FnMut(&Row, bool)) -> bool {
        let is_new = !self.membership.has(sight.row.birth);
        let marks = &mut self.marks;
        let is_member = self.membership.judge(&sight.row, || depth == Depth::Marks && marks.are_on(&sight.row));
        if is_member {
            on_member(&sight.row, is_new);
        }
        is_member
    }

    /// The process of this number was seen to end.
    pub(super) fn note_end(&mut self, pid: i32) {
        self.membership.note_end(pid);
    }

    /// Who was there at the last look, the oldest first.
    pub(super) fn members(&self) -> Vec<Member> {
        self.membership.members()
    }
}

/// The mark of the run, and who is known not to have it.
#[derive(Debug)]
struct Marks {
    entry: Vec<u8>,
    /// An environment is inherited, and a process that has none of ours does not come by one later.
    unmarked: HashSet<u64>,
    arguments: ArgumentsBuffer,
}

impl Marks {
    fn of(run_id: &str) -> Self {
        Self {
            entry: format!("{RUN_MARK}={run_id}").into_bytes(),
            unmarked: HashSet::new(),
            arguments: ArgumentsBuffer::default(),
        }
    }

    /// What cannot be read today may be readable after an exec: only a clear no is remembered.
    fn are_on(&mut self, row: &Row) -> bool {
        if self.unmarked.contains(&row.birth) {
            return false;
        }
        let answer = self.arguments.read(row.pid).and_then(|arguments| arguments.has_variable(&self.entry));
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
