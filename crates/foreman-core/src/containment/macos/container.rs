//! macOS: the members of a run are looked for, again and again; a kernel queue says when.

use std::io;
use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, test_kill_process, test_kill_process_group, wait};

use super::darwin::Darwin;
use super::process_table::command_of;
use crate::containment::exit_status::exit_of;
use crate::containment::pursuit::{Party, Sight};
use crate::containment::{ProcessIdentity, Reaped};
use crate::outcome::{SurvivalCause, Survivor};

/// A report names processes; it does not carry their scripts.
const MAX_COMMAND_CHARS: usize = 200;

/// The members of one run.
#[derive(Debug)]
pub struct Container {
    shell: Pid,
    shell_is_collected: bool,
    party: Party<Darwin>,
}

impl Container {
    /// Finds out whether members can be watched. Call it before the shell is started.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub fn prepare() -> io::Result<()> {
        Darwin::new().map(drop)
    }

    /// Contains the shell, which has to be a child of this process and the leader of its own session. `run_id` is what its
    /// members are marked with.
    pub fn new(shell: Pid, run_id: &str) -> Self {
        let pid = shell.as_raw_pid();
        let this = ProcessIdentity::of(rustix::process::getpid().as_raw_pid()).map(|this| this.start);
        let kernel = Darwin::new().unwrap_or_default();
        let party = Party::new(kernel, run_id, pid, ProcessIdentity::of(pid), this);
        Self { shell, shell_is_collected: false, party }
    }

    /// Readable when a member has forked, when one that is no child of ours has ended, and when it is time to look again.
    pub fn stranger_ended(&self) -> Option<BorrowedFd<'_>> {
        self.party.kernel().readable()
    }

    /// Collects the shell, and takes in what the queue tells. Never waits.
    pub fn reap(&mut self) -> Reaped {
        let mut reaped = Reaped::default();
        let has_child = loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.shell && !self.shell_is_collected => {
                    self.shell_is_collected = true;
                    self.party.note_shell_collected();
                    reaped.shell = Some(exit_of(status));
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => break true,
                Err(_) => break false,
            }
        };
        let is_empty = self.party.is_empty(reaped.shell.is_some());
        // Where we may not look at processes (a sandbox), the group is all that can be asked for.
        reaped.empty = !has_child && is_empty.unwrap_or_else(|| test_kill_process_group(self.shell).is_err());
        reaped
    }

    /// Asks the members at hand to end (TERM), and lets stopped ones act on it (CONT). Those asked before are left alone, so
    /// it can be called again for what ended members left behind.
    pub fn request_end(&mut self) {
        self.party.request_end();
    }

    /// Looks for the other members and asks them, so that each is asked once.
    pub fn request_end_of_rest(&mut self) {
        self.party.request_end_of_rest();
    }

    /// Ends the members at hand: the shell's group is stopped first, then killed, and so are those known outside it.
    pub fn force_end(&mut self) {
        self.party.force_end();
    }

    /// Ends every member that a look can find. Call it until the run is empty.
    pub fn force_end_of_rest(&mut self) {
        self.party.force_end_of_rest();
    }

    /// Who is there now, ended processes that nobody has collected left out.
    pub fn survivors(&mut self) -> Vec<Survivor> {
        self.party.survivors().iter().map(survivor).collect()
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
    Survivor { pid, command: command_of(pid, MAX_COMMAND_CHARS), why }
}
