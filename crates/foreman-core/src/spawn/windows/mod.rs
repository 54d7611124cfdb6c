//! A process in its job from its first instruction on, without a window, with three handles and nothing else.

mod environment_block;
mod process;
mod script_folder;

use std::io;
use std::sync::Arc;

use windows_sys::Win32::Foundation::{
    ERROR_ACCESS_DENIED, ERROR_BAD_EXE_FORMAT, ERROR_DIRECTORY, ERROR_FILE_NOT_FOUND, ERROR_FILENAME_EXCED_RANGE,
    ERROR_PATH_NOT_FOUND,
};

use self::process::{NewProcess, start_process};
pub(crate) use self::script_folder::{ScriptFolder, forget_script};
use super::StartedShell;
use crate::capture::{OutputFolder, OutputPipe};
use crate::command_line::{cmd_line, join};
use crate::containment::{Container, Job};
use crate::error::{Error, ErrorKind, Result};
use crate::poller::completion_port::CompletionPort;
use crate::script::{
    CmdScript, MSYS_SCRIPT_VARIABLE, MSYS_START, cmd_script, msys_epilogue, msys_prologue, shell_name,
};
use crate::shell::ShellKind;
use crate::spec::Spec;

/// A new process can be started in a folder whose path has fewer UTF-16 units than this (MAX_PATH, and room for a file name).
const MAX_START_FOLDER_UNITS: usize = 246;

/// Starts the one shell of a run.
#[derive(Debug)]
pub struct Spawner {
    port: Arc<CompletionPort>,
    job: Arc<Job>,
}

impl Spawner {
    pub(crate) const fn new(port: Arc<CompletionPort>, job: Arc<Job>) -> Self {
        Self { port, job }
    }

    /// Starts the shell. `scripts` is where the folder of its script is made.
    ///
    /// # Errors
    /// `CWD_MISSING`, `SHELL_NOT_FOUND`, `OUTPUT_UNWRITABLE` (no place for the script), `SPAWN_FAILED`; nothing is left
    /// running.
    pub fn start(self, spec: &Spec, scripts: Option<&OutputFolder>) -> Result<StartedShell> {
        check_cwd(&spec.cwd)?;
        let is_msys = spec.shell.kind != ShellKind::Cmd;
        let (command_line, script, env) =
            if is_msys { self.for_msys(spec, scripts)? } else { self.for_cmd(spec, scripts)? };

        let no_pipe = |e| Error::io(ErrorKind::SpawnFailed, "cannot make a pipe", e);
        let (out, out_child) = OutputPipe::pair(&self.port).map_err(no_pipe)?;
        let (err, err_child) = if spec.foreground {
            let (read, write) = OutputPipe::pair(&self.port).map_err(no_pipe)?;
            (Some(read), Some(write))
        } else {
            (None, None)
        };
        let folder = start_folder(spec, script.as_ref(), is_msys)?;
        let (process, pid) = start_process(&NewProcess {
            program: &spec.shell.path,
            command_line: &command_line,
            folder,
            env: &env,
            out: &out_child,
            err: err_child.as_ref().unwrap_or(&out_child),
            job: &self.job,
        })
        .map_err(|e| spawn_error(spec, e))?;
        let container = Container::new(Arc::clone(&self.job), process, is_msys, script, self.port).map_err(|e| {
            self.job.terminate();
            Error::io(ErrorKind::SpawnFailed, "cannot wait for the shell", e)
        })?;
        Ok(StartedShell { pid: pid.cast_signed(), container, out, err })
    }

    fn for_msys(&self, spec: &Spec, scripts: Option<&OutputFolder>) -> Result<Prepared> {
        let name = shell_name(ShellKind::Bash);
        let old_pwd = spec.env.iter().find(|(n, _)| n.eq_ignore_ascii_case("OLDPWD")).map(|(_, v)| v.as_str());
        let prologue = msys_prologue(&spec.cwd, old_pwd);
        let folder = needed(scripts)?;
        let parts = [&prologue, spec.script.as_str(), msys_epilogue(&spec.script)].map(str::as_bytes);
        let script = ScriptFolder::create(folder, &spec.id, name, &parts)?;
        let mut env = spec.env.clone();
        env.push((MSYS_SCRIPT_VARIABLE.into(), script.path().into()));
        // `exit` of a login shell runs /etc/bash.bash_logout, and that of Git clears the screen (into our output) for a shell
        // of level 1: one that nobody has started.
        if !env.iter().any(|(name, _)| name.eq_ignore_ascii_case("SHLVL")) {
            env.push(("SHLVL".into(), "1".into()));
        }
        Ok((join(&spec.shell.path, &["-l", "-c", MSYS_START, name]), Some(script), env))
    }

    fn for_cmd(&self, spec: &Spec, scripts: Option<&OutputFolder>) -> Result<Prepared> {
        let env = spec.env.clone();
        match cmd_script(&spec.script) {
            CmdScript::Typed(line) => Ok((cmd_line(&spec.shell.path, &line), None, env)),
            CmdScript::Batch(text) => {
                let bytes = crate::log::to_oem(&text);
                let script = ScriptFolder::create(needed(scripts)?, &spec.id, "script.cmd", &[&bytes])?;
                let call = format!("\"{}\\script.cmd\"", script.path());
                Ok((cmd_line(&spec.shell.path, &call), Some(script), env))
            }
        }
    }
}

/// Command line, script, environment.
type Prepared = (String, Option<ScriptFolder>, Vec<(String, String)>);

fn needed(scripts: Option<&OutputFolder>) -> Result<&OutputFolder> {
    scripts.ok_or_else(|| {
        let message = "no folder for the script of the command: set TEMP to a folder that you may write to";
        Error::new(ErrorKind::OutputUnwritable, message)
    })
}

/// Bash goes to the working directory by itself, also where the path is too long to be started in.
fn start_folder<'a>(spec: &'a Spec, script: Option<&'a ScriptFolder>, is_msys: bool) -> Result<&'a str> {
    if spec.cwd.encode_utf16().count() < MAX_START_FOLDER_UNITS {
        return Ok(&spec.cwd);
    }
    script.filter(|_| is_msys).map(ScriptFolder::path).ok_or_else(|| {
        let message =
            format!("working directory has too long a path for cmd.exe: {} (install Git for Windows)", spec.cwd);
        Error::new(ErrorKind::CwdMissing, message)
    })
}

/// A missing folder must not be reported as a missing shell, so it is looked at first.
fn check_cwd(cwd: &str) -> Result<()> {
    let missing =
        |what: &str| format!("working directory {what}: {cwd} (make it again, or start pi in a folder that exists)");
    match std::fs::metadata(cwd) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Error::new(ErrorKind::CwdMissing, missing("is not a folder"))),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            Err(Error::io(ErrorKind::CwdMissing, missing("does not exist"), e))
        }
        Err(e) if e.kind() == io::ErrorKind::NotADirectory => {
            Err(Error::io(ErrorKind::CwdMissing, missing("is not a folder"), e))
        }
        Err(e) => Err(Error::io(ErrorKind::CwdMissing, missing("cannot be opened"), e)),
    }
}

fn spawn_error(spec: &Spec, error: io::Error) -> Error {
    let path = &spec.shell.path;
    let hint = "set `shell` in config.json, or install Git for Windows";
    let (kind, message) = match error.raw_os_error().map(i32::cast_unsigned) {
        Some(ERROR_FILE_NOT_FOUND | ERROR_PATH_NOT_FOUND) => {
            (ErrorKind::ShellNotFound, format!("no shell at {path}: {hint}"))
        }
        Some(ERROR_ACCESS_DENIED | ERROR_BAD_EXE_FORMAT) => {
            (ErrorKind::ShellNotFound, format!("{path} is not executable: {hint}"))
        }
        Some(ERROR_DIRECTORY) => (ErrorKind::CwdMissing, format!("working directory cannot be entered: {}", spec.cwd)),
        Some(ERROR_FILENAME_EXCED_RANGE) => {
            (ErrorKind::SpawnFailed, format!("the command line or a path is too long for {path}"))
        }
        _ => (ErrorKind::SpawnFailed, format!("cannot start {path}")),
    };
    Error::io(kind, message, error)
}
