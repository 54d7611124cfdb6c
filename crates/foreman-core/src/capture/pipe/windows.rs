//! A named pipe with one overlapped reading end. One read is always asked for ahead, into a buffer of ours; its end wakes
//! the completion port of the run.

use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{
    ERROR_BROKEN_PIPE, ERROR_IO_PENDING, ERROR_OPERATION_ABORTED, GENERIC_WRITE, INVALID_HANDLE_VALUE, STATUS_PENDING,
};
use windows_sys::Win32::Security::SECURITY_ATTRIBUTES;
use windows_sys::Win32::Storage::FileSystem::{
    CreateFileW, FILE_FLAG_FIRST_PIPE_INSTANCE, FILE_FLAG_OVERLAPPED, FILE_READ_ATTRIBUTES, OPEN_EXISTING,
    PIPE_ACCESS_INBOUND, ReadFile, SECURITY_IDENTIFICATION, SECURITY_SQOS_PRESENT, SetFileCompletionNotificationModes,
};
use windows_sys::Win32::System::IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED};
use windows_sys::Win32::System::Pipes::{
    CreateNamedPipeW, PIPE_READMODE_BYTE, PIPE_REJECT_REMOTE_CLIENTS, PIPE_TYPE_BYTE, PIPE_WAIT,
};

use windows_sys::Win32::System::WindowsProgramming::FILE_SKIP_COMPLETION_PORT_ON_SUCCESS;

use crate::limits::PIPE_BYTES;
use crate::poller::completion_port::CompletionPort;

/// What one read may bring. The system keeps a buffer of this size for a read that waits.
const READ_BYTES: usize = 64 * 1024;

/// A read that was cancelled ends at once; after so long its memory is given up instead.
const MAX_CANCEL: Duration = Duration::from_secs(1);

/// The reading end.
#[derive(Debug)]
pub struct OutputPipe {
    handle: OwnedHandle,
    port: Arc<CompletionPort>,
    /// From `Box::into_raw`: the system writes to it while a read waits. Null once it was given up.
    overlapped: *mut OVERLAPPED,
    /// Written to by the system while a read waits, and not looked at then.
    buffer: Vec<u8>,
    /// What of the buffer was not handed out yet.
    from: usize,
    to: usize,
    state: State,
    /// Nothing is asked for ahead any more.
    is_last: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Waiting,
    Ended,
}

impl OutputPipe {
    /// Whether a pump may look away to let many small writes become one read. Not here: the shortest sleep of Windows is up
    /// to 16 ms, in which a writer fills the pipe many times.
    pub(crate) const MAY_NAP: bool = false;

    /// A pipe whose reads wake `port`, and the end for who writes, which children inherit when they are given it.
    ///
    /// # Errors
    /// When the system has no room left.
    pub(crate) fn pair(port: &Arc<CompletionPort>) -> io::Result<(Self, OwnedHandle)> {
        let name = unique_name();
        // SAFETY: the name ends with a zero and outlives the call; no security descriptor is passed, so only this user and
        // administrators may write.
        let raw = unsafe {
            CreateNamedPipeW(
                name.as_ptr(),
                PIPE_ACCESS_INBOUND | FILE_FLAG_FIRST_PIPE_INSTANCE | FILE_FLAG_OVERLAPPED,
                PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS,
                1,
                0,
                PIPE_BYTES as u32,
                0,
                ptr::null(),
            )
        };
        let handle = owned(raw)?;
        port.associate(handle.as_raw_handle())?;
        // SAFETY: the handle is open. A read that is done at once then leaves no packet; refused, it leaves one for nothing.
        unsafe {
            SetFileCompletionNotificationModes(handle.as_raw_handle(), FILE_SKIP_COMPLETION_PORT_ON_SUCCESS as u8)
        };
        let inheritable = SECURITY_ATTRIBUTES {
            nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
            lpSecurityDescriptor: ptr::null_mut(),
            bInheritHandle: 1,
        };
        // SAFETY: as above; the attributes outlive the call. Whoever made a pipe of this name before us made the first call
        // fail, so it is ours that is opened.
        let raw = unsafe {
            CreateFileW(
                name.as_ptr(),
                GENERIC_WRITE | FILE_READ_ATTRIBUTES,
                0,
                &raw const inheritable,
                OPEN_EXISTING,
                SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION,
                ptr::null_mut(),
            )
        };
        let write = owned(raw)?;
        let mut pipe = Self {
            handle,
            port: Arc::clone(port),
            overlapped: Box::into_raw(Box::default()),
            buffer: vec![0; READ_BYTES],
            from: 0,
            to: 0,
            state: State::Idle,
            is_last: false,
        };
        pipe.start_read()?;
        Ok((pipe, write))
    }

    /// Whether [`Self::read`] has something to say.
    pub(crate) fn is_ready(&self) -> bool {
        self.from < self.to || self.state != State::Waiting || self.is_done()
    }

    /// Reads what is there. 0: nobody can write any more.
    ///
    /// # Errors
    /// `WouldBlock` when nothing is there now.
    pub fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        loop {
            let now = (self.to - self.from).min(out.len() - filled);
            out[filled..filled + now].copy_from_slice(&self.buffer[self.from..self.from + now]);
            self.from += now;
            filled += now;
            if filled == out.len() || self.from < self.to {
                return Ok(filled);
            }
            let more = match self.state {
                State::Ended => return Ok(filled),
                State::Idle => self.start_read().map(|()| true),
                State::Waiting if !self.is_last && !self.is_done() => Ok(false),
                State::Waiting => self.finish_read(),
            };
            match more {
                Ok(true) => {}
                // Trouble that comes behind bytes is met again by the next read.
                _ if filled > 0 => return Ok(filled),
                Ok(false) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(e) => return Err(e),
            }
        }
    }

    /// How much it holds.
    pub(crate) const fn capacity_bytes(&self) -> usize {
        PIPE_BYTES
    }

    /// What was written and not read yet is at most this: what the pipe holds, and what was read ahead.
    pub(crate) const fn max_unread_bytes(&self) -> usize {
        PIPE_BYTES + READ_BYTES
    }

    /// From now on [`Self::read`] gives what was written before it was called, to the byte, and asks for nothing ahead: a
    /// stranger who was handed the other end cannot hold us up.
    pub(crate) const fn stop_waiting(&mut self) {
        self.is_last = true;
    }

    /// Asks for the next bytes.
    fn start_read(&mut self) -> io::Result<()> {
        (self.from, self.to) = (0, 0);
        // SAFETY: no read is under way (the state is idle), so both are ours; they stay where they are until it is done.
        let done = unsafe {
            *self.overlapped = OVERLAPPED::default();
            ReadFile(
                self.handle.as_raw_handle(),
                self.buffer.as_mut_ptr(),
                READ_BYTES as u32,
                ptr::null_mut(),
                self.overlapped,
            )
        };
        if done != 0 {
            return self.take_result().map(drop);
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error().map(i32::cast_unsigned) {
            Some(ERROR_IO_PENDING) => self.state = State::Waiting,
            Some(ERROR_BROKEN_PIPE) => self.state = State::Ended,
            _ => return Err(error),
        }
        Ok(())
    }

    /// Ends the read that waits, if it has not ended. Whether it brought anything, the end of the pipe included.
    fn finish_read(&mut self) -> io::Result<bool> {
        if !self.is_done() && !self.cancel() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.state = State::Idle;
        self.take_result()
    }

    /// False: it was cancelled.
    fn take_result(&mut self) -> io::Result<bool> {
        let mut bytes = 0;
        // SAFETY: the read is done, the memory is ours again; the call does not wait.
        let ok = unsafe { GetOverlappedResult(self.handle.as_raw_handle(), self.overlapped, &raw mut bytes, 0) };
        if ok != 0 {
            (self.from, self.to) = (0, (bytes as usize).min(READ_BYTES));
            return Ok(true);
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error().map(i32::cast_unsigned) {
            Some(ERROR_BROKEN_PIPE) => self.state = State::Ended,
            Some(ERROR_OPERATION_ABORTED) => return Ok(false),
            _ => return Err(error),
        }
        Ok(true)
    }

    fn is_done(&self) -> bool {
        // SAFETY: the memory lives as long as `self`; the system may be writing to this one word.
        let status = unsafe { ptr::read_volatile(&raw const (*self.overlapped).Internal) };
        status != STATUS_PENDING as usize
    }

    /// Whether the read is over. Its status may be written only when its packet is taken from the port; other packets that
    /// are taken with it are reasons to look for who is at the end of its run, and no longer needed.
    fn cancel(&mut self) -> bool {
        // SAFETY: both are valid; that there is nothing to cancel any more is no trouble.
        unsafe { CancelIoEx(self.handle.as_raw_handle(), self.overlapped) };
        let give_up_at = Instant::now() + MAX_CANCEL;
        while !self.is_done() {
            if Instant::now() >= give_up_at {
                return false;
            }
            self.port.wait(Instant::now() + Duration::from_millis(10));
        }
        true
    }
}

impl Drop for OutputPipe {
    fn drop(&mut self) {
        if self.state == State::Waiting && !self.is_done() && !self.cancel() {
            // The system may still write to it: better lost than given to somebody else.
            std::mem::forget(std::mem::take(&mut self.buffer));
            return;
        }
        // SAFETY: it came from `Box::into_raw`, and no read is under way.
        drop(unsafe { Box::from_raw(self.overlapped) });
    }
}

fn owned(raw: windows_sys::Win32::Foundation::HANDLE) -> io::Result<OwnedHandle> {
    if raw == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new and ours.
    Ok(unsafe { OwnedHandle::from_raw_handle(raw) })
}

/// A name that nobody can guess, and that is used once.
fn unique_name() -> Vec<u16> {
    use std::hash::{BuildHasher as _, Hasher as _};

    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // The keys of std's hasher are random.
    let random = std::hash::RandomState::new().build_hasher().finish();
    let name = format!(r"\\.\pipe\pi-foreman-{}-{number}-{random:016x}", std::process::id());
    name.encode_utf16().chain([0]).collect()
}
