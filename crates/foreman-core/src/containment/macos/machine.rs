//! What tells this machine, this boot and its processes from others.

use std::ffi::c_char;

use super::process_table::{self, look_at};
use crate::containment::ProcessIdentity;
use crate::containment::pursuit::Look;

/// `kern.bootsessionuuid` is a UUID as text.
const MAX_ID_BYTES: usize = 64;

/// The kernel's id of this boot.
pub fn boot_id() -> String {
    let mut id = [0_u8; MAX_ID_BYTES];
    let mut length = id.len();
    let name: *const c_char = c"kern.bootsessionuuid".as_ptr();
    // SAFETY: the name ends with a zero byte; the kernel writes at most `length` bytes into our buffer and their count into
    // `length`; both outlive the call. Nothing is set.
    let answer = unsafe { libc::sysctlbyname(name, id.as_mut_ptr().cast(), &raw mut length, std::ptr::null_mut(), 0) };
    if answer != 0 {
        return String::new();
    }
    String::from_utf8_lossy(&id[..length.min(MAX_ID_BYTES)]).trim_end_matches('\0').to_owned()
}

/// macOS has one process namespace.
pub const fn pid_namespace() -> String {
    String::new()
}

/// The birth of a process that is there now, ended ones that nobody has collected among them.
pub(crate) fn start_of(pid: i32) -> Option<u64> {
    match look_at(pid) {
        Look::There(sight) => Some(sight.row.birth),
        Look::Ended(birth) => Some(birth),
        Look::Nobody => None,
    }
}

/// Whether it is there and has not ended.
pub(crate) fn is_alive(process: ProcessIdentity) -> bool {
    matches!(look_at(process.pid), Look::There(sight) if sight.row.birth == process.start)
}

/// Whether it is there and stands still because of a signal.
pub(crate) fn is_stopped(process: ProcessIdentity) -> bool {
    is_alive(process) && process_table::is_stopped(process.pid)
}

/// The parent of a process that is there.
pub(crate) fn parent_of(process: ProcessIdentity) -> Option<i32> {
    match look_at(process.pid) {
        Look::There(sight) if sight.row.birth == process.start => Some(sight.parent),
        _ => None,
    }
}
