//! The life of one run: start, capture, end. The only file that decides anything.
//!
//! Design: docs/design/termination.md, docs/design/capture.md, docs/design/protocol.md.

use std::time::{Duration, Instant};

use crate::capture::{CappedFile, OutputFolder, Pump, errno_name};
use crate::containment::{self, Container, ProcessIdentity};
use crate::error::{Error, ErrorKind, Result};
use crate::escalation::{Escalation, Step};
use crate::frame::{Event, PromotedBy, Request};
use crate::journal::{self, Entry, JOURNAL_FOLDER};
use crate::limits::{CLOSED_AFTER_EXIT, HOST_GONE_GRACE, MAX_DRAIN_AFTER_EXIT, MAX_TIMEOUT, QUIET_AFTER_EXIT};
use crate::link::Link;
use crate::outcome::{CaptureError, EndReason, Exit, StopResult};
use crate::poller::Poller;
use crate::spawn::Spawner;
use crate::spec::{OnTimeout, Spec};

/// Name of the folder that holds the links by which shells find their script.
const SHELL_FOLDER: &str = "shell";

/// Runs one command from its start until its last member is gone, or says why it could not be started.
pub fn supervise(spec: &Spec, mut link: Link, poller: &Poller, spawner: Spawner) {
    match Run::start(spec, &mut link, spawner) {
        Ok(mut run) => run.live(&mut link, poller),
        Err(e) => link.send(Event::Failed { kind: e.kind(), message: e.to_string() }),
    }
    link.flush();
}

/// Everything that is known of a run while it lives.
struct Run<'a> {
    spec: &'a Spec,
    container: Container,
    pump: Pump,
    escalation: Escalation,
    journal: Option<OutputFolder>,
    started_at: Instant,
    timeout_at: Option<Instant>,
    /// Why it ends; the first reason stays.
    reason: EndReason,
    shell_exit: Option<(Exit, Instant)>,
    /// `Promoted` was sent.
    promoted: bool,
    /// `ShellExited` was sent.
    answered: bool,
    /// No member is left.
    empty: bool,
}

impl<'a> Run<'a> {
    fn start(spec: &'a Spec, link: &mut Link, spawner: Spawner) -> Result<Self> {
        spec.validate()?;
        let folders: Vec<&str> = spec.output_folders.iter().map(String::as_str).collect();
        let output = OutputFolder::open_with_base(&spec.output_base, &folders)
            .and_then(|(base, folder)| Ok((base, folder.create_file(&format!("{}.output", spec.id))?)));
        let (base, file, output_path) = match output {
            Ok((base, (file, path))) => (Some(base), CappedFile::new(file, path.clone(), spec.output_cap_bytes), path),
            // Somebody waits for this answer and gets it from memory; a background run has nothing but its file.
            Err(e) if spec.foreground => {
                let base = OutputFolder::open(&spec.output_base, &[]).ok();
                (base, CappedFile::missing(capture_error(spec, &e)), String::new())
            }
            Err(e) => return Err(e),
        };
        let below = |name| base.as_ref().and_then(|base| base.open_below(name).ok());

        let shell = spawner.start(spec, below(SHELL_FOLDER).as_ref()).inspect_err(|_| discard(&output_path))?;
        let started_at = Instant::now();
        let shell_identity = ProcessIdentity::of(shell.pid);
        // First in the journal, then told: a run that somebody knows of can be found by a sweep.
        let journal = below(JOURNAL_FOLDER);
        if let Some(journal) = &journal
            && let Some(entry) = journal_entry(spec, shell_identity, output_path.clone())
        {
            journal::record(journal, &entry);
        }
        link.send(Event::Started {
            output_path,
            supervisor_pid: this_pid(),
            shell_pid: shell.pid,
            shell_start: shell_identity.map(|identity| identity.start),
        });
        Ok(Self {
            spec,
            container: shell.container,
            pump: Pump::new(shell.out, shell.err, file, spec.window_bytes as usize),
            escalation: Escalation::default(),
            journal,
            started_at,
            timeout_at: spec.timeout_ms.map(|ms| started_at + Duration::from_millis(ms).min(MAX_TIMEOUT)),
            reason: EndReason::Natural,
            shell_exit: None,
            promoted: false,
            answered: false,
            empty: false,
        })
    }

    /// One turn: wait until something is due, then look at the facts in the order of their weight: what has ended, what
    /// was asked for, what time it is, what was printed.
    fn live(&mut self, link: &mut Link, poller: &Poller) {
        // What was asked for before the start came along with the spec; no poll will announce it.
        self.hear(link);
        while !self.empty {
            let ready = poller.wait(link, &self.pump, &self.container, self.deadline(Instant::now()));
            if ready.end {
                self.collect(link);
            }
            link.flush_some();
            if ready.request {
                self.hear(link);
            }
            self.on_time(Instant::now(), link);
            for stream in ready.streams.into_iter().flatten() {
                self.pump.read_ready(stream);
            }
            self.answer_when_quiet(Instant::now(), link);
        }
        self.end(link);
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        let quiet = self.quiet_at().filter(|_| !self.answered && !self.escalation.is_under_way());
        let timeout = self.timeout_at.filter(|_| self.shell_exit.is_none());
        [self.pump.deadline(now), self.escalation.deadline(), timeout, quiet].into_iter().flatten().min()
    }

    fn collect(&mut self, link: &mut Link) {
        self.note_ends();
        self.escalation.note_end(Instant::now());
        // What the dead left behind is ours now.
        if !self.empty && self.escalation.is_under_way() {
            self.take(if self.escalation.is_hard() { Step::Hard } else { Step::Polite }, link);
        }
    }

    fn note_ends(&mut self) {
        let reaped = self.container.reap();
        if let Some(exit) = reaped.shell {
            self.shell_exit = Some((exit, Instant::now()));
        }
        self.empty |= reaped.empty;
    }

    fn hear(&mut self, link: &mut Link) {
        for request in link.receive() {
            self.on_request(request, link);
        }
        if link.host_is_gone() {
            self.on_host_gone(link);
        }
    }

    fn on_request(&mut self, request: Request, link: &mut Link) {
        match request {
            Request::Stop { reason, grace_ms } => {
                let grace = Duration::from_millis(grace_ms.unwrap_or(self.spec.grace_ms)).min(MAX_TIMEOUT);
                self.request_end(reason, grace, link);
            }
            Request::Promote => self.promote(PromotedBy::Request, link),
            Request::Snapshot { tail_bytes } => link.send_if_room(Event::Snapshot(match tail_bytes {
                Some(bytes) => self.pump.tail_snapshot(bytes as usize),
                None => self.pump.snapshot(),
            })),
        }
    }

    fn on_host_gone(&mut self, link: &mut Link) {
        let now = Instant::now();
        if self.escalation.is_under_way() {
            self.escalation.shorten_grace(now + HOST_GONE_GRACE);
        } else {
            self.request_end(EndReason::HostGone, HOST_GONE_GRACE.min(Duration::from_millis(self.spec.grace_ms)), link);
        }
    }

    fn on_time(&mut self, now: Instant, link: &mut Link) {
        if self.timeout_at.is_some_and(|at| now >= at) && self.shell_exit.is_none() {
            self.timeout_at = None;
            match self.spec.on_timeout {
                OnTimeout::Stop | OnTimeout::StopAlways => {
                    self.request_end(EndReason::Timeout, Duration::from_millis(self.spec.grace_ms), link);
                }
                OnTimeout::Promote => self.promote(PromotedBy::Timeout, link),
            }
        }
        while let Some(step) = self.escalation.step(now) {
            self.take(step, link);
        }
    }

    /// A natural end that came before the request keeps its reason; what it left behind is ended all the same.
    fn request_end(&mut self, reason: EndReason, grace: Duration, link: &mut Link) {
        self.note_ends();
        if self.empty {
            return;
        }
        if self.reason == EndReason::Natural && self.shell_exit.is_none() {
            self.reason = reason;
        }
        // It would count as a second request.
        self.timeout_at = None;
        if let Some(step) = self.escalation.request(Instant::now(), grace) {
            self.take(step, link);
        }
    }

    fn take(&mut self, step: Step, link: &mut Link) {
        match step {
            Step::Polite => self.container.request_end(),
            Step::PoliteRest => self.container.request_end_of_rest(),
            Step::Hard => self.container.force_end(),
            Step::HardRest => self.container.force_end_of_rest(),
            Step::ReportSurvivors => {
                let survivors = self.container.survivors();
                link.send(Event::StopResult(if survivors.is_empty() {
                    StopResult::Unknown { why: "no process of it can be seen, yet it has not ended".into() }
                } else {
                    StopResult::Survivors(survivors)
                }));
            }
        }
    }

    fn promote(&mut self, by: PromotedBy, link: &mut Link) {
        if self.spec.on_timeout != OnTimeout::StopAlways {
            self.timeout_at = None;
        }
        self.note_ends();
        if self.shell_exit.is_none() && !self.promoted && !self.escalation.is_under_way() {
            self.promoted = true;
            link.send(Event::Promoted { by, snapshot: self.pump.snapshot() });
        }
    }

    /// When members that outlive the shell have been silent for long enough.
    fn quiet_at(&self) -> Option<Instant> {
        let (_, exited_at) = self.shell_exit?;
        if let Some(closed_at) = self.pump.closed_at() {
            // A process closes its files a moment before it is seen to end: it should not be told as one that lives on.
            return Some(exited_at.max(closed_at) + CLOSED_AFTER_EXIT);
        }
        let last = self.pump.last_data_at().map_or(exited_at, |at| at.max(exited_at));
        Some((last + QUIET_AFTER_EXIT).min(exited_at + MAX_DRAIN_AFTER_EXIT))
    }

    /// A run that is being ended is answered when it is empty: only then is it known what the end achieved.
    fn answer_when_quiet(&mut self, now: Instant, link: &mut Link) {
        if !self.answered
            && !self.empty
            && !self.escalation.is_under_way()
            && self.quiet_at().is_some_and(|at| now >= at)
        {
            self.answer(true, link);
        }
    }

    fn answer(&mut self, members_left: bool, link: &mut Link) {
        let Some((exit, exited_at)) = self.shell_exit else { return };
        self.answered = true;
        link.send(Event::ShellExited {
            exit,
            reason: self.reason,
            members_left,
            snapshot: self.pump.snapshot(),
            capture_error: self.pump.error(),
            duration_ms: ms_between(self.started_at, exited_at),
        });
    }

    /// Nobody of ours can write any more: what is in the pipes is all there will be.
    fn end(&mut self, link: &mut Link) {
        self.pump.drain();
        if !self.answered {
            self.answer(false, link);
        }
        if let Some(journal) = &self.journal {
            journal::remove(journal, &self.spec.id);
        }
        let Some((exit, _)) = self.shell_exit else { return };
        link.send(Event::Ended {
            exit,
            reason: self.reason,
            total_bytes: self.pump.total_bytes(),
            capture_error: self.pump.error(),
            duration_ms: ms_between(self.started_at, Instant::now()),
        });
    }
}

/// Nobody was told of the file of a run that did not start.
fn discard(output_path: &str) {
    if !output_path.is_empty() {
        let _ = std::fs::remove_file(output_path);
    }
}

fn ms_between(from: Instant, to: Instant) -> u64 {
    u64::try_from(to.saturating_duration_since(from).as_millis()).unwrap_or(u64::MAX)
}

fn capture_error(spec: &Spec, error: &Error) -> CaptureError {
    let cause = std::error::Error::source(error).and_then(|e| e.downcast_ref::<std::io::Error>());
    CaptureError {
        code: cause.map_or_else(|| ErrorKind::OutputUnwritable.code().to_owned(), errno_name),
        path: spec.output_base.clone(),
        bytes_lost: 0,
    }
}

fn journal_entry(spec: &Spec, shell: Option<ProcessIdentity>, output_path: String) -> Option<Entry> {
    Some(Entry {
        run_id: spec.id.clone(),
        boot_id: containment::boot_id(),
        pid_namespace: containment::pid_namespace(),
        supervisor: ProcessIdentity::of(this_pid())?,
        shell,
        host_pid: spec.host_pid,
        output_path: Some(output_path).filter(|path| !path.is_empty()),
    })
}

/// Numbers of processes are signed where they can be signalled.
fn this_pid() -> i32 {
    std::process::id().cast_signed()
}
