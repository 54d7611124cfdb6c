//! Which shell runs a command.

use serde::{Deserialize, Serialize};

/// A dialect, as far as it matters for starting it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShellKind {
    /// GNU bash.
    Bash,
    /// zsh.
    Zsh,
    /// Any POSIX shell.
    Sh,
    /// cmd.exe.
    Cmd,
}

/// A shell that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shell {
    /// Absolute path of the program.
    pub path: String,
    /// Its dialect.
    pub kind: ShellKind,
}
