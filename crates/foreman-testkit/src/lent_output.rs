//! A process outside of a run that holds an end of its pipe.

use std::os::windows::io::AsRawHandle as _;
use std::process::ExitCode;

use windows_sys::Win32::Foundation::{DUPLICATE_SAME_ACCESS, DuplicateHandle};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcess, PROCESS_DUP_HANDLE};

use crate::readiness::say_ready_and_wait;

/// Gives standard output to the process of this number as well, which never learns of it, and stays.
pub(crate) fn lend_output(pid: u64) -> ExitCode {
    let Ok(pid) = u32::try_from(pid) else { return ExitCode::FAILURE };
    let mut theirs = std::ptr::null_mut();
    // SAFETY: calls on numbers and on open handles; the duplicate belongs to the other process, which ends one day.
    let lent = unsafe {
        let stranger = OpenProcess(PROCESS_DUP_HANDLE, 0, pid);
        !stranger.is_null()
            && DuplicateHandle(
                GetCurrentProcess(),
                std::io::stdout().as_raw_handle(),
                stranger,
                &raw mut theirs,
                0,
                0,
                DUPLICATE_SAME_ACCESS,
            ) != 0
    };
    if lent { say_ready_and_wait() } else { ExitCode::FAILURE }
}
