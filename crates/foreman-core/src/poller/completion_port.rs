//! An I/O completion port: the one place where a run on Windows waits.

use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::ptr;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::IO::{
    CreateIoCompletionPort, GetQueuedCompletionStatusEx, OVERLAPPED_ENTRY, PostQueuedCompletionStatus,
};
use windows_sys::Win32::System::SystemServices::{
    JOB_OBJECT_MSG_ABNORMAL_EXIT_PROCESS, JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO, JOB_OBJECT_MSG_EXIT_PROCESS,
};

/// Packets taken at once.
const MAX_PACKETS: usize = 32;

/// Longest single wait; `u32::MAX` milliseconds would mean for ever.
const MAX_WAIT_MS: u128 = 3_600_000;

/// What a packet is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Source {
    /// The job of the run; the number of bytes says which message.
    Job = 1,
    /// The shell has ended.
    Shell = 2,
    /// The host has said something.
    Request = 3,
    /// A read of a pipe is done. The pipe knows which.
    Pipe = 4,
}

/// What a wait brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Woken {
    /// Somebody has ended.
    pub(crate) end: bool,
    /// A request waits.
    pub(crate) request: bool,
    /// Nothing came before the time was over.
    pub(crate) timed_out: bool,
}

/// The port. Packets can be posted from any thread; one thread waits.
#[derive(Debug)]
pub(crate) struct CompletionPort(OwnedHandle);

impl CompletionPort {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: makes a new port that nobody else has; an error is a null handle.
        let handle = unsafe { CreateIoCompletionPort(INVALID_HANDLE_VALUE, ptr::null_mut(), 0, 1) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new and ours.
        Ok(Self(unsafe { OwnedHandle::from_raw_handle(handle) }))
    }

    pub(crate) fn raw(&self) -> HANDLE {
        self.0.as_raw_handle()
    }

    /// Ends of reads of `file` come here from now on.
    pub(crate) fn associate(&self, file: HANDLE) -> io::Result<()> {
        // SAFETY: both handles are open; the association ends with the file.
        let port = unsafe { CreateIoCompletionPort(file, self.raw(), Source::Pipe as usize, 0) };
        if port.is_null() { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Wakes who waits. Fails only when the system has no memory left; who waits looks again now and then.
    pub(crate) fn post(&self, source: Source) {
        // SAFETY: the port is open; no memory is handed over.
        unsafe { PostQueuedCompletionStatus(self.raw(), 0, source as usize, ptr::null()) };
    }

    /// Takes what has come, waiting for the first packet until `until`.
    pub(crate) fn wait(&self, until: Instant) -> Woken {
        let mut packets = [OVERLAPPED_ENTRY::default(); MAX_PACKETS];
        let mut taken = 0;
        // SAFETY: the array has room for so many packets and outlives the call, which writes nothing else.
        let came = unsafe {
            GetQueuedCompletionStatusEx(
                self.raw(),
                packets.as_mut_ptr(),
                MAX_PACKETS as u32,
                &raw mut taken,
                wait_ms(until.saturating_duration_since(Instant::now())),
                0,
            )
        };
        if came == 0 {
            return Woken { timed_out: true, ..Woken::default() };
        }
        let mut woken = Woken::default();
        for packet in &packets[..taken as usize] {
            match packet.lpCompletionKey {
                key if key == Source::Job as usize => woken.end |= is_end(packet.dwNumberOfBytesTransferred),
                key if key == Source::Shell as usize => woken.end = true,
                key if key == Source::Request as usize => woken.request = true,
                _ => {}
            }
        }
        woken
    }
}

const fn is_end(message: u32) -> bool {
    matches!(
        message,
        JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO | JOB_OBJECT_MSG_EXIT_PROCESS | JOB_OBJECT_MSG_ABNORMAL_EXIT_PROCESS
    )
}

/// Rounded up: a wait that ends too early is one more turn for nothing.
fn wait_ms(left: Duration) -> u32 {
    let ms = left.as_micros().div_ceil(1_000).min(MAX_WAIT_MS);
    u32::try_from(ms).unwrap_or(u32::MAX - 1)
}
