//! A run about to be started: a spec with defaults, in a folder of its own.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;

use foreman_core::environment;
use foreman_core::error::ErrorKind;
use foreman_core::frame::Event;
use foreman_core::host;
use foreman_core::limits::DEFAULT_OUTPUT_CAP_BYTES;
use foreman_core::shell::{Shell, ShellKind};
use foreman_core::spec::{OnTimeout, Spec};

use super::{Outcome, Run, Witness, probe, shim};

/// What the last check looks for in the environment of every process: which checkout a leftover belongs to.
pub(crate) const TEST_MARK: &str = "FOREMAN_CORE_TEST";

/// A spec that can be changed before it is started.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) spec: Spec,
    pub(crate) folder: tempfile::TempDir,
    witness: Witness,
    env: Vec<(String, Option<String>)>,
    shim: PathBuf,
}

/// A foreground run of bash with this script.
pub(crate) fn script(text: impl Into<String>) -> Launch {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let id = format!("core-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = tempfile::tempdir().unwrap();
    // Runs of another user work here too.
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let cwd = folder.path().canonicalize().unwrap().display().to_string();
    let witness = Witness::create(Path::new(&cwd).join("witness"));
    let env = [
        ("PROBE", probe().display().to_string()),
        ("WITNESS", witness.path().display().to_string()),
        (TEST_MARK, env!("CARGO_MANIFEST_DIR").to_owned()),
    ];
    let spec = Spec {
        id,
        script: text.into(),
        shell: Shell { path: "/bin/bash".into(), kind: ShellKind::Bash },
        output_base: format!("{cwd}/base"),
        cwd,
        env: Vec::new(),
        foreground: true,
        output_folders: vec!["session".into(), "tasks".into()],
        output_cap_bytes: DEFAULT_OUTPUT_CAP_BYTES,
        window_bytes: 64 * 1024,
        timeout_ms: None,
        on_timeout: OnTimeout::Stop,
        grace_ms: 2_000,
        host_pid: i32::try_from(std::process::id()).unwrap(),
    };
    let env = env.into_iter().map(|(name, value)| (name.to_owned(), Some(value))).collect();
    Launch { spec, folder, witness, env, shim: shim().to_owned() }
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

    pub(crate) fn grace_ms(mut self, ms: u64) -> Self {
        self.spec.grace_ms = ms;
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

    pub(crate) fn shim(mut self, path: impl Into<PathBuf>) -> Self {
        self.shim = path.into();
        self
    }

    /// The environment is built here, so that it holds what the tests were started with.
    fn finish_spec(&mut self) {
        let host = std::env::vars_os().filter_map(|(n, v)| Some((n.into_string().ok()?, v.into_string().ok()?)));
        self.spec.env = environment::build(environment::Names::of_this_system(), host, &self.env, &self.spec.id);
    }

    /// The finished parts, for a host that is another process.
    pub(crate) fn into_parts(mut self) -> (Spec, tempfile::TempDir, Witness) {
        self.finish_spec();
        (self.spec, self.folder, self.witness)
    }

    /// Starts it.
    #[track_caller]
    pub(crate) fn start(mut self) -> Run {
        self.finish_spec();
        let (send, events) = mpsc::channel();
        let control = host::launch(self.spec.clone(), Some(&self.shim), move |event| {
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
        let launched = host::launch(self.spec.clone(), Some(&self.shim), move |event| {
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
