//! Events of the core as JavaScript objects. Shapes: `RunEvent` in src/native.ts.

use foreman_core::frame::{Event, PromotedBy};
use foreman_core::log;
use foreman_core::outcome::{
    CaptureError, EndReason, Exit, Snapshot, StopResult, StreamWindow, SurvivalCause, Survivor,
};
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

/// As in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
#[derive(Clone, Copy)]
pub struct JsExit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

/// As in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsStreamWindow {
    pub head: Uint8Array,
    pub tail: Uint8Array,
    pub total_bytes: f64,
    pub total_lines: f64,
}

/// As in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsSnapshot {
    pub stdout: JsStreamWindow,
    pub stderr: JsStreamWindow,
}

/// As in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsCaptureError {
    pub code: String,
    pub path: String,
    pub bytes_lost: f64,
}

/// As in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsSurvivor {
    pub pid: i32,
    pub command: String,
    pub why: String,
}

/// As in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsStopResult {
    pub state: String,
    pub survivors: Option<Vec<JsSurvivor>>,
    pub why: Option<String>,
}

/// One object for all kinds; the fields that a kind does not have are absent.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
#[derive(Default)]
pub struct JsRunEvent {
    pub run_id: String,
    pub kind: String,
    pub output_path: Option<String>,
    pub shell_pid: Option<i32>,
    pub code: Option<String>,
    pub message: Option<String>,
    pub by: Option<String>,
    pub snapshot: Option<JsSnapshot>,
    pub exit: Option<JsExit>,
    pub reason: Option<String>,
    pub members_left: Option<bool>,
    pub duration_ms: Option<f64>,
    pub result: Option<JsStopResult>,
    pub total_bytes: Option<f64>,
    pub capture_error: Option<JsCaptureError>,
}

/// The JavaScript object of one event.
pub fn event_of(run_id: String, event: Event) -> JsRunEvent {
    let base = |kind: &str| JsRunEvent { run_id, kind: kind.into(), ..JsRunEvent::default() };
    match event {
        Event::Started { output_path, shell_pid, .. } => {
            JsRunEvent { output_path: Some(output_path), shell_pid: Some(shell_pid), ..base("started") }
        }
        Event::Failed { kind, message } => {
            JsRunEvent { code: Some(kind.code().into()), message: Some(message), ..base("failed") }
        }
        Event::Promoted { by, snapshot } => JsRunEvent {
            by: Some(match by {
                PromotedBy::Timeout => "timeout".into(),
                PromotedBy::Request => "request".into(),
            }),
            snapshot: Some(snapshot_of(snapshot)),
            ..base("promoted")
        },
        Event::ShellExited { exit, reason, members_left, snapshot, capture_error, duration_ms } => JsRunEvent {
            exit: Some(exit_of(exit)),
            reason: Some(reason_name(reason).into()),
            members_left: Some(members_left),
            snapshot: Some(snapshot_of(snapshot)),
            capture_error: capture_error.map(capture_error_of),
            duration_ms: Some(float(duration_ms)),
            ..base("shell-exited")
        },
        Event::Snapshot(snapshot) => JsRunEvent { snapshot: Some(snapshot_of(snapshot)), ..base("snapshot") },
        Event::StopResult(result) => JsRunEvent { result: Some(stop_result_of(result)), ..base("stop-result") },
        Event::Ended { exit, reason, total_bytes, capture_error, duration_ms } => JsRunEvent {
            exit: Some(exit_of(exit)),
            reason: Some(reason_name(reason).into()),
            result: Some(stop_result_of(StopResult::Gone)),
            total_bytes: Some(float(total_bytes)),
            capture_error: capture_error.map(capture_error_of),
            duration_ms: Some(float(duration_ms)),
            ..base("ended")
        },
    }
}

/// The JavaScript object of an exit.
pub fn exit_of(exit: Exit) -> JsExit {
    match exit {
        Exit::Code(code) => JsExit { code: Some(code), signal: None },
        Exit::Signal(signal) => JsExit { code: None, signal: Some(signal) },
    }
}

/// The name of a reason.
pub const fn reason_name(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Natural => "natural",
        EndReason::Stop => "stop",
        EndReason::Abort => "abort",
        EndReason::Timeout => "timeout",
        EndReason::Quit => "quit",
        EndReason::HostGone => "host-gone",
        EndReason::SupervisorLost => "supervisor-lost",
    }
}

/// The reason of a name that JavaScript may ask with.
pub fn reason_of(name: &str) -> Option<EndReason> {
    [EndReason::Stop, EndReason::Abort, EndReason::Timeout, EndReason::Quit]
        .into_iter()
        .find(|r| reason_name(*r) == name)
}

/// Bytes, lines and milliseconds stay below 2^53, up to which a float is exact.
#[expect(clippy::cast_precision_loss, reason = "see above")]
pub const fn float(n: u64) -> f64 {
    n as f64
}

fn snapshot_of(snapshot: Snapshot) -> JsSnapshot {
    JsSnapshot { stdout: window_of(snapshot.stdout), stderr: window_of(snapshot.stderr) }
}

fn window_of(window: StreamWindow) -> JsStreamWindow {
    let window = log::window_to_utf8(window);
    JsStreamWindow {
        head: window.head.into(),
        tail: window.tail.into(),
        total_bytes: float(window.total_bytes),
        total_lines: float(window.total_lines),
    }
}

fn capture_error_of(error: CaptureError) -> JsCaptureError {
    JsCaptureError { code: error.code, path: error.path, bytes_lost: float(error.bytes_lost) }
}

fn stop_result_of(result: StopResult) -> JsStopResult {
    match result {
        StopResult::Gone => JsStopResult { state: "gone".into(), survivors: None, why: None },
        StopResult::Survivors(survivors) => JsStopResult {
            state: "survivors".into(),
            survivors: Some(survivors.into_iter().map(survivor_of).collect()),
            why: None,
        },
        StopResult::Unknown { why } => JsStopResult { state: "unknown".into(), survivors: None, why: Some(why) },
    }
}

fn survivor_of(survivor: Survivor) -> JsSurvivor {
    let why = match survivor.why {
        SurvivalCause::AnotherUser => "another-user",
        SurvivalCause::Uninterruptible => "uninterruptible",
        SurvivalCause::StillExiting => "still-exiting",
    };
    JsSurvivor { pid: survivor.pid, command: survivor.command, why: why.into() }
}
