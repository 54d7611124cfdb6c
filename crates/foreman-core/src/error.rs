//! The errors of the core, and the one table of their codes.
//!
//! A command that fails, is signalled, times out or is stopped is an outcome, not an error. An error means that we could
//! not start, not observe, not record, or that the request made no sense.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

/// What went wrong, in one word that a caller can branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No program that we accept as a shell is at the given path.
    ShellNotFound,
    /// The working directory does not exist or cannot be entered.
    CwdMissing,
    /// The system refused to start a process.
    SpawnFailed,
    /// The output file could not be made.
    OutputUnwritable,
    /// The supervisor executable is not where it should be.
    ShimMissing,
    /// The request cannot be meant: a NUL byte, an id that is no id, a script over the limit.
    BadRequest,
    /// Addon and supervisor are of different versions.
    VersionSkew,
    /// The supervisor ended without saying how its run ended.
    SupervisorLost,
    /// No run of this process has that id.
    NoSuchRun,
    /// An output file could not be read back.
    OutputUnreadable,
    /// A regular expression that cannot be compiled.
    BadPattern,
}

impl ErrorKind {
    /// The stable code of this kind: what JavaScript sees as `error.code`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::ShellNotFound => "SHELL_NOT_FOUND",
            Self::CwdMissing => "CWD_MISSING",
            Self::SpawnFailed => "SPAWN_FAILED",
            Self::OutputUnwritable => "OUTPUT_UNWRITABLE",
            Self::ShimMissing => "SHIM_MISSING",
            Self::BadRequest => "BAD_REQUEST",
            Self::VersionSkew => "VERSION_SKEW",
            Self::SupervisorLost => "SUPERVISOR_LOST",
            Self::NoSuchRun => "NO_SUCH_RUN",
            Self::OutputUnreadable => "OUTPUT_UNREADABLE",
            Self::BadPattern => "BAD_PATTERN",
        }
    }
}

/// An error of the core.
///
/// Its text is a lowercase fragment that names the thing (a path, a pattern) and says what to do.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    context: String,
    source: Option<io::Error>,
}

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error without an underlying one of the system.
    pub fn new(kind: ErrorKind, context: impl Into<String>) -> Self {
        Self { kind, context: context.into(), source: None }
    }

    /// An error that an operating system call gave.
    pub fn io(kind: ErrorKind, context: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self { kind, context: context.into(), source: Some(source.into()) }
    }

    /// What to branch on.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.context)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|e| e as _)
    }
}
