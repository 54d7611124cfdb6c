//! A run under way, seen through its events.

use std::sync::mpsc::Receiver;
use std::time::Instant;

use foreman_core::frame::{Event, PromotedBy, Request};
use foreman_core::host::Control;
use foreman_core::outcome::{CaptureError, EndReason, Exit, Snapshot};
use foreman_core::spec::Spec;

use super::{FAILURE_BOUND, Witness};

/// What the shell's caller is told.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) exit: Exit,
    pub(crate) reason: EndReason,
    pub(crate) members_left: bool,
    pub(crate) snapshot: Snapshot,
    pub(crate) capture_error: Option<CaptureError>,
    pub(crate) duration_ms: u64,
}

impl Answer {
    pub(crate) fn stdout(&self) -> String {
        text(&self.snapshot.stdout.head, &self.snapshot.stdout.tail)
    }

    pub(crate) fn stderr(&self) -> String {
        text(&self.snapshot.stderr.head, &self.snapshot.stderr.tail)
    }
}

/// Everything a run left behind.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) answer: Answer,
    pub(crate) exit: Exit,
    pub(crate) reason: EndReason,
    pub(crate) total_bytes: u64,
    pub(crate) capture_error: Option<CaptureError>,
    /// What the output file held when the run had ended.
    pub(crate) log: Vec<u8>,
    pub(crate) folder: tempfile::TempDir,
}

impl Outcome {
    pub(crate) fn stdout(&self) -> String {
        self.answer.stdout()
    }

    pub(crate) fn stderr(&self) -> String {
        self.answer.stderr()
    }

    pub(crate) fn log_text(&self) -> String {
        String::from_utf8_lossy(&self.log).into_owned()
    }
}

fn text(head: &[u8], tail: &[u8]) -> String {
    String::from_utf8_lossy(&[head, tail].concat()).into_owned()
}

/// Ends when it is dropped, whatever the test did.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) spec: Spec,
    pub(crate) witness: Witness,
    pub(crate) control: Control,
    folder: Option<tempfile::TempDir>,
    events: Receiver<Event>,
    seen: Vec<Event>,
    /// How many of `seen` were handed out.
    taken: usize,
    over: bool,
}

impl Run {
    pub(crate) fn new(
        spec: Spec,
        folder: tempfile::TempDir,
        witness: Witness,
        control: Control,
        events: Receiver<Event>,
    ) -> Self {
        Self { spec, witness, control, folder: Some(folder), events, seen: Vec::new(), taken: 0, over: false }
    }

    /// Waits for the next event; events that were waited for are not handed out twice.
    #[track_caller]
    pub(crate) fn next_event(&mut self) -> Event {
        let event = self.events.recv_timeout(FAILURE_BOUND);
        let event = event.unwrap_or_else(|e| panic!("no event ({e}) after {}", self.told()));
        self.over |= matches!(event, Event::Failed { .. } | Event::Ended { .. });
        self.seen.push(event.clone());
        event
    }

    #[track_caller]
    pub(super) fn wait_for<T>(&mut self, pick: impl Fn(&Event) -> Option<T>) -> T {
        loop {
            while self.taken < self.seen.len() {
                self.taken += 1;
                if let Some(found) = pick(&self.seen[self.taken - 1]) {
                    return found;
                }
            }
            self.next_event();
        }
    }

    /// Where the output goes, of a run whose start was waited for already.
    #[track_caller]
    pub(crate) fn started_again(&mut self) -> String {
        let taken = std::mem::take(&mut self.taken);
        let (path, _, _) = self.started();
        self.taken = taken;
        path
    }

    /// (output path, pid of the supervisor, pid of the shell)
    #[track_caller]
    pub(crate) fn started(&mut self) -> (String, i32, i32) {
        self.wait_for(|event| match event {
            Event::Started { output_path, supervisor_pid, shell_pid, .. } => {
                Some((output_path.clone(), *supervisor_pid, *shell_pid))
            }
            Event::Failed { kind, message } => panic!("not started: {kind:?}: {message}"),
            _ => None,
        })
    }

    #[track_caller]
    pub(crate) fn answer(&mut self) -> Answer {
        self.wait_for(|event| match event {
            Event::ShellExited { exit, reason, members_left, snapshot, capture_error, duration_ms } => Some(Answer {
                exit: *exit,
                reason: *reason,
                members_left: *members_left,
                snapshot: snapshot.clone(),
                capture_error: capture_error.clone(),
                duration_ms: *duration_ms,
            }),
            _ => None,
        })
    }

    /// (exit, reason, bytes in all)
    #[track_caller]
    pub(crate) fn ended(&mut self) -> (Exit, EndReason, u64) {
        self.wait_for(|event| match event {
            Event::Ended { exit, reason, total_bytes, .. } => Some((*exit, *reason, *total_bytes)),
            _ => None,
        })
    }

    /// What was said so far, without what was printed while it ran.
    pub(super) fn told(&self) -> String {
        let told = self.seen.iter().filter(|event| !matches!(event, Event::Snapshot(_)));
        told.map(|event| format!("{event:?}")).collect::<Vec<_>>().join("; ")
    }

    /// Whether the shell's end was told once so far.
    pub(crate) fn answered_once(&self) -> bool {
        self.seen.iter().filter(|event| matches!(event, Event::ShellExited { .. })).count() == 1
    }

    #[track_caller]
    pub(crate) fn promoted(&mut self) -> (PromotedBy, Snapshot) {
        self.wait_for(|event| match event {
            Event::Promoted { by, snapshot } => Some((*by, snapshot.clone())),
            _ => None,
        })
    }

    #[track_caller]
    pub(crate) fn snapshot(&mut self) -> Snapshot {
        assert!(self.control.request(&Request::Snapshot { tail_bytes: None }));
        self.wait_for(|event| match event {
            Event::Snapshot(snapshot) => Some(snapshot.clone()),
            _ => None,
        })
    }

    pub(crate) fn stop(&self) -> bool {
        self.request_end(EndReason::Stop, None)
    }

    pub(crate) fn request_end(&self, reason: EndReason, grace_ms: Option<u64>) -> bool {
        self.control.request(&Request::Stop { reason, grace_ms })
    }

    /// Reads the output file until `done` is content, for what promises to be written soon.
    #[track_caller]
    pub(crate) fn log_until(&mut self, path: &str, done: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let give_up_at = Instant::now() + FAILURE_BOUND;
        loop {
            let log = std::fs::read(path).unwrap();
            if done(&log) {
                return log;
            }
            assert!(Instant::now() < give_up_at, "the log stays at {} bytes", log.len());
            std::thread::yield_now();
        }
    }

    /// Waits for the end, and checks what is true of every run: each moment came once and in its order, nothing came
    /// after the last one, and nobody of the run is left.
    #[track_caller]
    pub(crate) fn outcome(mut self) -> Outcome {
        while !self.over {
            self.next_event();
        }
        self.taken = 0;
        let (output_path, _, _) = self.started();
        let answer = self.answer();
        let Some(Event::Ended { exit, reason, total_bytes, capture_error, duration_ms }) = self.seen.last().cloned()
        else {
            panic!("the last word was {:?}", self.seen.last());
        };
        self.witness.expect_over(&self.spec, &output_path);
        assert!(duration_ms >= answer.duration_ms);
        assert_eq!(exit, answer.exit);
        let count = |is: fn(&Event) -> bool| self.seen.iter().filter(|e| is(e)).count();
        assert_eq!(count(|e| matches!(e, Event::Started { .. })), 1, "{}", self.told());
        assert_eq!(count(|e| matches!(e, Event::ShellExited { .. })), 1, "{}", self.told());
        assert!(matches!(self.seen[0], Event::Started { .. }), "{}", self.told());
        assert_eq!(self.events.recv().ok(), None, "an event after the last one");
        assert!(
            !self.control.request(&Request::Snapshot { tail_bytes: None }),
            "a request was taken by a run that is over"
        );
        let log = std::fs::read(&output_path).unwrap_or_default();
        let folder = self.folder.take().unwrap();
        Outcome { answer, exit, reason, total_bytes, capture_error, log, folder }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.over {
            self.request_end(EndReason::Stop, Some(0));
            let until = Instant::now() + FAILURE_BOUND;
            while !self.over && Instant::now() < until {
                match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                    Ok(event) => self.over = matches!(event, Event::Failed { .. } | Event::Ended { .. }),
                    Err(_) => return,
                }
            }
        }
    }
}
