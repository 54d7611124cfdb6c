//! Signals to members: only to whom they were meant for, and KILL only to those that can no longer fork.

use rustix::process::{Pid, Signal, kill_process};

use super::machine::is_alive;
use super::observer::{Depth, Observer};
use crate::containment::ProcessIdentity;
use crate::containment::membership::{Member, Row};

/// Looks for whom the stopped ones forked before they stood still. A storm of forks can go on longer; the next call goes on
/// where this one ended.
const MAX_FREEZES: u32 = 8;

/// Sends a signal to a member, if its number is still its own. Between the look and the signal lies a microsecond, and a
/// number comes around again after all others were given away.
pub(super) fn signal(member: &Member, signal: Signal) {
    send(member.pid, member.birth, signal);
}

fn send(pid: i32, birth: u64, signal: Signal) {
    if let Some(number) = Pid::from_raw(pid).filter(|_| pid > 1)
        && is_alive(ProcessIdentity { pid, start: birth })
    {
        // Whoever has gone, or is not ours to signal, is found out by the next look.
        let _ = kill_process(number, signal);
    }
}

/// Stops every member, looks for new ones until there are none, and ends them all. False when we are not allowed to look.
///
/// A process that is stopped forks nothing; one that is killed right away may just have.
pub(super) fn freeze_and_end(observer: &mut Observer, spare_supervisors: bool) -> bool {
    let is_spared = |supervises: bool| supervises && spare_supervisors;
    for member in observer.members().iter().filter(|member| !is_spared(member.supervises)) {
        signal(member, Signal::STOP);
    }
    let mut may_look = false;
    for _ in 0..MAX_FREEZES {
        let mut found = false;
        may_look = observer.look(Depth::Marks, &mut |row: &Row, is_new| {
            if is_new && !is_spared(row.supervises) {
                found = true;
                send(row.pid, row.birth, Signal::STOP);
            }
        });
        if !found {
            break;
        }
    }
    for member in observer.members().iter().filter(|member| !is_spared(member.supervises)) {
        signal(member, Signal::KILL);
    }
    may_look
}
