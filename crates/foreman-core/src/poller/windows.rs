//! One completion port per run. A packet is only a reason to look: what is true is asked of the pipes and of the job.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Ready;
use super::completion_port::CompletionPort;
use crate::capture::{OutputPipe, Pump, Stream};
use crate::containment::Container;
use crate::link::Link;

/// Messages of a job may be lost ("not guaranteed", says JOBOBJECT_ASSOCIATE_COMPLETION_PORT). Once the shell has ended
/// the last member's end is looked for so often all the same.
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(500);

/// Waits on the port of a run.
#[derive(Debug)]
pub struct Poller {
    port: Arc<CompletionPort>,
}

impl Poller {
    pub(crate) const fn new(port: Arc<CompletionPort>) -> Self {
        Self { port }
    }

    /// Waits until something is due.
    pub fn wait(&self, _: &Link, pump: &Pump, container: &Container, until: Option<Instant>) -> Ready {
        let now = Instant::now();
        let is_orphaned = container.shell_is_collected();
        let mut until = until;
        if is_orphaned {
            let again = now + LOOK_AGAIN_AFTER;
            until = Some(until.map_or(again, |until| until.min(again)));
        }
        if ready_streams(pump, now).iter().any(Option::is_some) {
            until = Some(now);
        }
        let woken = self.port.wait(until);
        Ready {
            end: woken.end || (is_orphaned && woken.timed_out),
            request: woken.request,
            streams: ready_streams(pump, Instant::now()),
        }
    }
}

fn ready_streams(pump: &Pump, now: Instant) -> [Option<Stream>; 2] {
    let mut streams = [None; 2];
    for (slot, (stream, _)) in streams.iter_mut().zip(pump.pollable(now).filter(|(_, pipe)| OutputPipe::is_ready(pipe)))
    {
        *slot = Some(stream);
    }
    streams
}
