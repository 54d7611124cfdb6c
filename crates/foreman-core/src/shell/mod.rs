//! Which shell runs a command.
//!
//! [`choose()`](choose()) decides, from a request, the environment, the platform and what it is told about files: a pure
//! function, so that what happens on Windows is tested everywhere. [`choose_shell`] asks it about this machine.
//!
//! | platform | order |
//! | --- | --- |
//! | Unix | override, pi's `shellPath`, `/bin/bash`, `bash` on PATH, `/bin/sh` |
//! | Windows | override, pi's `shellPath`, then the places of Git Bash (see `git_bash`), then `cmd.exe` |
//!
//! Nothing is promised about versions: a bash 3.2 is bash.

mod choose;
mod git_bash;
mod probe;
mod windows_path;

pub use choose::{FileSystem, Found, Platform, Shell, ShellChoice, ShellKind, ShellRequest, choose};
pub use probe::choose_shell;
