//! A host that is a process of its own, for tests in which the host dies.
//!
//! It is this test program once more, running only [`helper_host`].

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;

use foreman_core::frame::{Event, Request};
use foreman_core::spec::Spec;
use serde::{Deserialize, Serialize};

use super::Members;

/// Where the plan of a helper host lies.
const PLAN: &str = "FOREMAN_CORE_TEST_PLAN";

/// What a helper host does.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct HostPlan {
    /// Starts these at once, and tells when so many of their members are ready.
    pub(crate) runs: Vec<(Spec, usize)>,
}

/// A helper host; killed when it is dropped.
#[derive(Debug)]
pub(crate) struct HelperHost {
    child: Child,
    words: BufReader<ChildStdout>,
    _plan: tempfile::NamedTempFile,
}

impl HelperHost {
    pub(crate) fn start(plan: &HostPlan) -> Self {
        let file = tempfile::NamedTempFile::new().unwrap();
        serde_json::to_writer(&file, plan).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "support::helper_host::helper_host", "--ignored", "--nocapture"])
            .env(PLAN, file.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let words = BufReader::new(child.stdout.take().unwrap());
        Self { child, words, _plan: file }
    }

    /// Waits until the members of one more run are ready.
    #[track_caller]
    pub(crate) fn members(&mut self, count: usize) -> Members {
        loop {
            let mut line = String::new();
            assert_ne!(self.words.read_line(&mut line).unwrap(), 0, "the helper host has ended");
            // The test harness prints lines of its own, one of them without an end.
            if let Some((_, word)) = line.split_once("WORD ") {
                let said: String = serde_json::from_str(word).unwrap();
                return Members::in_output(&said, count).expect("all of them");
            }
        }
    }

    /// Kills it and collects it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for HelperHost {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "other tests start it as a process of its own"]
fn helper_host() {
    let Some(plan) = std::env::var_os(PLAN) else { return };
    let plan: HostPlan = serde_json::from_slice(&std::fs::read(plan).unwrap()).unwrap();
    let (send, events) = mpsc::channel();
    let controls: Vec<_> = plan
        .runs
        .iter()
        .enumerate()
        .map(|(n, (spec, _))| {
            let send = send.clone();
            let spec = Spec { host_pid: std::process::id().cast_signed(), ..spec.clone() };
            foreman_core::host::launch(spec, None, move |event| {
                let _ = send.send((n, event));
            })
            .unwrap()
        })
        .collect();
    let ask = |n: usize| controls[n].request(&Request::Snapshot { tail_bytes: None });
    for (n, event) in events {
        match event {
            Event::Started { .. } => drop(ask(n)),
            Event::Snapshot(snapshot) => {
                let said = String::from_utf8_lossy(&snapshot.stdout.head).into_owned();
                if Members::in_output(&said, plan.runs[n].1).is_some() {
                    // Starts a line of its own whatever the harness printed before.
                    println!("\nWORD {}", serde_json::to_string(&said).unwrap());
                } else {
                    std::thread::sleep(super::LOOK_PAUSE);
                    ask(n);
                }
            }
            Event::Ended { .. } | Event::Failed { .. } => panic!("{event:?}"),
            _ => {}
        }
    }
}
