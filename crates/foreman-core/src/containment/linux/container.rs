//! Linux: this process is a child subreaper, so every descendant is found below it, whatever it did to its session,
//! group or environment; and "no child left" (`ECHILD`) means that the run is empty.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpgid, kill_process, kill_process_group, pidfd_open, pidfd_send_signal,
    set_child_subreaper, test_kill_process, wait,
};

use super::ProcStat;
use super::proc_stat::all_pids;
use crate::containment::Reaped;
use crate::containment::exit_status::exit_of;
use crate::outcome::{SurvivalCause, Survivor};

/// A report names processes; it does not carry their scripts.
const MAX_COMMAND_CHARS: usize = 200;

/// The members of one run: everything below this process.
#[derive(Debug)]
pub struct Container {
    shell: Pid,
    this: Pid,
    has_children_files: bool,
    /// From then on its number may be given away.
    shell_is_collected: bool,
    group_is_asked: bool,
    /// Asked to end, outside the group.
    asked: HashSet<Pid>,
}

impl Container {
    /// Makes orphans of later children of this process ours. Call it before the shell is started.
    ///
    /// # Errors
    /// Only on kernels before 3.4.
    pub fn prepare() -> io::Result<()> {
        Ok(set_child_subreaper(Some(rustix::process::getpid()))?)
    }

    /// Contains the shell, which has to be a child of this process and the leader of its own session. What its members are
    /// marked with is not needed here.
    pub fn new(shell: Pid, _run_id: &str) -> Self {
        let this = rustix::process::getpid();
        // Missing in kernels built without CONFIG_PROC_CHILDREN.
        let has_children_files = fs::exists(format!("/proc/{0}/task/{0}/children", this.as_raw_pid())).unwrap_or(false);
        Self {
            shell,
            this,
            has_children_files,
            shell_is_collected: false,
            group_is_asked: false,
            asked: HashSet::new(),
        }
    }

    /// Readable when a member that is no child of ours has ended. Here the last of them always becomes our child.
    pub const fn stranger_ended(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Collects every child that has ended, orphans of the run among them. Never waits.
    pub fn reap(&mut self) -> Reaped {
        let mut reaped = Reaped::default();
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.shell && !self.shell_is_collected => {
                    self.shell_is_collected = true;
                    reaped.shell = Some(exit_of(status));
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return reaped,
                Err(_) => {
                    reaped.empty = true;
                    return reaped;
                }
            }
        }
    }

    /// Asks the members at hand to end (TERM), and lets stopped ones act on it (CONT). Those asked before are left alone, so
    /// it can be called again for what ended members left behind.
    pub fn request_end(&mut self) {
        let (group, mut children) = self.at_hand();
        children.retain(|child| self.asked.insert(*child));
        let group = group.filter(|_| !std::mem::replace(&mut self.group_is_asked, true));
        signal_each(group, &children, &[Signal::TERM, Signal::CONT]);
    }

    /// Asks the other members, so that each is asked once.
    pub fn request_end_of_rest(&mut self) {
        let (shell, mut asked) = (self.shell.as_raw_pid(), std::mem::take(&mut self.asked));
        self.walk(&mut |member| {
            let in_asked_group = self.group_is_asked && member.stat.group == shell;
            if !in_asked_group && asked.insert(member.pid) {
                member.signal(Signal::TERM);
                member.signal(Signal::CONT);
            }
        });
        self.asked = asked;
    }

    /// Ends the members at hand (KILL). What they leave behind is at hand as soon as they are gone.
    pub fn force_end(&self) {
        let (group, children) = self.at_hand();
        signal_each(group, &children, &[Signal::KILL]);
    }

    /// Ends every member that is there now. One that was just being forked may be missed: call it until the run is empty.
    pub fn force_end_of_rest(&self) {
        self.force_end();
        self.walk(&mut |member| member.signal(Signal::KILL));
    }

    /// The shell's group, and our own children outside it: the heads of all that left the group and lost their parent.
    ///
    /// No member is looked up in /proc, whose entries the kernel would have to take back one by one when the process ends.
    /// Nobody but us can collect our own children, and we are busy here: the numbers stay theirs. Once the shell is collected
    /// its number can become a stranger's, unless a child of ours is still in its group.
    fn at_hand(&self) -> (Option<Pid>, Vec<Pid>) {
        let (in_group, children): (Vec<Pid>, Vec<Pid>) = self
            .own_children()
            .into_iter()
            .filter_map(Pid::from_raw)
            .partition(|child| getpgid(Some(*child)) == Ok(self.shell));
        let group_is_ours = !self.shell_is_collected || !in_group.is_empty();
        (group_is_ours.then_some(self.shell), children)
    }

    fn own_children(&self) -> Vec<i32> {
        let this = self.this.as_raw_pid();
        if self.has_children_files {
            return children_by_file(this, 1);
        }
        parent_table().into_iter().filter(|(_, parent)| *parent == this).map(|(child, _)| child).collect()
    }

    /// Who is there now, ended processes that nobody has collected left out.
    pub fn survivors(&self) -> Vec<Survivor> {
        let mut survivors = Vec::new();
        self.walk(&mut |member| {
            if member.stat.state != b'Z' {
                let why = match test_kill_process(member.pid) {
                    Err(Errno::PERM) => SurvivalCause::AnotherUser,
                    _ if member.stat.state == b'D' => SurvivalCause::Uninterruptible,
                    _ => SurvivalCause::StillExiting,
                };
                let pid = member.pid.as_raw_pid();
                survivors.push(Survivor { pid, command: command_of(pid), why });
            }
        });
        survivors
    }

    /// Visits every descendant, parents first.
    fn walk(&self, visit: &mut dyn FnMut(&Member)) {
        let table = if self.has_children_files { None } else { Some(parent_table()) };
        let children_of = |pid: i32, threads: u32| match &table {
            None => children_by_file(pid, threads),
            Some(table) => table.iter().filter(|(_, parent)| *parent == pid).map(|(child, _)| *child).collect(),
        };
        self.walk_below(None, children_of(self.this.as_raw_pid(), 1), &children_of, visit);
    }

    fn walk_below(
        &self,
        parent: Option<&Member>,
        pids: Vec<i32>,
        children_of: &dyn Fn(i32, u32) -> Vec<i32>,
        visit: &mut dyn FnMut(&Member),
    ) {
        for pid in pids {
            if let Some(member) = self.pin(pid, parent) {
                // Listed before the visit: killing a parent hands its children on to us and empties its list.
                let below = children_of(pid, member.stat.threads);
                visit(&member);
                self.walk_below(Some(&member), below, children_of, visit);
            }
        }
    }

    /// Takes hold of a process, if it is a member: its parent has to be us, or the member it was found under. The number
    /// may have changed hands between the look and the hold; a stranger has another parent. `None` as parent: us.
    fn pin(&self, pid: i32, parent: Option<&Member>) -> Option<Member> {
        let pid = Pid::from_raw(pid).filter(|p| *p != Pid::INIT && *p != self.this)?;
        let handle = match parent {
            // Nobody but us can collect our own children, and we are busy here: the number stays theirs.
            None => None,
            Some(_) => match pidfd_open(pid, PidfdFlags::empty()) {
                Ok(handle) => Some(handle),
                Err(Errno::SRCH) => return None,
                // Kernels before 5.3, old sandboxes, no descriptor left. What is looked at below stands all the same.
                Err(_) => None,
            },
        };
        let stat = ProcStat::of(pid.as_raw_pid()).ok()?;
        let is_ours = stat.parent == self.this.as_raw_pid();
        let is_below = || parent.is_some_and(|p| stat.parent == p.pid.as_raw_pid() && p.is_there());
        (is_ours || is_below()).then_some(Member { pid, handle, stat })
    }
}

/// The group first: only there can no fork slip through, for the kernel lets a fork fail while a signal is pending.
/// Whoever has gone, or is not ours to signal, is found out by the next look.
fn signal_each(group: Option<Pid>, children: &[Pid], signals: &[Signal]) {
    for signal in signals {
        if let Some(group) = group {
            let _ = kill_process_group(group, *signal);
        }
        for child in children {
            let _ = kill_process(*child, *signal);
        }
    }
}

/// A process that was found to belong to the run, and a hold on it: what is signalled is what was found.
struct Member {
    pid: Pid,
    /// `None`: a child of ours, which needs none; or a system without pidfds.
    handle: Option<OwnedFd>,
    stat: ProcStat,
}

impl Member {
    /// A member that has gone, or belongs to another user, is found out by whoever looks next.
    fn signal(&self, signal: Signal) {
        let _ = match &self.handle {
            Some(handle) => pidfd_send_signal(handle, signal),
            None => kill_process(self.pid, signal),
        };
    }

    /// Not ended yet, and so the only bearer of its number ever since it was pinned. A pidfd becomes readable at the end.
    fn is_there(&self) -> bool {
        let Some(handle) = &self.handle else { return true };
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&now)) == Ok(0)
    }
}

/// Children of every thread of `pid`. Empty when it has gone.
fn children_by_file(pid: i32, threads: u32) -> Vec<i32> {
    let mut children = Vec::new();
    let mut add = |path: &str| {
        let list = fs::read_to_string(path).unwrap_or_default();
        children.extend(list.split_ascii_whitespace().filter_map(|n| n.parse::<i32>().ok()));
    };
    if threads == 1 {
        add(&format!("/proc/{pid}/task/{pid}/children"));
    } else {
        for thread in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            add(&format!("/proc/{pid}/task/{}/children", thread.file_name().display()));
        }
    }
    children
}

/// (child, parent) of every process of the machine.
fn parent_table() -> Vec<(i32, i32)> {
    all_pids().unwrap_or_default().into_iter().filter_map(|pid| Some((pid, ProcStat::of(pid).ok()?.parent))).collect()
}

/// The command line, or the name when that is empty or unreadable.
fn command_of(pid: i32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).trim_end_matches('\0').replace('\0', " ");
    if !line.is_empty() {
        return line.chars().take(MAX_COMMAND_CHARS).collect();
    }
    fs::read_to_string(format!("/proc/{pid}/comm")).map_or_else(|_| "?".into(), |name| name.trim_end().to_owned())
}
