//! macOS: the members of a run are looked for, again and again; a kernel queue says when.

use std::collections::HashSet;
use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process, test_kill_process_group, wait};

use super::observer::{Depth, Observer};
use super::process_table::{Look, Sight, command_of, look_at};
use super::signals::{freeze_and_end, signal};
use super::watch::Watch;
use crate::containment::exit_status::exit_of;
use crate::containment::membership::Member;
use crate::containment::{ProcessIdentity, Reaped};
use crate::outcome::{SurvivalCause, Survivor};

/// A report names processes; it does not carry their scripts.
const MAX_COMMAND_CHARS: usize = 200;

/// After an end everybody is looked at: the parent may have ended before its last child was seen. A shell that starts one
/// command after the other is not looked at after each of them: a look takes a millisecond or two.
const LOOK_AFTER_END: Duration = Duration::from_millis(50);

/// First and longest wait for a member that cannot be watched, mostly because it is just ending.
const FIRST_UNWATCHED_PAUSE: Duration = Duration::from_millis(2);
const MAX_UNWATCHED_PAUSE: Duration = Duration::from_millis(256);

/// A supervisor of a run inside the run ends its own members when its host is gone, and nobody else knows all of them. It
/// has so long to do it.
pub(super) const SUPERVISORS_SPARED_FOR: Duration = Duration::from_millis(1_000);

/// The members of one run.
#[derive(Debug)]
pub struct Container {
    shell: Pid,
    observer: Observer,
    /// `None` when no descriptor was left. Then whoever is no child of ours is looked for when something else happens.
    watch: Option<Watch>,
    unwatched_pause: Duration,
    /// From then on its number may be given away.
    shell_is_collected: bool,
    group_is_asked: bool,
    /// Births of those that were asked to end, outside the group.
    asked: HashSet<u64>,
    first_forced_at: Option<Instant>,
}

impl Container {
    /// Finds out whether members can be watched. Call it before the shell is started.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub fn prepare() -> io::Result<()> {
        Watch::new().map(drop)
    }

    /// Contains the shell, which has to be a child of this process and the leader of its own session. `run_id` is what its
    /// members are marked with.
    pub fn new(shell: Pid, run_id: &str) -> Self {
        let pid = shell.as_raw_pid();
        let this = ProcessIdentity::of(rustix::process::getpid().as_raw_pid()).map(|this| this.start);
        let mut container = Self {
            shell,
            observer: Observer::new(run_id, ProcessIdentity::of(pid), this),
            watch: Watch::new().ok(),
            unwatched_pause: FIRST_UNWATCHED_PAUSE,
            shell_is_collected: false,
            group_is_asked: false,
            asked: HashSet::new(),
            first_forced_at: None,
        };
        container.observer.look_at(pid);
        container.watch_members();
        // What it forked before it was watched.
        container.look_below(pid);
        container
    }

    /// Readable when a member has forked, when one that is no child of ours has ended, and when it is time to look again.
    pub fn stranger_ended(&self) -> Option<BorrowedFd<'_>> {
        self.watch.as_ref().map(Watch::readable)
    }

    /// Collects the shell, and takes in what the queue tells. Never waits.
    ///
    /// Empty is said when the shell was collected and a look at every process, marks included, finds no member.
    pub fn reap(&mut self) -> Reaped {
        let mut reaped = Reaped::default();
        let has_child = loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.shell && !self.shell_is_collected => {
                    self.shell_is_collected = true;
                    self.observer.note_end(pid.as_raw_pid());
                    reaped.shell = Some(exit_of(status));
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => break true,
                Err(_) => break false,
            }
        };
        let is_time = self.take_in_events();
        if has_child {
            if is_time {
                self.look(Depth::Table);
            }
        } else {
            reaped.empty = self.is_empty(is_time || reaped.shell.is_some());
        }
        reaped
    }

    /// The shell has gone. While somebody is watched, a look can wait until that one ends.
    fn is_empty(&mut self, is_time: bool) -> bool {
        let is_somebody_watched = self.watch.as_ref().is_some_and(Watch::has_somebody);
        if is_somebody_watched && !is_time {
            return false;
        }
        if is_somebody_watched && self.look(Depth::Table) && !self.observer.members().is_empty() {
            return false;
        }
        if self.look(Depth::Marks) {
            return self.observer.members().is_empty();
        }
        // We may not look at processes (a sandbox). The group is all that can be asked for.
        let is_group_gone = test_kill_process_group(self.shell).is_err();
        if let Some(watch) = self.watch.as_mut().filter(|_| !is_group_gone) {
            watch.look_again_after(MAX_UNWATCHED_PAUSE);
        }
        is_group_gone
    }

    /// Whether it is time to look again.
    fn take_in_events(&mut self) -> bool {
        let Some(watch) = &mut self.watch else { return true };
        let happened = watch.take();
        if !happened.ended.is_empty() {
            watch.look_again_after(LOOK_AFTER_END);
        }
        for pid in happened.forked {
            self.look_below(pid);
        }
        for pid in happened.ended {
            self.observer.note_end(pid);
        }
        happened.is_time
    }

    fn look_below(&mut self, pid: i32) {
        if self.observer.look_below(pid) {
            self.watch_members();
        }
    }

    fn look(&mut self, depth: Depth) -> bool {
        let may_look = self.observer.look(depth, &mut |_, _| {});
        self.watch_members();
        may_look
    }

    /// Who cannot be watched is on its way out: it is looked at again soon.
    fn watch_members(&mut self) {
        let Some(watch) = &mut self.watch else { return };
        let mut are_all_watched = true;
        for member in self.observer.members() {
            are_all_watched &= watch.add(member.pid, member.birth);
        }
        if are_all_watched {
            self.unwatched_pause = FIRST_UNWATCHED_PAUSE;
        } else {
            watch.look_again_after(self.unwatched_pause);
            self.unwatched_pause = (self.unwatched_pause * 2).min(MAX_UNWATCHED_PAUSE);
        }
    }

    /// Asks the members at hand to end (TERM), and lets stopped ones act on it (CONT). Those asked before are left alone, so
    /// it can be called again for what ended members left behind.
    pub fn request_end(&mut self) {
        let group = self.group().filter(|_| !self.group_is_asked);
        self.group_is_asked |= group.is_some();
        if let Some(group) = group {
            for polite in [Signal::TERM, Signal::CONT] {
                let _ = kill_process_group(group, polite);
            }
        }
        for member in self.observer.members() {
            let is_in_asked_group = self.group_is_asked && member.group == self.shell.as_raw_pid();
            if !is_in_asked_group && self.asked.insert(member.birth) {
                signal(&member, Signal::TERM);
                signal(&member, Signal::CONT);
            }
        }
    }

    /// Looks for the other members and asks them, so that each is asked once.
    pub fn request_end_of_rest(&mut self) {
        self.look(Depth::Marks);
        self.request_end();
    }

    /// Ends the members at hand: the shell's group is stopped first, then killed, and so are those known outside it.
    pub fn force_end(&mut self) {
        let spare_supervisors = self.spare_supervisors();
        let mut members = self.observer.members();
        members.retain(|member| !(member.supervises && spare_supervisors));
        // One that was just being forked gets neither; its parent forks no other, and the next round finds it.
        for hard in [Signal::STOP, Signal::KILL] {
            if let Some(group) = self.group() {
                let _ = kill_process_group(group, hard);
            }
            for member in &members {
                signal(member, hard);
            }
        }
    }

    /// Ends every member that a look can find. Call it until the run is empty.
    pub fn force_end_of_rest(&mut self) {
        let spare_supervisors = self.spare_supervisors();
        if let Some(group) = self.group() {
            let _ = kill_process_group(group, Signal::STOP);
        }
        freeze_and_end(&mut self.observer, spare_supervisors);
        if let Some(group) = self.group() {
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.watch_members();
    }

    fn spare_supervisors(&mut self) -> bool {
        self.first_forced_at.get_or_insert_with(Instant::now).elapsed() < SUPERVISORS_SPARED_FOR
    }

    /// The shell's group, while its number cannot be a stranger's: nobody but us can collect the shell, and as long as a
    /// member is in the group its number is not given away.
    fn group(&self) -> Option<Pid> {
        let number = self.shell.as_raw_pid();
        let is_in_it = |member: &Member| {
            matches!(look_at(member.pid),
                Look::There(sight) if sight.row.birth == member.birth && sight.row.group == number)
        };
        (!self.shell_is_collected || self.observer.members().iter().any(is_in_it)).then_some(self.shell)
    }

    /// Who is there now.
    pub fn survivors(&mut self) -> Vec<Survivor> {
        self.look(Depth::Marks);
        let sights = self.observer.members().into_iter().filter_map(|member| match look_at(member.pid) {
            Look::There(sight) if sight.row.birth == member.birth => Some(sight),
            Look::There(_) | Look::Ended(_) | Look::Nobody => None,
        });
        sights.map(|sight| survivor(&sight)).collect()
    }
}

fn survivor(sight: &Sight) -> Survivor {
    let pid = sight.row.pid;
    let why = match Pid::from_raw(pid).map(test_kill_process) {
        Some(Err(Errno::PERM)) => SurvivalCause::AnotherUser,
        _ if sight.in_exit => SurvivalCause::StillExiting,
        // KILL was sent seconds ago and it has not begun to end: it is inside a call that nothing interrupts.
        _ => SurvivalCause::Uninterruptible,
    };
    Survivor { pid, command: command_of(sight, MAX_COMMAND_CHARS), why }
}
