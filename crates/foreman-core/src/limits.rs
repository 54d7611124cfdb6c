//! Every bound and default of the core: the unit is in the name, the reason in the doc.

use std::time::Duration;

/// Longest script, in bytes. Four megabytes is far over any script that a model writes and still fits in memory twice.
pub const MAX_SCRIPT_BYTES: usize = 4 * 1024 * 1024;

/// Longest frame between host and supervisor: a script, an environment and room for both.
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;

/// Longest run id, in bytes: it becomes part of a file name.
pub const MAX_ID_BYTES: usize = 64;

/// Default bound of an output file, in bytes; the marker line comes on top.
pub const DEFAULT_OUTPUT_CAP_BYTES: u64 = 5 * 1024 * 1024 * 1024;

/// What ends an output file that reached its cap.
pub const CAP_MARKER: &[u8] = b"\n[output truncated: exceeded 5GB disk cap]\n";

/// Default size of each half of a stream's window, in bytes.
pub const DEFAULT_WINDOW_BYTES: usize = 64 * 1024;

/// Largest half of a window a caller may ask for, in bytes: four frames of it must fit in [`MAX_FRAME_BYTES`].
pub const MAX_WINDOW_BYTES: usize = 2 * 1024 * 1024;

/// Size of an output pipe and of the buffer that reads it, in bytes. Larger pipes use up `pipe-user-pages-soft` on Linux; on
/// macOS a pipe grows to this size by itself and to no other.
pub const PIPE_BYTES: usize = if cfg!(target_os = "macos") { 64 * 1024 } else { 256 * 1024 };

/// Time between TERM and KILL.
pub const DEFAULT_GRACE: Duration = Duration::from_millis(2_000);

/// What is left of the grace when the host has gone: everything has to be over a second later.
pub const HOST_GONE_GRACE: Duration = Duration::from_millis(400);

/// Longest timeout: what a poll timer can hold (a signed 32-bit count of milliseconds), some 24 days.
pub const MAX_TIMEOUT: Duration = Duration::from_millis(i32::MAX as u64);

/// When members outlive the shell, its caller is answered after the pipes have been silent for so long …
pub const QUIET_AFTER_EXIT: Duration = Duration::from_millis(100);

/// … or for so long after all of them were closed …
pub const CLOSED_AFTER_EXIT: Duration = Duration::from_millis(10);

/// … and after so long at most.
pub const MAX_DRAIN_AFTER_EXIT: Duration = Duration::from_millis(1_000);

/// Longest nap of the pump: output reaches its file well within 200 ms.
pub const MAX_NAP: Duration = Duration::from_millis(1);

/// Naps below this cost more than they save. macOS has no `ppoll`, and `poll` waits whole milliseconds: a nap that is meant to
/// be much shorter would let the pipe run full.
pub const MIN_NAP: Duration = Duration::from_micros(if cfg!(target_os = "macos") { 900 } else { 50 });

/// A nap ends so long before the pipe is as full as it may be.
pub const NAP_MARGIN: Duration = Duration::from_micros(50);

/// A supervisor that its command has stopped is continued when it is needed; one that stands still again so long after is
/// kept from its work for good.
pub const STOPPED_AGAIN_AFTER: Duration = Duration::from_millis(200);

/// A run that is not empty so long after the first KILL is reported with its survivors.
pub const SURVIVOR_REPORT_AFTER: Duration = Duration::from_millis(2_000);

/// Members at hand are signalled at once, and the whole tree is walked so long after: a process that is gone by then need
/// not be looked up, which costs ten times what signalling it does.
pub const REST_AFTER: Duration = Duration::from_millis(20);

/// … or so long after the last end, while they keep ending, but not later than this.
pub const MAX_REST_AFTER: Duration = Duration::from_millis(100);

/// First and longest wait between two rounds of KILL.
pub const FIRST_KILL_PAUSE: Duration = Duration::from_millis(1);
/// See [`FIRST_KILL_PAUSE`].
pub const MAX_KILL_PAUSE: Duration = Duration::from_millis(64);

/// The same once the survivors were reported: what could not be ended in seconds is tried now and then.
pub const PAUSE_AFTER_REPORT: Duration = Duration::from_secs(1);

/// How much likelier the kernel's memory killer picks a command than the host that started it (`oom_score_adj`).
pub const OOM_SCORE_ADJ: i32 = 300;

/// Highest value of it.
pub const MAX_OOM_SCORE_ADJ: i32 = 1_000;
