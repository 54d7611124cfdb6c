//! Who belongs to a run, decided from one process after the other. Pure: it is told what was seen and asks nothing.
//!
//! macOS has no subreaper, but its kernel numbers every process that was ever started (`birth`), never gives a number
//! twice, and keeps in each process the number of the one that started it, also when that has long gone. So "descends
//! from the shell" is a chain of births, and it only breaks at a process that came and went unseen. For what lies behind
//! such a gap there are the group, the session and the mark.
//!
//! Design: docs/design/containment.md.

use std::collections::{HashMap, HashSet};

use crate::containment::ProcessIdentity;

/// One process, as a look at it shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    /// Its number, which may be given away when it has ended.
    pub(crate) pid: i32,
    /// Its birth: larger than that of every process that was started before it, and kept across exec.
    pub(crate) birth: u64,
    /// The birth of the process that started it. Does not change when it gets another parent.
    pub(crate) starter: u64,
    /// Its process group.
    pub(crate) group: i32,
    /// Its session; 0 when that cannot be seen.
    pub(crate) session: i32,
    /// Whether it is a `foreman-shim`.
    pub(crate) supervises: bool,
}

/// A process of the run that was there at the last look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its number.
    pub(crate) pid: i32,
    /// What tells it from a later process of that number.
    pub(crate) birth: u64,
    /// Its process group at that look.
    pub(crate) group: i32,
    /// The supervisor of a run inside this run. It ends its own members when its host is gone, and only it knows them:
    /// nothing it starts is a member here.
    pub(crate) supervises: bool,
}

/// What is known of the members of one run.
#[derive(Debug)]
pub(crate) struct Membership {
    shell: Option<ProcessIdentity>,
    /// This process, and in a sweep everything that it descends from.
    protected: HashSet<u64>,
    known: HashMap<u64, Known>,
    /// Numbers of sessions and groups that only members can be in, with the look that last saw a member there. Dropped by
    /// the first look that sees none: from then on the number can be a stranger's.
    ours: HashMap<(Place, i32), u64>,
    look: u64,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    member: Member,
    proof: Proof,
    seen_in: u64,
    is_there: bool,
}

/// What a process can be in together with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Group,
    Session,
}

/// How somebody was found to belong to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// It descends from the shell, so whoever made its group and session does too.
    Descent,
    /// It carries the mark, which somebody may have copied into another session.
    Mark,
}

/// By how many looks a member that has ended is still known as a starter.
///
/// Two: a child that was forked behind the listing of one look, by a member that ended before that look came to it, is
/// seen by the next one. Whoever is seen first by a later one was started by somebody else.
const LOOKS_REMEMBERED: u64 = 2;

impl Membership {
    /// Of the run of this shell. Without a shell members are found by the mark, and by their descent from those.
    pub(crate) fn new(shell: Option<ProcessIdentity>, protected: impl IntoIterator<Item = u64>) -> Self {
        let mut this = Self {
            shell,
            protected: protected.into_iter().collect(),
            known: HashMap::new(),
            ours: HashMap::new(),
            look: 0,
        };
        if let Some(shell) = shell {
            // It leads both from its start on.
            this.ours.extend([((Place::Group, shell.pid), 0), ((Place::Session, shell.pid), 0)]);
        }
        this
    }

    /// A look at all processes begins.
    pub(crate) const fn begin_look(&mut self) {
        self.look += 1;
    }

    /// Every process was judged: who was not seen has ended.
    pub(crate) fn end_look(&mut self) {
        let look = self.look;
        self.known.retain(|_, known| known.seen_in + LOOKS_REMEMBERED > look);
        self.ours.retain(|_, seen_in| *seen_in == look);
        for known in self.known.values_mut() {
            known.is_there &= known.seen_in == look;
        }
    }

    /// Whether this process is a member. `is_marked` is asked only when nothing else speaks for it.
    pub(crate) fn judge(&mut self, row: &Row, is_marked: impl FnOnce() -> bool) -> bool {
        if row.pid <= 1 || self.protected.contains(&row.birth) || self.is_older_than_shell(row) {
            return false;
        }
        let Some(proof) = self.proof_of(row, is_marked) else { return false };
        let member = Member { pid: row.pid, birth: row.birth, group: row.group, supervises: row.supervises };
        self.known.insert(row.birth, Known { member, proof, seen_in: self.look, is_there: true });
        if !row.supervises {
            self.take_places(row, proof);
        }
        true
    }

    /// Somebody has told that the process of this number has ended. What it started is still found by its birth.
    pub(crate) fn note_end(&mut self, pid: i32) {
        for known in self.known.values_mut().filter(|known| known.member.pid == pid) {
            known.is_there = false;
        }
    }

    /// Who was there when last looked at, the oldest first.
    pub(crate) fn members(&self) -> Vec<Member> {
        let mut members: Vec<Member> =
            self.known.values().filter(|known| known.is_there).map(|known| known.member).collect();
        members.sort_unstable_by_key(|member| member.birth);
        members
    }

    /// Whether it was a member when last looked at.
    pub(crate) fn has(&self, birth: u64) -> bool {
        self.known.get(&birth).is_some_and(|known| known.is_there)
    }

    /// Nobody descends from the shell who was started before it. All that this process descends from is older.
    fn is_older_than_shell(&self, row: &Row) -> bool {
        self.shell.is_some_and(|shell| row.birth < shell.start)
    }

    fn proof_of(&self, row: &Row, is_marked: impl FnOnce() -> bool) -> Option<Proof> {
        if let Some(known) = self.known.get(&row.birth) {
            return Some(known.proof);
        }
        let is_shell = |birth| self.shell.is_some_and(|shell| birth == shell.start);
        let is_started_by_member = || self.known.get(&row.starter).is_some_and(|known| !known.member.supervises);
        if is_shell(row.birth) || is_shell(row.starter) || is_started_by_member() || self.is_in_our_place(row) {
            return Some(Proof::Descent);
        }
        is_marked().then_some(Proof::Mark)
    }

    /// The number of a session or group is not given away while somebody is in it. Who bears that number without being a
    /// member made a place of their own after ours was empty.
    fn is_in_our_place(&self, row: &Row) -> bool {
        let is_ours = |place, number| row.pid != number && self.ours.contains_key(&(place, number));
        is_ours(Place::Group, row.group) || is_ours(Place::Session, row.session)
    }

    fn take_places(&mut self, row: &Row, proof: Proof) {
        for place in [(Place::Group, row.group), (Place::Session, row.session)] {
            let is_led_by_it = place.1 == row.pid;
            if place.1 > 1 && (proof == Proof::Descent || is_led_by_it || self.ours.contains_key(&place)) {
                self.ours.insert(place, self.look);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHELL: ProcessIdentity = ProcessIdentity { pid: 100, start: 1_000 };

    /// A process in the shell's group and session.
    fn row(pid: i32, birth: u64, starter: u64) -> Row {
        Row { pid, birth, starter, group: SHELL.pid, session: SHELL.pid, supervises: false }
    }

    /// A process that has made a session of its own.
    fn daemon(pid: i32, birth: u64, starter: u64) -> Row {
        Row { group: pid, session: pid, ..row(pid, birth, starter) }
    }

    /// A process in the group and session of somebody else.
    fn in_place_of(leader: i32, row: Row) -> Row {
        Row { group: leader, session: leader, ..row }
    }

    fn shell() -> Row {
        row(SHELL.pid, SHELL.start, 10)
    }

    fn run() -> Membership {
        Membership::new(Some(SHELL), [])
    }

    /// One look at these processes; the numbers of the members that it found, the oldest first.
    fn look(membership: &mut Membership, table: &[Row]) -> Vec<i32> {
        look_for_marked(membership, table, &[])
    }

    fn look_for_marked(membership: &mut Membership, table: &[Row], marked: &[i32]) -> Vec<i32> {
        membership.begin_look();
        // As the real look: the newest first, and again while there are new ones.
        let mut rows = table.to_vec();
        rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.pid));
        loop {
            let before = rows.len();
            rows.retain(|row| !membership.judge(row, || marked.contains(&row.pid)));
            if rows.len() == before {
                break;
            }
        }
        membership.end_look();
        membership.members().iter().map(|member| member.pid).collect()
    }

    #[test]
    fn the_group_and_the_session_of_the_shell_live_on_after_a_stop() {
        let left_group = Row { group: 102, ..row(102, 1_002, 5) };
        let left_session_number = Row { session: 0, ..row(103, 1_003, 5) };
        let stranger = daemon(104, 1_004, 5);
        let found = look(&mut run(), &[shell(), row(101, 1_001, 5), left_group, left_session_number, stranger]);
        assert_eq!(found, [100, 101, 102, 103]);
    }

    #[test]
    fn a_daemon_with_an_empty_environment_lives_on_although_its_parents_were_seen() {
        let mut run = run();
        assert_eq!(look(&mut run, &[shell(), daemon(101, 1_001, 1_000)]), [100, 101]);
        // Its parent has gone, and launchd has taken it over; who started it stays written in it.
        assert_eq!(look(&mut run, &[shell(), daemon(102, 1_002, 1_001)]), [100, 102]);
        assert_eq!(look(&mut run, &[shell(), daemon(103, 1_003, 1_002)]), [100, 103]);
    }

    #[test]
    fn a_child_that_was_forked_behind_the_listing_of_a_look_lives_on() {
        let mut run = run();
        look(&mut run, &[shell(), daemon(101, 1_001, 1_000)]);
        // 101 forks 102 and ends while this look is under way: the listing has neither.
        assert_eq!(look(&mut run, &[shell()]), [100]);
        assert_eq!(look(&mut run, &[shell(), daemon(102, 1_002, 1_001)]), [100, 102]);
    }

    #[test]
    fn a_daemon_whose_parents_came_and_went_unseen_lives_on_although_it_has_the_mark() {
        let gap = daemon(103, 1_003, 1_002);
        assert_eq!(look(&mut run(), &[shell(), gap]), [100]);
        assert_eq!(look_for_marked(&mut run(), &[shell(), gap], &[103]), [100, 103]);
    }

    #[test]
    fn what_a_marked_daemon_has_started_lives_on() {
        let table =
            [shell(), daemon(103, 1_003, 1_002), daemon(104, 1_004, 1_003), in_place_of(103, row(105, 1_005, 9))];
        assert_eq!(look_for_marked(&mut run(), &table, &[103]), [100, 103, 104, 105]);
    }

    #[test]
    fn a_member_of_a_daemons_session_lives_on_when_the_daemon_has_ended() {
        let mut run = run();
        let orphan = in_place_of(101, row(103, 1_003, 1_002));
        look(&mut run, &[shell(), daemon(101, 1_001, 1_000), orphan]);
        let later = in_place_of(101, row(104, 1_004, 1_009));
        assert_eq!(look(&mut run, &[orphan, later]), [103, 104]);
    }

    // faults: kill-after-pid-reuse
    #[test]
    fn a_stranger_with_the_number_of_an_ended_member_is_killed() {
        let mut run = run();
        look(&mut run, &[shell(), daemon(101, 1_001, 1_000)]);
        assert_eq!(look(&mut run, &[shell()]), [100]);
        let stranger = daemon(101, 2_001, 5);
        assert_eq!(look(&mut run, &[shell(), stranger, in_place_of(101, row(102, 2_002, 2_001))]), [100]);
    }

    // faults: kill-after-pid-reuse
    #[test]
    fn a_stranger_with_the_number_of_the_ended_shell_is_killed() {
        let mut run = run();
        look(&mut run, &[shell(), daemon(101, 1_001, 1_000)]);
        look(&mut run, &[daemon(101, 1_001, 1_000)]);
        let stranger = daemon(100, 2_000, 5);
        let below = in_place_of(100, row(102, 2_001, 2_000));
        assert_eq!(look(&mut run, &[stranger, below, daemon(101, 1_001, 1_000)]), [101]);
    }

    #[test]
    fn a_terminal_of_the_user_is_swept_because_a_command_there_has_the_mark() {
        let in_terminal = in_place_of(50, row(103, 1_003, 5));
        let other = in_place_of(50, row(104, 1_004, 5));
        let mut run = run();
        assert_eq!(look_for_marked(&mut run, &[shell(), in_terminal, other], &[103]), [100, 103]);
        assert_eq!(look(&mut run, &[shell(), in_terminal, other]), [100, 103]);
    }

    #[test]
    fn something_older_than_the_shell_is_killed() {
        let host_in_our_group = row(90, 999, 5);
        assert_eq!(look_for_marked(&mut run(), &[shell(), host_in_our_group], &[90]), [100]);
    }

    #[test]
    fn launchd_or_the_kernel_is_killed() {
        let table = [row(0, 1_001, 1_000), row(1, 1_002, 1_000), row(-1, 1_003, 1_000)];
        assert!(look_for_marked(&mut run(), &table, &[0, 1, -1]).is_empty());
    }

    #[test]
    fn a_sweep_kills_itself_or_the_host_that_it_runs_in() {
        let mut run = Membership::new(None, [7, 8]);
        let table = [row(90, 7, 5), row(91, 8, 7), row(92, 9, 5), row(93, 10, 8)];
        assert_eq!(look_for_marked(&mut run, &table, &[90, 91, 92, 93]), [92, 93]);
    }

    #[test]
    fn a_run_inside_the_run_is_ended_behind_the_back_of_its_supervisor() {
        let pi = daemon(101, 1_001, 1_000);
        let supervisor = Row { supervises: true, ..daemon(102, 1_002, 1_001) };
        let its_shell = daemon(103, 1_003, 1_002);
        let below = in_place_of(103, row(104, 1_004, 1_003));
        let mut run = run();
        for _ in 0..3 {
            assert_eq!(look(&mut run, &[shell(), pi, supervisor, its_shell, below]), [100, 101, 102]);
        }
        assert!(run.members().iter().any(|member| member.pid == 102 && member.supervises));
    }

    #[test]
    fn a_member_that_was_told_to_have_ended_is_waited_for() {
        let mut run = run();
        look(&mut run, &[shell(), daemon(101, 1_001, 1_000)]);
        run.note_end(101);
        assert!(!run.has(1_001));
        // Unless the next look finds it still on its way out.
        assert_eq!(look(&mut run, &[daemon(101, 1_001, 1_000)]), [101]);
        assert!(run.has(1_001));
    }

    /// A small generator: which tree comes next.
    fn next(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 33
    }

    // Any history of forks, ends, new sessions and strangers, with a look after every step: what was seen is never lost,
    // and a stranger is never taken.
    #[test]
    fn a_tree_of_any_shape_loses_a_member_or_takes_a_stranger() {
        for start in 0..200 {
            let (mut seed, mut run) = (start, run());
            let mut ours = vec![shell()];
            let mut others = vec![daemon(50, 500, 1)];
            for birth in 1_001..1_060 {
                let pid = 100 + (birth % 40) as i32;
                let list = if next(&mut seed).is_multiple_of(3) { &mut others } else { &mut ours };
                if let Some(parent) = list.get(next(&mut seed) as usize % list.len().max(1)).copied()
                    && !ours.iter().chain(&others).any(|row| [row.pid, row.group, row.session].contains(&pid))
                {
                    let child = Row { pid, birth, starter: parent.birth, ..parent };
                    let child =
                        if next(&mut seed).is_multiple_of(2) { daemon(pid, birth, parent.birth) } else { child };
                    if ours.contains(&parent) { ours.push(child) } else { others.push(child) }
                }
                let list = if next(&mut seed).is_multiple_of(2) { &mut ours } else { &mut others };
                if list.len() > 1 && next(&mut seed).is_multiple_of(3) {
                    list.remove(next(&mut seed) as usize % list.len());
                }
                let table: Vec<Row> = ours.iter().chain(&others).copied().collect();
                let mut expected: Vec<(u64, i32)> = ours.iter().map(|row| (row.birth, row.pid)).collect();
                expected.sort_unstable();
                let expected: Vec<i32> = expected.into_iter().map(|(_, pid)| pid).collect();
                assert_eq!(look(&mut run, &table), expected, "seed {start}, birth {birth}");
            }
        }
    }
}
