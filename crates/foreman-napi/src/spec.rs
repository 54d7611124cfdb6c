//! Launch specs from JavaScript, with every default filled in from the limits of the core.

use std::collections::HashMap;

use foreman_core::limits::{DEFAULT_GRACE, DEFAULT_OUTPUT_CAP_BYTES, DEFAULT_WINDOW_BYTES};
use foreman_core::shell::{Shell, ShellKind};
use foreman_core::spec::{OnTimeout, Spec};
use foreman_core::{Error, ErrorKind, environment};
use napi::Either;
use napi::bindgen_prelude::Null;
use napi_derive::napi;

/// See `Shell` in src/native.ts.
#[napi(object)]
pub struct JsShell {
    /// Absolute path.
    pub path: String,
    /// `bash`, `zsh`, `sh` or `cmd`.
    pub kind: String,
}

/// See `LaunchSpec` in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct LaunchSpec {
    pub id: String,
    pub script: String,
    pub shell: JsShell,
    pub cwd: String,
    pub env: HashMap<String, Either<String, Null>>,
    pub foreground: bool,
    pub output_base: String,
    pub output_folders: Vec<String>,
    pub output_cap_bytes: Option<f64>,
    pub window_bytes: Option<f64>,
    pub timeout_ms: Option<f64>,
    pub on_timeout: Option<String>,
    pub grace_ms: Option<f64>,
    pub meta: String,
}

impl LaunchSpec {
    /// The spec of the core. Reads this process's environment, which is `process.env` of the main thread; so it has to run on
    /// that thread, the only one that writes it. A worker's own `process.env` is not seen, and neither are entries that are
    /// no UTF-8, which JavaScript cannot hold.
    pub fn into_core(self) -> Result<Spec, Error> {
        let host = std::env::vars_os().filter_map(|(n, v)| Some((n.into_string().ok()?, v.into_string().ok()?)));
        let caller: Vec<(String, Option<String>)> = self
            .env
            .into_iter()
            .map(|(name, value)| match value {
                Either::A(value) => (name, Some(value)),
                Either::B(_) => (name, None),
            })
            .collect();
        Ok(Spec {
            env: environment::build(environment::Names::of_this_system(), host, &caller, &self.id),
            id: self.id,
            script: self.script,
            shell: Shell { path: self.shell.path, kind: shell_kind(&self.shell.kind)? },
            cwd: self.cwd,
            foreground: self.foreground,
            output_base: self.output_base,
            output_folders: self.output_folders,
            output_cap_bytes: number("outputCapBytes", self.output_cap_bytes)?.unwrap_or(DEFAULT_OUTPUT_CAP_BYTES),
            window_bytes: number("windowBytes", self.window_bytes)?
                .map_or(Ok(DEFAULT_WINDOW_BYTES as u32), u32::try_from)
                .map_err(|_| bad("windowBytes is too large".into()))?,
            timeout_ms: number("timeoutMs", self.timeout_ms)?,
            on_timeout: match self.on_timeout.as_deref() {
                None | Some("stop") => OnTimeout::Stop,
                Some("stop-always") => OnTimeout::StopAlways,
                Some("promote") => OnTimeout::Promote,
                Some(other) => return Err(bad(format!("onTimeout {other:?} is none of stop, stop-always, promote"))),
            },
            grace_ms: number("graceMs", self.grace_ms)?.unwrap_or(DEFAULT_GRACE.as_millis() as u64),
            host_pid: std::process::id().cast_signed(),
        })
    }
}

/// Whole, not negative, finite; JavaScript has one kind of number for all.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
pub fn number(name: &str, value: Option<f64>) -> Result<Option<u64>, Error> {
    match value {
        None => Ok(None),
        Some(n) if n.is_finite() && (0.0..=9_007_199_254_740_991.0).contains(&n) => Ok(Some(n as u64)),
        Some(n) => Err(bad(format!("{name} is {n}; it has to be 0 or more"))),
    }
}

fn shell_kind(kind: &str) -> Result<ShellKind, Error> {
    match kind {
        "bash" => Ok(ShellKind::Bash),
        "zsh" => Ok(ShellKind::Zsh),
        "sh" => Ok(ShellKind::Sh),
        "cmd" => Ok(ShellKind::Cmd),
        other => Err(bad(format!("shell kind {other:?} is none of bash, zsh, sh, cmd"))),
    }
}

fn bad(message: String) -> Error {
    Error::new(ErrorKind::BadRequest, message)
}
