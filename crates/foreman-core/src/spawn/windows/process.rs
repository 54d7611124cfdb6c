//! CreateProcess, by hand: std can neither put a process into a job from its start nor say which handles it inherits.

use std::fs::OpenOptions;
use std::io;
use std::mem;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Foundation::{HANDLE, HANDLE_FLAG_INHERIT, SetHandleInformation};
use windows_sys::Win32::System::Threading::{
    CREATE_NO_WINDOW, CREATE_UNICODE_ENVIRONMENT, CreateProcessW, DeleteProcThreadAttributeList,
    EXTENDED_STARTUPINFO_PRESENT, InitializeProcThreadAttributeList, LPPROC_THREAD_ATTRIBUTE_LIST,
    PROC_THREAD_ATTRIBUTE_HANDLE_LIST, PROC_THREAD_ATTRIBUTE_JOB_LIST, PROCESS_INFORMATION, STARTF_USESTDHANDLES,
    STARTUPINFOEXW, UpdateProcThreadAttribute,
};

use super::environment_block::environment_block;
use crate::containment::Job;

/// What to start.
pub(super) struct NewProcess<'a> {
    pub(super) program: &'a str,
    pub(super) command_line: &'a str,
    pub(super) folder: &'a str,
    pub(super) env: &'a [(String, String)],
    /// Inheritable.
    pub(super) out: &'a OwnedHandle,
    /// Inheritable; may be the same as `out`.
    pub(super) err: &'a OwnedHandle,
    pub(super) job: &'a Job,
}

/// Starts it inside its job, by the system itself: there is no moment in which it runs, or stands still, outside of it.
/// Input is at its end. Gives the process and its number.
pub(super) fn start_process(new: &NewProcess<'_>) -> io::Result<(OwnedHandle, u32)> {
    let input = OpenOptions::new().read(true).open("NUL")?;
    // SAFETY: the handle is open.
    if unsafe { SetHandleInformation(input.as_raw_handle(), HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let (out, err) = (new.out.as_raw_handle(), new.err.as_raw_handle());
    // A handle may stand in the list once only.
    let mut inherited = vec![input.as_raw_handle(), out];
    if err != out {
        inherited.push(err);
    }
    let jobs = [new.job.raw()];
    let mut attributes = Attributes::new(2)?;
    attributes.set(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, &inherited)?;
    attributes.set(PROC_THREAD_ATTRIBUTE_JOB_LIST, &jobs)?;

    let mut startup = STARTUPINFOEXW::default();
    startup.StartupInfo.cb = mem::size_of::<STARTUPINFOEXW>() as u32;
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    startup.StartupInfo.hStdInput = input.as_raw_handle();
    startup.StartupInfo.hStdOutput = out;
    startup.StartupInfo.hStdError = err;
    startup.lpAttributeList = attributes.list();
    let mut process = PROCESS_INFORMATION::default();
    let (program, folder) = (wide(new.program), wide(new.folder));
    let mut command_line = wide(new.command_line);
    let env = environment_block(new.env);
    // SAFETY: every pointer is to something that outlives the call; the command line may be written to; handles, attributes
    // and structures are valid, and the first field of an extended startup structure is the plain one.
    let ok = unsafe {
        CreateProcessW(
            program.as_ptr(),
            command_line.as_mut_ptr(),
            ptr::null(),
            ptr::null(),
            1,
            EXTENDED_STARTUPINFO_PRESENT | CREATE_UNICODE_ENVIRONMENT | CREATE_NO_WINDOW,
            env.as_ptr().cast(),
            folder.as_ptr(),
            (&raw const startup).cast(),
            &raw mut process,
        )
    };
    if ok == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: both handles are new and ours. Nobody needs the one of the thread.
    unsafe {
        drop(OwnedHandle::from_raw_handle(process.hThread));
        Ok((OwnedHandle::from_raw_handle(process.hProcess), process.dwProcessId))
    }
}

/// What a new process gets beside the usual. What it points at is borrowed until it is dropped.
struct Attributes<'a> {
    /// Aligned for pointers; its layout is the system's own.
    memory: Vec<usize>,
    _borrowed: std::marker::PhantomData<&'a [HANDLE]>,
}

impl<'a> Attributes<'a> {
    fn new(count: u32) -> io::Result<Self> {
        let mut bytes = 0;
        // SAFETY: without memory it only tells how much it needs.
        unsafe { InitializeProcThreadAttributeList(ptr::null_mut(), count, 0, &raw mut bytes) };
        let mut memory = vec![0_usize; bytes.div_ceil(mem::size_of::<usize>())];
        // SAFETY: the memory has as many bytes as were asked for.
        if unsafe { InitializeProcThreadAttributeList(memory.as_mut_ptr().cast(), count, 0, &raw mut bytes) } == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { memory, _borrowed: std::marker::PhantomData })
    }

    fn set(&mut self, attribute: u32, handles: &'a [HANDLE]) -> io::Result<()> {
        // SAFETY: the list is initialized; the handles outlive it.
        let ok = unsafe {
            UpdateProcThreadAttribute(
                self.list(),
                0,
                attribute as usize,
                handles.as_ptr().cast(),
                mem::size_of_val(handles),
                ptr::null_mut(),
                ptr::null(),
            )
        };
        if ok == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    const fn list(&mut self) -> LPPROC_THREAD_ATTRIBUTE_LIST {
        self.memory.as_mut_ptr().cast()
    }
}

impl Drop for Attributes<'_> {
    fn drop(&mut self) {
        // SAFETY: initialized by `new`.
        unsafe { DeleteProcThreadAttributeList(self.list()) };
    }
}

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}
