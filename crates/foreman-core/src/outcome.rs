//! What became of a run: plain data, no behaviour but its reading.

use serde::{Deserialize, Serialize};

/// What the shell did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    /// It ended by itself with this code. 143 here is a code that the command chose.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
}

/// Why a run ended, as far as we had a part in it. The first one observed stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndReason {
    /// We did nothing.
    Natural,
    /// Somebody asked for a stop.
    Stop,
    /// The call that waited for it was aborted.
    Abort,
    /// Its time was over.
    Timeout,
    /// The host is about to end and asked.
    Quit,
    /// The host ended without asking.
    HostGone,
    /// The supervisor ended without saying how the run did.
    SupervisorLost,
}

/// Why a process is still there after KILL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SurvivalCause {
    /// It runs as somebody whom we may not signal.
    AnotherUser,
    /// It is inside a system call that cannot be interrupted (state D).
    Uninterruptible,
    /// Nothing speaks against its end; it has not come yet.
    StillExiting,
}

/// A member that a stop could not end within its bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survivor {
    /// Its process id at the time of the report. For showing, not for signalling.
    pub pid: i32,
    /// Its command line, or its name when that cannot be read.
    pub command: String,
    /// Why it is still there.
    pub why: SurvivalCause,
}

/// What a stop achieved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopResult {
    /// No member is left.
    Gone,
    /// These are left. The supervisor goes on trying.
    Survivors(Vec<Survivor>),
    /// We could not look.
    Unknown {
        /// Why not.
        why: String,
    },
}

/// The first failure to record output, and what it cost. The outcome itself is not touched by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureError {
    /// An errno name, such as `ENOSPC`.
    pub code: String,
    /// The file or folder it is about.
    pub path: String,
    /// Bytes that were printed and are not in the file.
    pub bytes_lost: u64,
}

/// The first and last bytes of a stream, and how long it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamWindow {
    /// The first bytes; the whole stream while `tail` is empty.
    #[serde(with = "serde_bytes")]
    pub head: Vec<u8>,
    /// The last bytes. Never overlaps `head`; follows it without a gap when both lengths add up to `total_bytes`.
    #[serde(with = "serde_bytes")]
    pub tail: Vec<u8>,
    /// Bytes seen in all.
    pub total_bytes: u64,
    /// Newlines seen in all.
    pub total_lines: u64,
}

/// The windows of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Standard output; of a background run both streams in the order of the writes.
    pub stdout: StreamWindow,
    /// Standard error of a foreground run.
    pub stderr: StreamWindow,
}
