//! `poll`, with SIGCHLD made readable.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::SIGCHLD;

use super::Ready;
use crate::capture::Pump;
use crate::containment::Container;
use crate::link::Link;

/// Notices ended children from its making on.
#[derive(Debug)]
pub struct Poller {
    child_ended: OwnedFd,
}

impl Poller {
    /// Make it before the first child is started.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub fn new() -> io::Result<Self> {
        let (child_ended, write) = UnixStream::pair()?;
        child_ended.set_nonblocking(true)?;
        signal_hook::low_level::pipe::register(SIGCHLD, write)?;
        Ok(Self { child_ended: child_ended.into() })
    }

    /// Waits until something is due.
    pub fn wait(&self, link: &Link, pump: &Pump, container: &Container, until: Option<Instant>) -> Ready {
        let now = Instant::now();
        let mut streams = [None; 2];
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(6);
        fds.push(PollFd::new(&self.child_ended, PollFlags::IN));
        // A descriptor that poll should pass over would be negative; one that is not there is simply not asked.
        let stranger = container.stranger_ended().map(|fd| push(&mut fds, fd, PollFlags::IN));
        let control = link.control().map(|fd| push(&mut fds, fd, PollFlags::IN));
        if let Some(events) = link.blocked_events() {
            push(&mut fds, events, PollFlags::OUT);
        }
        let first_pipe = fds.len();
        for (slot, (stream, pipe)) in streams.iter_mut().zip(pump.pollable(now)) {
            *slot = Some(stream);
            fds.push(PollFd::new(pipe, PollFlags::IN));
        }
        let timeout = until.and_then(|until| Timespec::try_from(until.saturating_duration_since(now)).ok());
        if poll(&mut fds, timeout.as_ref()).is_err() {
            return Ready::default();
        }
        for (slot, fd) in streams.iter_mut().zip(&fds[first_pipe..]) {
            if fd.revents().is_empty() {
                *slot = None;
            }
        }
        let is_ready = |at: usize| !fds[at].revents().is_empty();
        let child_ended = is_ready(0);
        let ready = Ready {
            end: child_ended || stranger.is_some_and(is_ready),
            request: control.is_some_and(is_ready),
            streams,
        };
        if child_ended {
            self.forget_signals();
        }
        ready
    }

    fn forget_signals(&self) {
        let mut woken = [0; 64];
        while rustix::io::read(&self.child_ended, &mut woken[..]).is_ok_and(|n| n == woken.len()) {}
    }
}

fn push<'fd>(fds: &mut Vec<PollFd<'fd>>, fd: BorrowedFd<'fd>, flags: PollFlags) -> usize {
    fds.push(PollFd::from_borrowed_fd(fd, flags));
    fds.len() - 1
}
