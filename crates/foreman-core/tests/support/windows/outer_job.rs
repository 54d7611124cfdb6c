//! A job around a whole host, as a terminal or a CI runner has one; and a net under tests whose processes nobody else would
//! end.

use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, OpenJobObjectW, SetInformationJobObject,
};
use windows_sys::Win32::System::SystemServices::JOB_OBJECT_ASSIGN_PROCESS;
use windows_sys::Win32::System::Threading::GetCurrentProcess;

/// Ends all its members when it is dropped, or when this program ends.
#[derive(Debug)]
pub(crate) struct OuterJob {
    name: String,
    _handle: OwnedHandle,
}

impl OuterJob {
    /// One with these limits beside.
    pub(crate) fn new(limits: JOB_OBJECT_LIMIT) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("foreman-core-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut extended = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        extended.BasicLimitInformation.LimitFlags = limits | JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: the name ends with a zero, and the structure is the one of its class.
        unsafe {
            let handle = owned(CreateJobObjectW(ptr::null(), wide(&name).as_ptr()));
            let bytes = size_of_val(&extended) as u32;
            let ok = SetInformationJobObject(
                handle.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const extended).cast(),
                bytes,
            );
            assert_ne!(ok, 0, "{}", io::Error::last_os_error());
            Self { name, _handle: handle }
        }
    }

    /// What a program needs to know to join it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Puts this program, and what it starts from now on, into the job of this name.
    pub(crate) fn join(name: &str) {
        // SAFETY: the name ends with a zero; the handle of this process needs no closing.
        unsafe {
            let job = owned(OpenJobObjectW(JOB_OBJECT_ASSIGN_PROCESS, 0, wide(name).as_ptr()));
            assert_ne!(
                AssignProcessToJobObject(job.as_raw_handle(), GetCurrentProcess()),
                0,
                "{}",
                io::Error::last_os_error()
            );
        }
    }
}

/// # Safety
/// A handle that is new and belongs to nobody else, or null.
unsafe fn owned(handle: *mut std::ffi::c_void) -> OwnedHandle {
    assert!(!handle.is_null(), "{}", io::Error::last_os_error());
    // SAFETY: promised by the caller.
    unsafe { OwnedHandle::from_raw_handle(handle) }
}

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}
