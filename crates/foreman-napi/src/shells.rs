//! The choice of the shell on this machine.

use foreman_core::shell::{ShellKind, ShellRequest, choose_shell as choose};
use napi_derive::napi;

use crate::spec::JsShell;

/// See `ShellRequest` in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsShellRequest {
    #[napi(js_name = "override")]
    pub override_path: Option<String>,
    pub shell_path: Option<String>,
    pub cwd: String,
}

/// See `ShellChoice` in src/native.ts.
#[napi(object)]
#[expect(missing_docs, reason = "described once, in src/native.ts")]
pub struct JsShellChoice {
    pub shell: Option<JsShell>,
    pub warnings: Vec<String>,
}

/// Looks for a shell.
#[napi]
pub fn choose_shell(request: JsShellRequest) -> JsShellChoice {
    let choice = choose(&ShellRequest {
        override_path: request.override_path,
        shell_path: request.shell_path,
        cwd: request.cwd,
    });
    JsShellChoice {
        shell: choice.shell.map(|shell| JsShell { path: shell.path, kind: kind_name(shell.kind).into() }),
        warnings: choice.warnings,
    }
}

const fn kind_name(kind: ShellKind) -> &'static str {
    match kind {
        ShellKind::Bash => "bash",
        ShellKind::Zsh => "zsh",
        ShellKind::Sh => "sh",
        ShellKind::Cmd => "cmd",
    }
}
