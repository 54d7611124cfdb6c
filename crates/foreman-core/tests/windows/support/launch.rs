//! A run about to be started: a spec with defaults, in a folder of its own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{OnceLock, mpsc};

use foreman_core::environment::{self, Names};
use foreman_core::error::ErrorKind;
use foreman_core::frame::Event;
use foreman_core::host;
use foreman_core::limits::DEFAULT_OUTPUT_CAP_BYTES;
use foreman_core::shell::{Shell, ShellKind, ShellRequest, choose_shell};
use foreman_core::spec::{OnTimeout, Spec};

use super::{Outcome, Run};

/// A spec that can be changed before it is started.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) spec: Spec,
    pub(crate) folder: tempfile::TempDir,
    env: Vec<(String, Option<String>)>,
}

/// The Git Bash of this machine; `PICC_BASH_PATH` names one that is not found by itself.
fn git_bash() -> &'static str {
    static BASH: OnceLock<String> = OnceLock::new();
    BASH.get_or_init(|| {
        let override_path = std::env::var("PICC_BASH_PATH").ok();
        let request = ShellRequest { override_path, shell_path: None, cwd: String::new() };
        let choice = choose_shell(&request);
        let shell = choice.shell.expect("a shell");
        assert_eq!(shell.kind, ShellKind::Bash, "no Git Bash: {:?}", choice.warnings);
        shell.path
    })
}

/// Built beside this program: `cargo test` makes the programs of the workspace first, and under Wine there is no cargo.
fn probe() -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let probe = this.ancestors().nth(2).unwrap().join("probe.exe");
    assert!(probe.exists(), "no {}: build foreman-testkit for this target first", probe.display());
    probe
}

/// A foreground run of Git Bash with this script.
pub(crate) fn script(text: impl Into<String>) -> Launch {
    launch(text.into(), Shell { path: git_bash().to_owned(), kind: ShellKind::Bash })
}

/// A foreground run of cmd.exe.
pub(crate) fn cmd(text: impl Into<String>) -> Launch {
    let path = format!("{}\\System32\\cmd.exe", std::env::var("SystemRoot").unwrap());
    launch(text.into(), Shell { path, kind: ShellKind::Cmd })
}

fn launch(text: String, shell: Shell) -> Launch {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let id = format!("core-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().display().to_string();
    let spec = Spec {
        id,
        script: text,
        shell,
        output_base: format!("{cwd}\\base"),
        cwd,
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
    Launch { spec, folder, env: vec![("PROBE".into(), Some(posix(&probe())))] }
}

/// As Git Bash takes it without quoting trouble.
pub(crate) fn posix(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
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

    pub(crate) fn shell_path(mut self, path: impl Into<String>) -> Self {
        self.spec.shell.path = path.into();
        self
    }

    pub(crate) fn env(mut self, name: &str, value: Option<&str>) -> Self {
        self.env.push((name.into(), value.map(Into::into)));
        self
    }

    fn finish_spec(&mut self) {
        let host = std::env::vars_os().filter_map(|(n, v)| Some((n.into_string().ok()?, v.into_string().ok()?)));
        self.spec.env = environment::build(Names::of_this_system(), host, &self.env, &self.spec.id);
    }

    /// The finished parts, for a host that is another process.
    pub(crate) fn into_parts(mut self) -> (Spec, tempfile::TempDir) {
        self.finish_spec();
        (self.spec, self.folder)
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
        let control = host::launch(self.spec.clone(), None, move |event| {
            hear(&event);
            let _ = send.send(event);
        });
        Run::new(self.spec, self.folder, control.expect("launched"), events)
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
        let launched = host::launch(self.spec.clone(), None, move |event| {
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
