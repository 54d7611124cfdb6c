//! The process table, by `libproc` and `sysctl`. No helper program is started: the `ps` or `pgrep` on PATH may be another one.
//!
//! Everything here works for processes of other users too, but the arguments and the environment. Zombies are asked for:
//! a process on its way out is no longer found otherwise, although it still holds its files.
//! Sources: xnu, bsd/kern/proc_info.c, bsd/sys/proc_info_private.h, bsd/kern/kern_sysctl.c.

use std::ffi::{c_int, c_void};

use rustix::process::{Pid, getsid};

use crate::containment::process_arguments::ProcessArguments;
use crate::containment::pursuit::{Look, Row, Sight};

/// What the supervisor's executable is called. The kernel keeps the first 15 bytes of a name.
const SUPERVISOR_NAME: &[u8] = b"foreman-shim";

/// `PROC_PIDUNIQIDENTIFIERINFO`. Apple's header for it is not in the SDK, but says "this structure is API" and asserts its
/// size; libdispatch, which is in every process, ends the process when it does not get this answer.
const UNIQUE_IDENTIFIERS: c_int = 17;

/// The argument of `proc_pidinfo` that says: processes that have ended or are ending too.
const ENDED_TOO: u64 = 1;

/// `PROC_FLAG_INEXIT`.
const IN_EXIT: u32 = 4;

/// Processes that may be started between the question for their number and the list.
const SPARE_PIDS: usize = 256;

/// `ARG_MAX`: what the kernel gives at most.
const MAX_ARGUMENTS_BYTES: usize = 1024 * 1024;

/// `struct proc_uniqidentifierinfo`.
#[repr(C)]
#[derive(Clone, Copy)]
struct UniqueIdentifiers {
    program_uuid: [u8; 16],
    birth: u64,
    starter: u64,
    version: i32,
    starter_version: i32,
    reserved: [u64; 2],
}

const _: () = assert!(size_of::<UniqueIdentifiers>() == 56, "the kernel's size");

/// Every number in use, the newest first as a rule: what is about to go should be looked at before it does. `None`: we are
/// not allowed to look.
pub(super) fn all_pids() -> Option<Vec<i32>> {
    // SAFETY: without a buffer the call only answers with a count.
    let count = unsafe { libc::proc_listallpids(std::ptr::null_mut(), 0) };
    let room = usize::try_from(count).ok()? + SPARE_PIDS;
    let pids = fill(room, |buffer, bytes| {
        // SAFETY: the buffer has that many bytes and outlives the call.
        unsafe { libc::proc_listallpids(buffer, bytes) }
    })?;
    // Whoever may look sees at least itself.
    let mut pids = Some(pids).filter(|pids| !pids.is_empty())?;
    pids.sort_unstable_by(|a, b| b.cmp(a));
    Some(pids)
}

/// The children of a process, ended ones among them.
pub(super) fn children_of(pid: i32) -> Vec<i32> {
    /// More of them are found by the next look at all processes.
    const ROOM: usize = 256;
    let list = |buffer, bytes| {
        // SAFETY: the buffer has that many bytes and outlives the call.
        unsafe { libc::proc_listchildpids(pid, buffer, bytes) }
    };
    fill(ROOM, list).unwrap_or_default()
}

/// Both lists answer with a count of numbers, not of bytes.
fn fill(room: usize, list: impl FnOnce(*mut c_void, c_int) -> c_int) -> Option<Vec<i32>> {
    let mut pids = vec![0; room];
    let bytes = c_int::try_from(room * size_of::<i32>()).ok()?;
    let count = list(pids.as_mut_ptr().cast(), bytes);
    pids.truncate(usize::try_from(count).ok()?);
    Some(pids)
}

/// Looks at one process.
pub(super) fn look_at(pid: i32) -> Look {
    // SAFETY: plain numbers, for which all zero is a valid value.
    let Some(ids) = (unsafe { info::<UniqueIdentifiers>(pid, UNIQUE_IDENTIFIERS) }) else { return Look::Nobody };
    // SAFETY: as above.
    let Some(basics) = (unsafe { info::<libc::proc_bsdshortinfo>(pid, libc::PROC_PIDT_SHORTBSDINFO) }) else {
        return Look::Nobody;
    };
    if basics.pbsi_status == libc::SZOMB {
        return Look::Ended(ids.birth);
    }
    let name = basics.pbsi_comm.map(c_char_to_byte);
    // Not told of a process on its way out.
    let session = Pid::from_raw(pid).and_then(|pid| getsid(Some(pid)).ok()).map_or(0, Pid::as_raw_pid);
    let row = Row {
        pid,
        birth: ids.birth,
        starter: ids.starter,
        group: basics.pbsi_pgid.cast_signed(),
        session,
        supervises: name.strip_prefix(SUPERVISOR_NAME).is_some_and(|rest| rest.first() == Some(&0)),
    };
    let parent = basics.pbsi_ppid.cast_signed();
    Look::There(Sight { row, parent, in_exit: basics.pbsi_flags & IN_EXIT != 0 })
}

/// Whether the process of this number stands still because of a signal.
pub(super) fn is_stopped(pid: i32) -> bool {
    // SAFETY: plain numbers, for which all zero is a valid value.
    let basics = unsafe { info::<libc::proc_bsdshortinfo>(pid, libc::PROC_PIDT_SHORTBSDINFO) };
    basics.is_some_and(|basics| basics.pbsi_status == libc::SSTOP)
}

/// One answer of `proc_pidinfo`.
///
/// # Safety
/// `T` is the structure of that flavor, of plain numbers, and valid when all zero.
unsafe fn info<T>(pid: i32, flavor: c_int) -> Option<T> {
    // SAFETY: the caller promises that all zero is a valid value.
    let mut answer: T = unsafe { std::mem::zeroed() };
    let size = c_int::try_from(size_of::<T>()).ok()?;
    // SAFETY: the kernel writes at most `size` bytes into our value, which outlives the call.
    let written = unsafe { libc::proc_pidinfo(pid, flavor, ENDED_TOO, (&raw mut answer).cast(), size) };
    (written == size).then_some(answer)
}

/// The command line, or the kernel's name of the process when that cannot be read.
pub(super) fn command_of(pid: i32, max_chars: usize) -> String {
    let mut buffer = ArgumentsBuffer::default();
    let line = buffer.read(pid).map(|arguments| arguments.command_line(max_chars));
    line.filter(|line| !line.is_empty()).unwrap_or_else(|| name_of(pid))
}

fn name_of(pid: i32) -> String {
    // SAFETY: plain numbers, for which all zero is a valid value.
    let basics = unsafe { info::<libc::proc_bsdshortinfo>(pid, libc::PROC_PIDT_SHORTBSDINFO) };
    let name = basics.map_or_else(Vec::new, |basics| basics.pbsi_comm.map(c_char_to_byte).to_vec());
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    String::from_utf8_lossy(&name[..end]).into_owned()
}

/// Room for the arguments of one process after the other; pages that no answer reaches are never touched.
#[derive(Debug, Default)]
pub(super) struct ArgumentsBuffer(Vec<u8>);

impl ArgumentsBuffer {
    /// `None`: another user's process, one that has ended, or an answer that we do not understand.
    pub(super) fn read(&mut self, pid: i32) -> Option<ProcessArguments<'_>> {
        self.0.resize(MAX_ARGUMENTS_BYTES, 0);
        let mut name = [libc::CTL_KERN, libc::KERN_PROCARGS2, pid];
        let mut length = self.0.len();
        // SAFETY: the name has three numbers; the kernel writes at most `length` bytes into our buffer and their count into
        // `length`; all of them outlive the call. Nothing is set.
        let answer = unsafe {
            libc::sysctl(name.as_mut_ptr(), 3, self.0.as_mut_ptr().cast(), &raw mut length, std::ptr::null_mut(), 0)
        };
        if answer != 0 {
            return None;
        }
        ProcessArguments::parse(self.0.get(..length)?)
    }
}

const fn c_char_to_byte(c: std::ffi::c_char) -> u8 {
    c.cast_unsigned()
}
