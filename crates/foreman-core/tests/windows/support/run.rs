//! A run that was started, and what it said.

use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use foreman_core::frame::{Event, PromotedBy, Request};
use foreman_core::host::Control;
use foreman_core::outcome::{CaptureError, EndReason, Exit, Snapshot, StreamWindow};
use foreman_core::spec::Spec;

use super::{FAILURE_BOUND, LOOK_PAUSE, Members, TREE_ALIVE, TREE_READY};

/// Everything that was said of a run that is over.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) exit: Exit,
    pub(crate) reason: EndReason,
    pub(crate) members_left: bool,
    pub(crate) total_bytes: u64,
    pub(crate) capture_error: Option<CaptureError>,
    /// What the output file held when the run had ended.
    pub(crate) log: Vec<u8>,
    pub(crate) snapshot: Snapshot,
    pub(crate) folder: tempfile::TempDir,
}

impl Outcome {
    pub(crate) fn stdout(&self) -> String {
        text(&self.snapshot.stdout)
    }

    /// Without what the MSYS runtime says under Wine and nowhere else.
    pub(crate) fn stderr(&self) -> String {
        without_wine(&text(&self.snapshot.stderr))
    }

    pub(crate) fn log_text(&self) -> String {
        without_wine(&String::from_utf8_lossy(&self.log))
    }
}

/// Wine lets no program look for FAST_CWD, and the runtime warns of that in five lines and an empty one.
fn without_wine(text: &str) -> String {
    const FIRST: &str = "Cygwin WARNING:\n";
    const LAST: &str = "https://cygwin.com/problems.html\n\n";
    let text = text.replace("\r\n", "\n");
    let mut text = text.as_str();
    let mut kept = String::new();
    while let Some((before, rest)) = text.split_once(FIRST) {
        kept.push_str(before.trim_end_matches(' '));
        text = rest.split_once(LAST).map_or("", |(_, after)| after);
    }
    kept + text
}

fn text(window: &StreamWindow) -> String {
    String::from_utf8_lossy(&[&window.head[..], &window.tail[..]].concat()).into_owned()
}

/// Ends when it is dropped, whatever the test did.
#[derive(Debug)]
pub(crate) struct Run {
    /// Shown when a test fails.
    #[expect(dead_code, reason = "read by Debug")]
    pub(crate) spec: Spec,
    pub(crate) control: Control,
    folder: Option<tempfile::TempDir>,
    events: Receiver<Event>,
    seen: Vec<Event>,
    taken: usize,
    over: bool,
}

impl Run {
    pub(crate) fn new(spec: Spec, folder: tempfile::TempDir, control: Control, events: Receiver<Event>) -> Self {
        Self { spec, control, folder: Some(folder), events, seen: Vec::new(), taken: 0, over: false }
    }

    #[track_caller]
    fn next_event(&mut self) -> Event {
        let event = self.events.recv_timeout(FAILURE_BOUND);
        let event = event.unwrap_or_else(|e| panic!("no event ({e}) after {}", self.told()));
        self.over |= matches!(event, Event::Failed { .. } | Event::Ended { .. });
        self.seen.push(event.clone());
        event
    }

    /// Waits for an event; those that were waited for are not handed out twice.
    #[track_caller]
    pub(crate) fn wait_for<T>(&mut self, pick: impl Fn(&Event) -> Option<T>) -> T {
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

    /// (output path, pid of the shell)
    #[track_caller]
    pub(crate) fn started(&mut self) -> (String, i32) {
        self.wait_for(|event| match event {
            Event::Started { output_path, shell_pid, .. } => Some((output_path.clone(), *shell_pid)),
            Event::Failed { kind, message } => panic!("not started: {kind:?}: {message}"),
            _ => None,
        })
    }

    /// (exit, members left)
    #[track_caller]
    pub(crate) fn answer(&mut self) -> (Exit, bool) {
        self.wait_for(|event| match event {
            Event::ShellExited { exit, members_left, .. } => Some((*exit, *members_left)),
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

    #[track_caller]
    pub(crate) fn promoted(&mut self) -> PromotedBy {
        self.wait_for(|event| match event {
            Event::Promoted { by, .. } => Some(*by),
            _ => None,
        })
    }

    #[track_caller]
    pub(crate) fn stdout_now(&mut self) -> String {
        assert!(self.control.request(&Request::Snapshot { tail_bytes: None }), "it is over: {}", self.told());
        self.wait_for(|event| match event {
            Event::Snapshot(snapshot) => Some(text(&snapshot.stdout)),
            Event::ShellExited { exit, snapshot, .. } => {
                panic!("the shell has ended: {exit:?} {:?} {:?}", text(&snapshot.stdout), text(&snapshot.stderr))
            }
            _ => None,
        })
    }

    /// What was said so far, without what was printed while it ran.
    fn told(&self) -> String {
        let told: Vec<String> = self
            .seen
            .iter()
            .filter_map(|event| match event {
                Event::Snapshot(_) => None,
                Event::ShellExited { exit, snapshot, .. } => {
                    Some(format!("{exit:?} {:?} {:?}", text(&snapshot.stdout), text(&snapshot.stderr)))
                }
                other => Some(format!("{other:?}")),
            })
            .collect();
        told.join("; ")
    }

    /// Asks for what was printed until `pick` finds something.
    #[track_caller]
    pub(crate) fn wait_for_output<T>(&mut self, what: &str, pick: impl Fn(&str) -> Option<T>) -> T {
        let give_up_at = Instant::now() + FAILURE_BOUND;
        loop {
            let text = self.stdout_now();
            if let Some(found) = pick(&text) {
                return found;
            }
            assert!(Instant::now() < give_up_at, "no {what} in {text:?}");
            std::thread::sleep(LOOK_PAUSE);
        }
    }

    /// Waits until so many members have said that they are ready, and are alive.
    #[track_caller]
    pub(crate) fn members(&mut self, count: usize) -> Members {
        let members = self.wait_for_output("members", |text| Members::in_output(text, count));
        members.expect_all_alive(count);
        members
    }

    /// Waits for a [`TREE`](super::TREE) to stand.
    #[track_caller]
    pub(crate) fn tree(&mut self) -> Members {
        let members = self.wait_for_output("a tree", |text| Members::in_output(text, TREE_READY));
        members.expect_all_alive(TREE_ALIVE);
        members
    }

    pub(crate) fn stop(&self) -> bool {
        self.request_end(EndReason::Stop, None)
    }

    pub(crate) fn request_end(&self, reason: EndReason, grace_ms: Option<u64>) -> bool {
        self.control.request(&Request::Stop { reason, grace_ms })
    }

    /// Waits for the end, and checks what is true of every run: each moment came once and in its order, nothing came
    /// after the last one, and nothing of ours is left on the disk but the output.
    #[track_caller]
    pub(crate) fn outcome(mut self) -> Outcome {
        while !self.over {
            self.next_event();
        }
        self.taken = 0;
        let (output_path, _) = self.started();
        let Some(Event::Ended { exit, reason, total_bytes, capture_error, .. }) = self.seen.last().cloned() else {
            panic!("the last word was {:?}", self.seen.last());
        };
        let (answered, members_left, snapshot) = self.wait_for(|event| match event {
            Event::ShellExited { exit, members_left, snapshot, .. } => Some((*exit, *members_left, snapshot.clone())),
            _ => None,
        });
        assert_eq!(exit, answered);
        let count = |is: fn(&Event) -> bool| self.seen.iter().filter(|e| is(e)).count();
        assert_eq!(count(|e| matches!(e, Event::Started { .. })), 1, "{}", self.told());
        assert_eq!(count(|e| matches!(e, Event::ShellExited { .. })), 1, "{}", self.told());
        assert!(matches!(self.seen[0], Event::Started { .. }), "{}", self.told());
        assert_eq!(self.events.recv().ok(), None, "an event after the last one");
        assert!(!self.control.request(&Request::Promote), "a request was taken by a run that is over");
        let base = Path::new(&output_path).ancestors().nth(3).unwrap();
        assert_eq!(files_below(&base.join("shell")), 0, "the script is left on the disk");
        assert_eq!(files_below(&base.join("journal")), 0, "the journal entry is left on the disk");
        let log = std::fs::read(&output_path).unwrap_or_default();
        let folder = self.folder.take().unwrap();
        Outcome { exit, reason, members_left, total_bytes, capture_error, log, snapshot, folder }
    }
}

fn files_below(folder: &Path) -> usize {
    std::fs::read_dir(folder).into_iter().flatten().count()
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.over {
            self.request_end(EndReason::Stop, Some(0));
            while !self.over {
                match self.events.recv_timeout(FAILURE_BOUND) {
                    Ok(event) => self.over = matches!(event, Event::Failed { .. } | Event::Ended { .. }),
                    Err(_) => return,
                }
            }
        }
    }
}
