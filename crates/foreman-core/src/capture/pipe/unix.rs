//! A pipe of the kernel, set not to block.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::OFlags;

use crate::limits::PIPE_BYTES;

/// The reading end. Becomes readable for `poll` with data and at its end.
#[derive(Debug)]
pub struct OutputPipe(OwnedFd);

impl OutputPipe {
    /// Whether a pump may look away to let many small writes become one read.
    pub(crate) const MAY_NAP: bool = true;

    /// A pipe, and the end for who writes.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub fn pair() -> io::Result<(Self, OwnedFd)> {
        let (read, write) = io::pipe()?;
        let read = OwnedFd::from(read);
        // Refused when the user's pipe budget is used up; the pipe is smaller then, and looked at more often.
        #[cfg(target_os = "linux")]
        let _ = rustix::pipe::fcntl_setpipe_size(&read, PIPE_BYTES);
        rustix::fs::fcntl_setfl(&read, OFlags::NONBLOCK)?;
        Ok((Self(read), write.into()))
    }

    /// Reads what is there. 0: nobody can write any more.
    ///
    /// # Errors
    /// `WouldBlock` when nothing is there now.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(&self.0, buffer)?)
    }

    /// How much it holds.
    pub(crate) fn capacity_bytes(&self) -> usize {
        #[cfg(target_os = "linux")]
        if let Ok(bytes) = rustix::pipe::fcntl_getpipe_size(&self.0) {
            return bytes;
        }
        PIPE_BYTES
    }

    /// What was written and not read yet is at most this.
    pub(crate) fn max_unread_bytes(&self) -> usize {
        rustix::io::ioctl_fionread(&self.0).map_or_else(|_| self.capacity_bytes(), |bytes| bytes as usize)
    }

    /// What is read from now on is the rest. Nothing was asked for ahead here.
    pub(crate) const fn stop_waiting(&mut self) {}
}

impl AsFd for OutputPipe {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
