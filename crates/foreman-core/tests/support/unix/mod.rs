//! Unix: bash, a supervisor of its own, and a pipe that only members hold open.

mod host;
mod witness;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use foreman_core::shell::{Shell, ShellKind};
use foreman_core::spec::Spec;

pub(crate) use host::Leftovers;
pub(crate) use witness::Witness;

use super::{Launch, probe, shim};

/// What the last check looks for in the environment of every process: which checkout a leftover belongs to.
pub(crate) const TEST_MARK: &str = "FOREMAN_CORE_TEST";

/// The shell of a script.
pub(super) fn shell() -> Shell {
    Shell { path: "/bin/bash".into(), kind: ShellKind::Bash }
}

/// The supervisor, and what scripts find in their environment.
pub(super) fn programs() -> (Option<PathBuf>, Vec<(&'static str, String)>) {
    let env = [("PROBE", probe().display().to_string()), (TEST_MARK, env!("CARGO_MANIFEST_DIR").to_owned())];
    (Some(shim().to_owned()), env.into())
}

/// Runs of another user work here too.
pub(super) fn open_to_all(path: &Path, is_program: bool) {
    let mode = if is_program { 0o777 } else { 0o644 };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

impl Launch {
    pub(crate) fn grace_ms(mut self, ms: u64) -> Self {
        self.spec.grace_ms = ms;
        self
    }

    pub(crate) fn shim(mut self, path: impl Into<PathBuf>) -> Self {
        self.shim = Some(path.into());
        self
    }

    /// The finished parts, for a host that is another process.
    pub(crate) fn into_parts(mut self) -> (Spec, tempfile::TempDir, Witness) {
        self.finish_spec();
        (self.spec, self.folder, self.witness)
    }
}

/// Whether this process may do anything.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Says on the test's output that it could not look, and why.
pub(crate) fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}
