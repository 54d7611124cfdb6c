//! A run about to be started: a spec with defaults, in a folder of its own.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;

use foreman_core::environment;
use foreman_core::error::ErrorKind;
use foreman_core::frame::Event;
use foreman_core::host;
use foreman_core::limits::DEFAULT_OUTPUT_CAP_BYTES;
use foreman_core::shell::{Shell, ShellKind};
use foreman_core::spec::{OnTimeout, Spec};

use super::{Outcome, Run, Witness, open_to_all, programs, shell};

/// A spec that can be changed before it is started.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) spec: Spec,
    pub(crate) folder: tempfile::TempDir,
    pub(super) witness: Witness,
    env: Vec<(String, Option<String>)>,
    pub(super) shim: Option<PathBuf>,
}

/// A foreground run of the shell of these tests with this script.
pub(crate) fn script(text: impl Into<String>) -> Launch {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let id = format!("core-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = tempfile::tempdir().unwrap();
    open_to_all(folder.path(), true);
    // The names of temporary folders may be links on macOS; on Windows the other form is one that no program expects.
    let cwd = if cfg!(windows) { folder.path().to_owned() } else { folder.path().canonicalize().unwrap() };
    let (witness, where_it_is) = Witness::create(&cwd);
    let (shim, env) = programs();
    let env = env.into_iter().chain(where_it_is).map(|(name, value)| (name.to_owned(), Some(value))).collect();
    let spec = Spec {
        id,
        script: text.into(),
        shell: shell(),
        output_base: cwd.join("base").display().to_string(),
        cwd: cwd.display().to_string(),
        env: Vec::new(),
        foreground: true,
        output_folders: vec!["session".into(), "tasks".into()],
        output_cap_bytes: DEFAULT_OUTPUT_CAP_BYTES,
        window_bytes: 64 * 1024,
        timeout_ms: None,
        on_timeout: OnTimeout::Stop,
        grace_ms: 2_000,
        host_pid: std::process::id().cast_signed(),
    };
    Launch { spec, folder, witness, env, shim }
}

/// Runs a script that has to print exactly this on its standard output.
#[track_caller]
pub(crate) fn prints(text: &str, expected: &str) -> Outcome {
    let outcome = script(text).outcome();
    assert_eq!(outcome.stdout(), expected, "{text:?}; stderr: {:?}", outcome.stderr());
    outcome
}

impl Launch {
    pub(crate) fn background(mut self) -> Self {
        self.spec.foreground = false;
        self
    }

    pub(crate) fn timeout_ms(mut self, ms: u64, then: OnTimeout) -> Self {
        self.spec.timeout_ms = Some(ms);
        self.spec.on_timeout = then;
        self
    }

    pub(crate) fn cap_bytes(mut self, bytes: u64) -> Self {
        self.spec.output_cap_bytes = bytes;
        self
    }

    pub(crate) fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.spec.cwd = cwd.into();
        self
    }

    pub(crate) fn output_base(mut self, base: impl Into<String>) -> Self {
        self.spec.output_base = base.into();
        self
    }

    pub(crate) fn shell(mut self, path: impl Into<String>, kind: ShellKind) -> Self {
        self.spec.shell = Shell { path: path.into(), kind };
        self
    }

    pub(crate) fn env(mut self, name: &str, value: Option<&str>) -> Self {
        self.env.push((name.into(), value.map(Into::into)));
        self
    }

    /// The environment is built here, so that it holds what the tests were started with.
    pub(super) fn finish_spec(&mut self) {
        let host = std::env::vars_os().filter_map(|(n, v)| Some((n.into_string().ok()?, v.into_string().ok()?)));
        self.spec.env = environment::build(environment::Names::of_this_system(), host, &self.env, &self.spec.id);
    }

    /// Starts it.
    #[track_caller]
    pub(crate) fn start(self) -> Run {
        self.start_heard_by(|_| {})
    }

    /// Starts it; `hear` is told each event first.
    #[track_caller]
    pub(crate) fn start_heard_by(mut self, mut hear: impl FnMut(&Event) + Send + 'static) -> Run {
        self.finish_spec();
        let (send, events) = mpsc::channel();
        let control = host::launch(self.spec.clone(), self.shim.as_deref(), move |event| {
            hear(&event);
            let _ = send.send(event);
        });
        Run::new(self.spec, self.folder, self.witness, control.expect("launched"), events)
    }

    /// Starts it and waits until it is over.
    #[track_caller]
    pub(crate) fn outcome(self) -> Outcome {
        self.start().outcome()
    }

    /// Starts it and gives the refusal, which has to come.
    #[track_caller]
    pub(crate) fn refusal(mut self) -> (ErrorKind, String) {
        self.finish_spec();
        let (send, events) = mpsc::channel();
        let launched = host::launch(self.spec.clone(), self.shim.as_deref(), move |event| {
            let _ = send.send(event);
        });
        if let Err(e) = launched {
            return (e.kind(), e.to_string());
        }
        let all: Vec<Event> = events.iter().collect();
        match all.as_slice() {
            [Event::Failed { kind, message }] => (*kind, message.clone()),
            other => panic!("expected a refusal and nothing else: {other:?}"),
        }
    }
}
