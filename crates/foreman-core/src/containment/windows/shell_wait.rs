//! The shell's process, and the message that it has ended.

use std::ffi::c_void;
use std::io;
use std::os::windows::io::{AsRawHandle as _, OwnedHandle};
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE, WAIT_OBJECT_0};
use windows_sys::Win32::System::Threading::{
    GetExitCodeProcess, INFINITE, RegisterWaitForSingleObject, UnregisterWaitEx, WT_EXECUTEINWAITTHREAD,
    WT_EXECUTEONLYONCE, WaitForSingleObject,
};

use crate::poller::completion_port::{CompletionPort, Source};

/// Wakes the run's port when the process ends: a waiting thread of the system's pool, shared by all runs, does it.
#[derive(Debug)]
pub(super) struct ShellWait {
    wait: HANDLE,
    process: OwnedHandle,
    /// Borrowed by the callback until `wait` is unregistered.
    _port: Arc<CompletionPort>,
}

impl ShellWait {
    pub(super) fn new(process: OwnedHandle, port: Arc<CompletionPort>) -> io::Result<Self> {
        let mut wait = ptr::null_mut();
        // SAFETY: the process stays open and the port alive until the wait is unregistered, which waits for the callback.
        let ok = unsafe {
            RegisterWaitForSingleObject(
                &raw mut wait,
                process.as_raw_handle(),
                Some(on_end),
                Arc::as_ptr(&port).cast(),
                INFINITE,
                WT_EXECUTEONLYONCE | WT_EXECUTEINWAITTHREAD,
            )
        };
        if ok == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { wait, process, _port: port })
    }

    /// The exit code, once the process has ended; waits for that so long at most.
    pub(super) fn exit_code(&self, within: Duration) -> Option<u32> {
        let ms = u32::try_from(within.as_millis()).unwrap_or(INFINITE - 1);
        let mut code = 0;
        // SAFETY: the process is open. A code is only asked for when it has ended: one that runs has the code 259.
        let known = unsafe {
            WaitForSingleObject(self.process.as_raw_handle(), ms) == WAIT_OBJECT_0
                && GetExitCodeProcess(self.process.as_raw_handle(), &raw mut code) != 0
        };
        known.then_some(code)
    }
}

impl Drop for ShellWait {
    fn drop(&mut self) {
        // SAFETY: registered by `new`, unregistered once; waits until the callback is not running and will not run.
        unsafe { UnregisterWaitEx(self.wait, INVALID_HANDLE_VALUE) };
    }
}

unsafe extern "system" fn on_end(port: *mut c_void, _timed_out: bool) {
    // SAFETY: `new` passed a port that lives until the wait was unregistered.
    let port = unsafe { &*port.cast::<CompletionPort>() };
    port.post(Source::Shell);
}
