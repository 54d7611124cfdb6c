//! The real supervisor and the misbehaving child, built from this workspace as it is now.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// `foreman-shim`.
#[cfg(unix)]
pub(crate) fn shim() -> &'static Path {
    built("foreman-shim")
}

/// `probe`.
pub(crate) fn probe() -> &'static Path {
    built("probe")
}

fn built(name: &str) -> &'static Path {
    static BUILT: OnceLock<HashMap<String, PathBuf>> = OnceLock::new();
    &BUILT.get_or_init(|| brought().unwrap_or_else(build))[name]
}

/// Where the tests run under an emulator, cargo cannot: whoever starts them has built both into this folder.
fn brought() -> Option<HashMap<String, PathBuf>> {
    // On Windows with its drive, or Git Bash takes it for a path of its own.
    let folder = std::path::absolute(std::env::var_os("FOREMAN_TEST_BINARIES")?).unwrap();
    let file = |name: &str| (name.to_owned(), folder.join(name).with_extension(std::env::consts::EXE_EXTENSION));
    Some(["foreman-shim", "probe"].map(file).into())
}

/// Asks cargo, which does nothing when they are up to date: a file that lies in the target folder may be an old one.
fn build() -> HashMap<String, PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--message-format=json", "-p", "foreman-shim", "-p", "foreman-testkit"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let messages = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    messages
        .filter_map(|m| Some((m["target"]["name"].as_str()?.to_owned(), m["executable"].as_str()?.into())))
        .collect()
}
