//! Two pipes: requests come over one, events go over the other.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::error::Result;
use crate::frame::{self, Event, FrameReader, Request};
use crate::spec::Spec;

/// Messages that may be dropped are dropped while so many bytes wait for the host.
const ROOM_BYTES: usize = 1024 * 1024;

/// Most specs fit. Zeroing more at every start would touch pages for nothing.
const READ_BYTES: usize = 8 * 1024;

/// Control pipe, event pipe, and what could not be written yet.
#[derive(Debug)]
pub struct Link {
    control: Option<OwnedFd>,
    events: Option<OwnedFd>,
    reader: FrameReader,
    unsent: Vec<u8>,
}

impl Link {
    /// Takes over both pipes and reads the first frame, waiting for it.
    ///
    /// # Errors
    /// With the link, so that they can be told to the host: `VERSION_SKEW`, `BAD_REQUEST`. `None` when the host was gone
    /// before it said anything.
    pub fn open(control: OwnedFd, events: OwnedFd) -> Option<(Self, Result<Spec>)> {
        let mut link =
            Self { control: Some(control), events: Some(events), reader: FrameReader::default(), unsent: Vec::new() };
        let spec = loop {
            match link.reader.next_body() {
                Ok(Some(body)) => break frame::decode_launch(body),
                Ok(None) => {}
                Err(e) => break Err(e),
            }
            if !link.read_control() {
                return None;
            }
        };
        for end in [&link.control, &link.events].into_iter().flatten() {
            // A pipe that stays blocking costs promptness, not correctness.
            let _ = rustix::fs::fcntl_setfl(end, OFlags::NONBLOCK);
        }
        Some((link, spec))
    }

    /// The control pipe, while the host is there.
    pub fn control(&self) -> Option<BorrowedFd<'_>> {
        self.control.as_ref().map(AsFd::as_fd)
    }

    /// The event pipe, while something waits to be written.
    pub fn blocked_events(&self) -> Option<BorrowedFd<'_>> {
        self.events.as_ref().filter(|_| !self.unsent.is_empty()).map(AsFd::as_fd)
    }

    /// Whether the control pipe has ended.
    pub const fn host_is_gone(&self) -> bool {
        self.control.is_none()
    }

    /// The requests that have come. A stream that is out of step is the end of the host as far as we can know.
    pub fn receive(&mut self) -> Vec<Request> {
        if !self.read_control() {
            self.control = None;
        }
        let mut requests = Vec::new();
        loop {
            match self.reader.next_body() {
                Ok(Some(body)) => match frame::decode(body) {
                    Ok(request) => requests.push(request),
                    Err(_) => self.control = None,
                },
                Ok(None) => return requests,
                Err(_) => {
                    self.control = None;
                    return requests;
                }
            }
        }
    }

    /// Says something that must arrive.
    pub fn send(&mut self, event: Event) {
        if self.events.is_some()
            && let Ok(frame) = frame::encode(&event)
        {
            self.unsent.extend_from_slice(&frame);
            self.flush_some();
        }
    }

    /// Says something that may be asked for again.
    pub fn send_if_room(&mut self, event: Event) {
        if self.unsent.len() < ROOM_BYTES {
            self.send(event);
        }
    }

    /// Writes what the pipe takes now.
    pub fn flush_some(&mut self) {
        let Some(events) = &self.events else { return };
        let mut sent = 0;
        while sent < self.unsent.len() {
            match rustix::io::write(events, &self.unsent[sent..]) {
                Ok(n) => sent += n,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => {
                    self.events = None;
                    self.unsent.clear();
                    return;
                }
            }
        }
        self.unsent.drain(..sent);
    }

    /// Writes all of it, however long the host is stopped, unless it is gone.
    pub fn flush(&mut self) {
        self.flush_some();
        while let Some(events) = self.blocked_events() {
            // An end of the other side is an error of the next write.
            let _ = poll(&mut [PollFd::from_borrowed_fd(events, PollFlags::OUT)], None);
            self.flush_some();
        }
    }

    /// False at the end of the pipe.
    fn read_control(&mut self) -> bool {
        let Some(control) = &self.control else { return false };
        let mut buffer = [0; READ_BYTES];
        loop {
            match rustix::io::read(control, &mut buffer[..]) {
                Ok(0) => return false,
                Ok(n) => {
                    self.reader.push(&buffer[..n]);
                    return true;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return true,
                Err(_) => return false,
            }
        }
    }
}
