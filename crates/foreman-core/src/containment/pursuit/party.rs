//! The members of one run, and when to look for them.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::membership::Member;
use super::observer::send;
use super::{Depth, Kernel, Look, Observer, Sight};
use crate::containment::ProcessIdentity;

/// After an end everybody is looked at: the parent may have ended before its last child was seen. A shell that starts one
/// command after the other is not looked at after each of them: a look takes a millisecond or two.
const LOOK_AFTER_END: Duration = Duration::from_millis(50);

/// First and longest wait for a member that cannot be watched, mostly because it is just ending.
const FIRST_UNWATCHED_PAUSE: Duration = Duration::from_millis(2);
const MAX_UNWATCHED_PAUSE: Duration = Duration::from_millis(256);

/// A supervisor of a run inside the run ends its own members when its host is gone, and nobody else knows all of them. It
/// has so long to do it.
pub(crate) const SUPERVISORS_SPARED_FOR: Duration = Duration::from_millis(1_000);

/// The shell of a run and everybody who belongs to it.
#[derive(Debug)]
pub(crate) struct Party<K> {
    kernel: K,
    shell: i32,
    observer: Observer,
    unwatched_pause: Duration,
    /// From then on its number may be given away.
    shell_is_collected: bool,
    group_is_asked: bool,
    /// Births of those that were asked to end, outside the group.
    asked: HashSet<u64>,
    first_forced_at: Option<Instant>,
    /// Whether there was ever anybody but the shell.
    has_forked: bool,
}

impl<K: Kernel> Party<K> {
    /// Of this shell, which has just been started and leads its own session. `this` is the birth of this process.
    pub(crate) fn new(
        kernel: K,
        run_id: &str,
        shell: i32,
        identity: Option<ProcessIdentity>,
        this: Option<u64>,
    ) -> Self {
        let mut party = Self {
            kernel,
            shell,
            observer: Observer::new(run_id, identity, this),
            unwatched_pause: FIRST_UNWATCHED_PAUSE,
            shell_is_collected: false,
            group_is_asked: false,
            asked: HashSet::new(),
            first_forced_at: None,
            has_forked: false,
        };
        party.observer.look_at(&mut party.kernel, shell);
        party.watch_members();
        // What it forked before it was watched.
        party.look_below(shell);
        party
    }

    /// What tells it of the system.
    pub(crate) const fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The shell was collected. Call it before [`Self::is_empty`].
    pub(crate) fn note_shell_collected(&mut self) {
        self.shell_is_collected = true;
        self.observer.note_end(self.shell);
    }

    /// Takes in what has happened. `None`: we are not allowed to look, so nobody can say.
    ///
    /// Empty is said when the shell was collected and a look at every process, marks included, finds no member.
    pub(crate) fn is_empty(&mut self, shell_just_ended: bool) -> Option<bool> {
        let is_time = self.take_in_events();
        if !self.shell_is_collected {
            if is_time {
                self.look(Depth::Table);
            }
            return Some(false);
        }
        // While somebody is watched, a look can wait until that one ends.
        if self.kernel.is_watching() {
            if !is_time && !shell_just_ended {
                return Some(false);
            }
            if self.look(Depth::Table) && !self.observer.members().is_empty() {
                return Some(false);
            }
        }
        if self.look(Depth::Marks) {
            return Some(self.observer.members().is_empty() && !self.has_somebody_slipped_through());
        }
        self.kernel.look_again_after(MAX_UNWATCHED_PAUSE);
        None
    }

    /// One look may fall between two links of a chain that forks and exits: it lists the first and comes to it too late.
    fn has_somebody_slipped_through(&mut self) -> bool {
        self.has_forked && self.look(Depth::Marks) && !self.observer.members().is_empty()
    }

    /// Whether it is time to look again.
    fn take_in_events(&mut self) -> bool {
        let happened = self.kernel.take_happened();
        if !happened.ended.is_empty() {
            self.kernel.look_again_after(LOOK_AFTER_END);
        }
        self.has_forked |= !happened.forked.is_empty();
        for pid in happened.forked {
            self.look_below(pid);
        }
        for pid in happened.ended {
            self.observer.note_end(pid);
        }
        happened.is_time
    }

    fn look_below(&mut self, pid: i32) {
        if self.observer.look_below(&mut self.kernel, pid) {
            self.has_forked = true;
            self.watch_members();
        }
    }

    fn look(&mut self, depth: Depth) -> bool {
        let shell = self.shell;
        let has_forked = &mut self.has_forked;
        let may_look = self.observer.look(&mut self.kernel, depth, &mut |_, row, _| *has_forked |= row.pid != shell);
        self.watch_members();
        may_look
    }

    /// Who cannot be watched is on its way out: it is looked at again soon.
    fn watch_members(&mut self) {
        let mut are_all_watched = true;
        for member in self.observer.members() {
            are_all_watched &= self.kernel.watch(member.pid, member.birth);
        }
        if are_all_watched {
            self.unwatched_pause = FIRST_UNWATCHED_PAUSE;
        } else {
            self.kernel.look_again_after(self.unwatched_pause);
            self.unwatched_pause = (self.unwatched_pause * 2).min(MAX_UNWATCHED_PAUSE);
        }
    }

    /// Asks the members at hand to end (TERM), and lets stopped ones act on it (CONT). Those asked before are left alone, so
    /// it can be called again for what ended members left behind.
    pub(crate) fn request_end(&mut self) {
        if !self.group_is_asked && self.group_is_ours() {
            self.group_is_asked = true;
            for polite in [Signal::TERM, Signal::CONT] {
                self.kernel.signal_group(self.shell, polite);
            }
        }
        for member in self.observer.members() {
            let is_in_asked_group = self.group_is_asked && member.group == self.shell;
            if !is_in_asked_group && self.asked.insert(member.birth) {
                for polite in [Signal::TERM, Signal::CONT] {
                    send(&mut self.kernel, member.pid, member.birth, polite);
                }
            }
        }
    }

    /// Looks for the other members and asks them, so that each is asked once.
    pub(crate) fn request_end_of_rest(&mut self) {
        self.look(Depth::Marks);
        self.request_end();
    }

    /// Ends the members at hand: the shell's group is stopped first, then killed, and so are those known outside it.
    pub(crate) fn force_end(&mut self) {
        let spare_supervisors = self.spare_supervisors();
        let mut members = self.observer.members();
        members.retain(|member| !(member.supervises && spare_supervisors));
        // One that was just being forked gets neither; its parent forks no other, and the next round finds it.
        for hard in [Signal::STOP, Signal::KILL] {
            self.signal_group(hard);
            for member in &members {
                send(&mut self.kernel, member.pid, member.birth, hard);
            }
        }
    }

    /// Ends every member that a look can find. Call it until the run is empty.
    pub(crate) fn force_end_of_rest(&mut self) {
        let spare_supervisors = self.spare_supervisors();
        self.signal_group(Signal::STOP);
        self.observer.freeze_and_end(&mut self.kernel, spare_supervisors);
        self.signal_group(Signal::KILL);
        self.watch_members();
    }

    fn signal_group(&mut self, signal: Signal) {
        if self.group_is_ours() {
            self.kernel.signal_group(self.shell, signal);
        }
    }

    fn spare_supervisors(&mut self) -> bool {
        self.first_forced_at.get_or_insert_with(Instant::now).elapsed() < SUPERVISORS_SPARED_FOR
    }

    /// Whether the number of the shell's group cannot be a stranger's: nobody but us can collect the shell, and as long as a
    /// member is in the group its number is not given away.
    fn group_is_ours(&mut self) -> bool {
        !self.shell_is_collected || self.observer.members().iter().any(|member| self.is_in_group(member))
    }

    fn is_in_group(&mut self, member: &Member) -> bool {
        matches!(self.kernel.look_at(member.pid),
            Look::There(sight) if sight.row.birth == member.birth && sight.row.group == self.shell)
    }

    /// Looks for everybody who is there now.
    pub(crate) fn survivors(&mut self) -> Vec<Sight> {
        self.look(Depth::Marks);
        let members = self.observer.members().into_iter();
        let sights = members.filter_map(|member| match self.kernel.look_at(member.pid) {
            Look::There(sight) if sight.row.birth == member.birth => Some(sight),
            Look::There(_) | Look::Ended(_) | Look::Nobody => None,
        });
        sights.collect()
    }
}
