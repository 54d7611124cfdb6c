//! One completion port per run. A packet is only a reason to look: what is true is asked of the pipes and of the job.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Ready;
use super::completion_port::CompletionPort;
use crate::capture::{OutputPipe, Pump, Stream};
use crate::containment::Container;
use crate::link::Link;

/// Messages of a job may be lost ("not guaranteed", says JOBOBJECT_ASSOCIATE_COMPLETION_PORT), and any packet where memory
/// is short; in Wine a wait once went on although the shell had ended and a stop was asked for. So often everything is looked
/// at all the same.
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
    pub fn wait(&self, _: &Link, pump: &Pump, _: &Container, until: Option<Instant>) -> Ready {
        let now = Instant::now();
        let again = now + LOOK_AGAIN_AFTER;
        let has_output = ready_streams(pump, now).iter().any(Option::is_some);
        let until = if has_output { now } else { until.map_or(again, |until| until.min(again)) };
        let woken = self.port.wait(until);
        let look = woken.timed_out && !has_output;
        Ready { end: woken.end || look, request: woken.request || look, streams: ready_streams(pump, Instant::now()) }
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
