//! A host that is a process of its own, for tests in which the host dies, stops, ignores signals or is somebody else.
//!
//! It is this test program once more, running only [`helper_host`].

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;

use foreman_core::frame::{Event, Request};
use foreman_core::journal;
use foreman_core::outcome::EndReason;
use foreman_core::spec::Spec;
use serde::{Deserialize, Serialize};

use super::{Leftovers, open_to_all, programs};

/// Where the plan of a helper host lies.
const PLAN: &str = "FOREMAN_CORE_TEST_PLAN";

/// What a helper host does.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct HostPlan {
    /// Starts these at once, tells their events, and stops them when it reads a line.
    pub(crate) runs: Vec<Spec>,
    /// Sweeps these folders first.
    pub(crate) sweep: Vec<String>,
    /// Another supervisor than the one that was built here.
    pub(crate) shim: Option<PathBuf>,
    /// Another copy of this test program.
    pub(crate) program: Option<PathBuf>,
    /// The name of a job that it joins first.
    #[cfg(windows)]
    pub(crate) job: Option<String>,
}

/// A word of a helper host.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Word {
    /// Run number …, its event.
    Event(usize, Event),
    /// Ids of the runs that a sweep ended.
    Swept(Vec<String>),
    /// All runs are over, and this is what they left in the host.
    Done(Leftovers),
}

/// A helper host; killed when it is dropped.
#[derive(Debug)]
pub(crate) struct HelperHost {
    pub(super) child: Child,
    words: BufReader<ChildStdout>,
    _plan: tempfile::NamedTempFile,
}

impl HelperHost {
    pub(crate) fn start(plan: HostPlan, adjust: impl FnOnce(&mut Command)) -> Self {
        let plan = HostPlan { shim: plan.shim.or_else(|| programs().0), ..plan };
        let program = plan.program.clone().unwrap_or_else(|| std::env::current_exe().unwrap());
        let file = tempfile::NamedTempFile::new().unwrap();
        serde_json::to_writer(&file, &plan).unwrap();
        open_to_all(file.path(), false);
        let mut command = Command::new(program);
        command
            .args(["--exact", "support::helper_host::helper_host", "--ignored", "--nocapture"])
            .env(PLAN, file.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        adjust(&mut command);
        let mut child = command.spawn().unwrap();
        let words = BufReader::new(child.stdout.take().unwrap());
        Self { child, words, _plan: file }
    }

    /// Kills it and collects it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end.
    pub(crate) fn wait(&mut self) {
        self.child.wait().unwrap();
    }

    /// Asks it to stop its runs.
    pub(crate) fn request_stop(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"stop\n").unwrap();
    }

    /// Waits for its next word.
    #[track_caller]
    pub(crate) fn word(&mut self) -> Word {
        loop {
            let mut line = String::new();
            assert_ne!(self.words.read_line(&mut line).unwrap(), 0, "the helper host has ended");
            // The test harness prints lines of its own, one of them without an end.
            if let Some((_, word)) = line.split_once("WORD ") {
                return serde_json::from_str(word).unwrap();
            }
        }
    }

    #[track_caller]
    pub(crate) fn wait_for<T>(&mut self, pick: impl Fn(Word) -> Option<T>) -> T {
        loop {
            if let Some(found) = pick(self.word()) {
                return found;
            }
        }
    }
}

impl Drop for HelperHost {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn say(word: &Word) {
    // Starts a line of its own whatever the harness printed before.
    println!("\nWORD {}", serde_json::to_string(word).unwrap());
}

#[test]
#[ignore = "other tests start it as a process of its own"]
fn helper_host() {
    let Some(plan) = std::env::var_os(PLAN) else { return };
    let plan: HostPlan = serde_json::from_slice(&std::fs::read(plan).unwrap()).unwrap();
    #[cfg(windows)]
    if let Some(job) = &plan.job {
        super::OuterJob::join(job);
    }
    for base in &plan.sweep {
        say(&Word::Swept(journal::sweep(base).unwrap().ended));
    }
    let (send, events) = mpsc::channel();
    let controls: Vec<_> = plan
        .runs
        .into_iter()
        .enumerate()
        .map(|(n, mut spec)| {
            let send = send.clone();
            spec.host_pid = std::process::id().cast_signed();
            foreman_core::host::launch(spec, plan.shim.as_deref(), move |event| {
                let _ = send.send((n, event));
            })
            .unwrap()
        })
        .collect();
    drop(send);
    std::thread::spawn(move || {
        let mut line = String::new();
        while std::io::stdin().read_line(&mut line).is_ok_and(|n| n > 0) {
            for control in &controls {
                control.request(&Request::Stop { reason: EndReason::Stop, grace_ms: None });
            }
        }
    });
    for (n, event) in events {
        say(&Word::Event(n, event));
    }
    say(&Word::Done(Leftovers::of_this_process()));
}
