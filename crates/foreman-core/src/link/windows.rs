//! Host and supervisor are threads of one process: requests lie in a queue, events are calls.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::frame::{Event, Request};
use crate::poller::completion_port::{CompletionPort, Source};

/// Who is told of events.
pub(crate) type Listener = Box<dyn FnMut(Event) + Send>;

/// What both sides of a run share.
pub(crate) struct Shared {
    port: Arc<CompletionPort>,
    /// `None`: the run is over.
    requests: Mutex<Option<Vec<Request>>>,
    /// `None` after the last event: who keeps the control of a run that is over keeps no listener.
    listener: Mutex<Option<Listener>>,
}

impl Shared {
    pub(crate) fn new(port: Arc<CompletionPort>, listener: Listener) -> Self {
        Self { port, requests: Mutex::new(Some(Vec::new())), listener: Mutex::new(Some(listener)) }
    }

    /// Queues a request. False when the run is over.
    pub(crate) fn request(&self, request: Request) -> bool {
        let mut requests = self.requests();
        let Some(waiting) = requests.as_mut() else { return false };
        waiting.push(request);
        self.port.post(Source::Request);
        true
    }

    /// Tells an event. After the last one no request is taken.
    pub(crate) fn publish(&self, event: Event) {
        let is_last = matches!(event, Event::Failed { .. } | Event::Ended { .. });
        if is_last {
            *self.requests() = None;
        }
        // A listener that panicked once may be called again: it is the addon's, which keeps nothing half done.
        let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tell) = listener.as_mut() {
            tell(event);
        }
        if is_last {
            *listener = None;
        }
    }

    fn requests(&self) -> MutexGuard<'_, Option<Vec<Request>>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("requests", &*self.requests()).finish_non_exhaustive()
    }
}

/// The supervisor's side.
#[derive(Debug)]
pub struct Link(Arc<Shared>);

impl Link {
    pub(crate) const fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// Never: this thread would be gone with it, and the job of the run closed.
    pub const fn host_is_gone(&self) -> bool {
        false
    }

    /// The requests that have come.
    pub fn receive(&mut self) -> Vec<Request> {
        self.0.requests().as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Says something that must arrive.
    pub fn send(&mut self, event: Event) {
        self.0.publish(event);
    }

    /// Says something that may be asked for again.
    pub fn send_if_room(&mut self, event: Event) {
        self.send(event);
    }

    /// Nothing waits here.
    pub const fn flush_some(&mut self) {}

    /// Nothing waits here.
    pub const fn flush(&mut self) {}
}
