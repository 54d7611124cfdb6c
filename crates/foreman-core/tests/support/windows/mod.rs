//! Windows: Git Bash or cmd.exe, no supervisor beside the host, and members that are known by what they say.

mod members;
mod outer_job;
mod witness;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use foreman_core::shell::{Shell, ShellKind, ShellRequest, choose_shell};
use foreman_core::spec::Spec;
use serde::{Deserialize, Serialize};

pub(crate) use members::Members;
pub(crate) use outer_job::OuterJob;
pub(crate) use witness::Witness;

use super::{Launch, probe};

/// Under Git Bash every one of these has a parent that is gone: the runtime starts a new process for each exec.
pub(crate) const TREE: &str = "(\"$PROBE\" wait | cat | cat) & (sh -c 'exec \"$PROBE\" wait' | tee /dev/null) & \
     \"$PROBE\" orphan-then-exit; \"$PROBE\" daemonize; nohup \"$PROBE\" spawn-grandchild | cat";

/// Two that wait, an orphan, a daemon, three generations.
pub(crate) const TREE_ALIVE: usize = 7;

/// So many say that they are ready: the parent of the orphan ends.
pub(crate) const TREE_READY: usize = TREE_ALIVE + 1;

/// The Git Bash of this machine; `PICC_BASH_PATH` names one that is not found by itself.
pub(super) fn shell() -> Shell {
    static BASH: OnceLock<Shell> = OnceLock::new();
    BASH.get_or_init(|| {
        let override_path = std::env::var("PICC_BASH_PATH").ok();
        let choice = choose_shell(&ShellRequest { override_path, shell_path: None, cwd: String::new() });
        let shell = choice.shell.expect("a shell");
        assert_eq!(shell.kind, ShellKind::Bash, "no Git Bash: {:?}", choice.warnings);
        shell
    })
    .clone()
}

/// No supervisor, and what scripts find in their environment.
pub(super) fn programs() -> (Option<PathBuf>, Vec<(&'static str, String)>) {
    (None, vec![("PROBE", posix(probe()))])
}

/// There is one user here.
pub(super) const fn open_to_all(_: &Path, _: bool) {}

/// As Git Bash takes it without quoting trouble.
pub(crate) fn posix(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

/// A foreground run of cmd.exe.
pub(crate) fn cmd(text: impl Into<String>) -> Launch {
    let path = format!("{}\\System32\\cmd.exe", std::env::var("SystemRoot").unwrap());
    super::script(text).shell(path, ShellKind::Cmd)
}

impl Launch {
    /// The finished parts, for a host that is another process.
    pub(crate) fn into_parts(mut self) -> (Spec, tempfile::TempDir) {
        self.finish_spec();
        (self.spec, self.folder)
    }
}

/// What runs that are over left in their host: nothing that is counted here.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Leftovers;

impl Leftovers {
    pub(crate) const fn of_this_process() -> Self {
        Self
    }
}
