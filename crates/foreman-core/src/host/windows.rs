//! One thread per run that supervises it inside the host: the end of the host closes the job of the run, and with it ends
//! every member.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::containment::{Job, Usage};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Event, Request};
use crate::link::{Link, Shared};
use crate::outcome::{EndReason, Exit, Snapshot};
use crate::poller::Poller;
use crate::poller::completion_port::CompletionPort;
use crate::spawn::Spawner;
use crate::spec::Spec;
use crate::supervise::supervise;
use crate::threads;

/// How long the members of a run that nobody supervises any more may take to end, before it is said to be over.
const LOSS_BOUND: Duration = Duration::from_millis(2_000);

/// Sends requests to the supervisor of one run, from any thread, never waiting.
#[derive(Debug, Clone)]
pub struct Control {
    shared: Arc<Shared>,
    /// Not kept open from here: its last handle ends the run.
    job: Weak<Job>,
}

impl Control {
    /// Sends a request. False when the run is over.
    pub fn request(&self, request: &Request) -> bool {
        self.shared.request(request.clone())
    }

    /// What the members of the run use now. `None` when it is over, or cannot be looked at.
    pub fn usage(&self) -> Option<Usage> {
        self.job.upgrade()?.usage().ok()
    }
}

/// Starts a run. Returns at once; everything else comes through `on_event`, on another thread, in the order of the
/// protocol: `Started` or `Failed` first, `Ended` last. There is no other executable: `_shim` is not looked at.
///
/// # Errors
/// `BAD_REQUEST` for a spec that cannot be meant; `SPAWN_FAILED` when the system has no more threads, ports or jobs.
pub fn launch(spec: Spec, _shim: Option<&Path>, on_event: impl FnMut(Event) + Send + 'static) -> Result<Control> {
    spec.validate()?;
    let failed = |what: &str, e| Error::io(ErrorKind::SpawnFailed, format!("cannot make {what} for the run"), e);
    let port = Arc::new(CompletionPort::new().map_err(|e| failed("a completion port", e))?);
    let job = Arc::new(Job::new(&port).map_err(|e| failed("a job", e))?);
    let watched = Arc::new(Watched::new(on_event));
    let listener = Arc::clone(&watched);
    let shared = Arc::new(Shared::new(Arc::clone(&port), Box::new(move |event| listener.tell(event))));
    let control = Control { shared: Arc::clone(&shared), job: Arc::downgrade(&job) };
    threads::spawn(Box::new(move || {
        let (poller, spawner) = (Poller::new(Arc::clone(&port)), Spawner::new(port, Arc::clone(&job)));
        // A fault of ours must not take pi down. What it left half done is dropped, and not looked at again.
        let ran = catch_unwind(AssertUnwindSafe(|| supervise(&spec, Link::new(Arc::clone(&shared)), &poller, spawner)));
        if ran.is_err() || !watched.is_over() {
            job.terminate_until_empty(LOSS_BOUND);
            for event in watched.loss() {
                shared.publish(event);
            }
        }
    }))
    .map_err(|e| Error::io(ErrorKind::SpawnFailed, "cannot start a thread for the run", e))?;
    Ok(control)
}

/// The listener, and what it was told: enough to end its run in its place.
struct Watched {
    told: Mutex<Told>,
    on_event: Mutex<Box<dyn FnMut(Event) + Send>>,
    launched_at: Instant,
}

#[derive(Clone, Default)]
struct Told {
    /// Where the output of a run that was started goes.
    output_path: Option<String>,
    exit: Option<Exit>,
    over: bool,
}

impl Watched {
    fn new(on_event: impl FnMut(Event) + Send + 'static) -> Self {
        Self { told: Mutex::default(), on_event: Mutex::new(Box::new(on_event)), launched_at: Instant::now() }
    }

    fn tell(&self, event: Event) {
        {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            match &event {
                Event::Started { output_path, .. } => told.output_path = Some(output_path.clone()),
                Event::ShellExited { exit, .. } => told.exit = Some(*exit),
                Event::Failed { .. } | Event::Ended { .. } => told.over = true,
                Event::Promoted { .. } | Event::Snapshot(_) | Event::StopResult(_) => {}
            }
        }
        (self.on_event.lock().unwrap_or_else(PoisonError::into_inner))(event);
    }

    fn told(&self) -> Told {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_over(&self) -> bool {
        self.told().over
    }

    /// What is left to be told of a run whose supervision broke off.
    fn loss(&self) -> Vec<Event> {
        let told = self.told();
        let reason = EndReason::SupervisorLost;
        let duration_ms = u64::try_from(self.launched_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        let exit = told.exit.unwrap_or(Exit::Signal(9));
        if told.over {
            return Vec::new();
        }
        let Some(output_path) = told.output_path else {
            let message = "the supervision of the command broke off; what it may have started was ended";
            return vec![Event::Failed { kind: ErrorKind::SupervisorLost, message: message.to_owned() }];
        };
        let mut events = Vec::new();
        if told.exit.is_none() {
            let snapshot = Snapshot::default();
            let (members_left, capture_error) = (false, None);
            events.push(Event::ShellExited { exit, reason, members_left, snapshot, capture_error, duration_ms });
        }
        let total_bytes = std::fs::symlink_metadata(output_path).map_or(0, |file| file.len());
        events.push(Event::Ended { exit, reason, total_bytes, capture_error: None, duration_ms });
        events
    }
}
