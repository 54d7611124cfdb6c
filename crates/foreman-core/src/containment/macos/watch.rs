//! A kernel queue that becomes readable when a member forks or ends, or when it is time to look again.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::kqueue::{Event, EventFilter, EventFlags, ProcessEvents, kevent_timespec, kqueue};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::containment::pursuit::Happened;

/// The only timer of the queue.
const LOOK_AGAIN: isize = 1;

/// Events that are taken out in one go.
const EVENTS: usize = 64;

/// The queue, and who is watched through it.
#[derive(Debug)]
pub(super) struct Watch {
    queue: OwnedFd,
    /// By number; the birth tells whether it is still the same.
    watched: HashMap<i32, u64>,
    timer_is_set: bool,
}

impl Watch {
    /// A queue of this process. No child inherits it.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { queue: kqueue()?, watched: HashMap::new(), timer_is_set: false })
    }

    /// Readable when something has happened.
    pub(super) fn readable(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }

    /// Whether somebody is watched who has not ended yet.
    pub(super) fn has_somebody(&self) -> bool {
        !self.watched.is_empty()
    }

    /// Watches a process from now on. False: it is on its way out, or may not be watched; nothing will tell of its end.
    pub(super) fn add(&mut self, pid: i32, birth: u64) -> bool {
        if self.watched.get(&pid) == Some(&birth) {
            return true;
        }
        let Some(number) = Pid::from_raw(pid) else { return false };
        let filter = EventFilter::Proc { pid: number, flags: ProcessEvents::EXIT | ProcessEvents::FORK };
        let is_added = self.change(filter, EventFlags::ADD | EventFlags::CLEAR).is_ok();
        if is_added {
            self.watched.insert(pid, birth);
        }
        is_added
    }

    /// Makes the queue readable after this time; the first of several wishes counts. Not below a millisecond.
    pub(super) fn look_again_after(&mut self, pause: Duration) {
        if !self.timer_is_set {
            let filter = EventFilter::Timer { ident: LOOK_AGAIN, timer: Some(pause) };
            self.timer_is_set = self.change(filter, EventFlags::ADD | EventFlags::ONESHOT).is_ok();
        }
    }

    fn change(&self, filter: EventFilter, flags: EventFlags) -> rustix::io::Result<()> {
        let change = [Event::new(filter, flags, std::ptr::null_mut())];
        // SAFETY: neither processes nor timers are descriptors. Without room for events an error comes back as such.
        unsafe { kevent_timespec(&self.queue, &change, &mut [] as &mut [Event], Some(&Timespec::default())) }.map(drop)
    }

    /// Takes everything out of the queue, never waiting.
    pub(super) fn take(&mut self) -> Happened {
        let mut happened = Happened::default();
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS);
        loop {
            events.clear();
            // SAFETY: there is no change, so no descriptor is named.
            let taken =
                unsafe { kevent_timespec(&self.queue, &[], spare_capacity(&mut events), Some(&Timespec::default())) };
            match taken {
                Err(Errno::INTR) => {}
                Ok(count) if count > 0 => events.iter().for_each(|event| self.note(event, &mut happened)),
                Ok(_) | Err(_) => return happened,
            }
        }
    }

    fn note(&mut self, event: &Event, happened: &mut Happened) {
        match event.filter() {
            EventFilter::Proc { pid, flags } => {
                let pid = pid.as_raw_pid();
                if flags.contains(ProcessEvents::FORK) {
                    happened.forked.push(pid);
                }
                if flags.contains(ProcessEvents::EXIT) {
                    self.watched.remove(&pid);
                    happened.ended.push(pid);
                }
            }
            EventFilter::Timer { .. } => {
                self.timer_is_set = false;
                happened.is_time = true;
            }
            _ => {}
        }
    }
}
