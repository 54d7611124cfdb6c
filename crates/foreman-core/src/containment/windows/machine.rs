//! What tells this machine and its processes from others.

use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::time::Duration;

use windows_sys::Win32::Foundation::{FILETIME, WAIT_TIMEOUT};
use windows_sys::Win32::System::Threading::{
    GetProcessTimes, OpenProcess, PROCESS_NAME_WIN32, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE,
    QueryFullProcessImageNameW, WaitForSingleObject,
};

use super::job::ticks_of;
use crate::containment::ProcessIdentity;

/// Longest path of Windows, in UTF-16 units.
const MAX_IMAGE_UNITS: usize = 32_768;

/// Windows has no name for a boot. None is needed: the start of a process is a time of day in steps of 100 nanoseconds, so
/// a number and a start are never those of a process of an earlier boot.
pub const fn boot_id() -> String {
    String::new()
}

/// All processes of a machine have numbers of one kind.
pub const fn pid_namespace() -> String {
    String::new()
}

/// When a process that is there now was started.
pub(crate) fn start_of(pid: i32) -> Option<u64> {
    let process = open_process(pid.cast_unsigned()).ok()?;
    let (mut start, mut unused) = (FILETIME::default(), [FILETIME::default(); 3]);
    let [exit, kernel, user] = &mut unused;
    // SAFETY: the process is open; the four structures outlive the call.
    let ok = unsafe { GetProcessTimes(process.as_raw_handle(), &raw mut start, exit, kernel, user) };
    (ok != 0).then(|| ticks_of(start))
}

/// Whether it is there and has not ended. An ended one whose handle somebody holds can still be opened.
pub(crate) fn is_alive(process: ProcessIdentity) -> bool {
    let Ok(handle) = open_process(process.pid.cast_unsigned()) else { return false };
    // SAFETY: the handle is open and may be waited for.
    let runs = unsafe { WaitForSingleObject(handle.as_raw_handle(), 0) } == WAIT_TIMEOUT;
    runs && start_of(process.pid) == Some(process.start)
}

/// Nothing can be left: the job was closed with its supervisor, and the system has ended all its members.
pub(crate) const fn end_orphans(_run_id: &str, _shell: Option<ProcessIdentity>, _bound: Duration) -> bool {
    true
}

/// A hold on a process, good for looking at it and for waiting for its end.
pub(super) fn open_process(pid: u32) -> io::Result<OwnedHandle> {
    // SAFETY: a call on numbers; an error is a null handle.
    let handle = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE, 0, pid) };
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new and ours.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// The file that a process runs. Its command line would have to be read out of its memory.
pub(super) fn image_of(process: &OwnedHandle) -> Option<String> {
    let mut path = vec![0_u16; MAX_IMAGE_UNITS];
    let mut units = MAX_IMAGE_UNITS as u32;
    // SAFETY: the buffer has room for so many units; how many were written is told back.
    let ok = unsafe {
        QueryFullProcessImageNameW(process.as_raw_handle(), PROCESS_NAME_WIN32, path.as_mut_ptr(), &raw mut units)
    };
    (ok != 0).then(|| String::from_utf16_lossy(&path[..(units as usize).min(MAX_IMAGE_UNITS)]))
}
