//! Its own session, nothing open, nothing blocked, nothing ignored.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::Pid;

use super::{StartedShell, system};
use crate::capture::{OutputFolder, OutputPipe};
use crate::containment::Container;
use crate::error::{Error, ErrorKind, Result};
use crate::script::{SCRIPT_FD, SCRIPT_LINK, prologue, shell_name};
use crate::spec::Spec;

/// Starts the one shell of this process.
#[derive(Debug)]
pub struct Spawner {
    /// Keeps the descriptor number that the script will have, so that nothing else gets it.
    reserved: OwnedFd,
}

impl Spawner {
    /// Call it first, after every inherited descriptor was closed.
    ///
    /// # Errors
    /// When `/dev/null` cannot be opened.
    pub fn new() -> io::Result<Self> {
        let reserved = rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        if reserved.as_raw_fd() == SCRIPT_FD {
            return Ok(Self { reserved });
        }
        Err(io::Error::other("the script's descriptor is taken"))
    }

    /// Starts the shell.
    ///
    /// `links` is the folder for the link that names the script; without it the script is started by its descriptor's path,
    /// which then stands before the shell's messages.
    ///
    /// # Errors
    /// `CWD_MISSING`, `SHELL_NOT_FOUND`, `SPAWN_FAILED`; nothing is left running.
    pub fn start(mut self, spec: &Spec, links: Option<&OutputFolder>) -> Result<StartedShell> {
        check_cwd(&spec.cwd)?;
        let name = shell_name(spec.shell.kind);
        let links = links.filter(|folder| folder.ensure_link(name, SCRIPT_LINK).is_ok());
        let old_pwd = spec.env.iter().find(|(n, _)| n == "OLDPWD").map(|(_, v)| v.as_str());
        let prologue = prologue(spec.shell.kind, &spec.cwd, old_pwd, links.is_some());
        let script = system::script_file([prologue.as_bytes(), spec.script.as_bytes()], links)
            .map_err(|e| Error::io(ErrorKind::SpawnFailed, "cannot hand the script over", e))?;

        let no_pipe = |e| Error::io(ErrorKind::SpawnFailed, "cannot make a pipe", e);
        // Not closed on exec: the shell is the only process that this one ever starts.
        rustix::io::dup2(&script, &mut self.reserved)
            .map_err(|e| Error::io(ErrorKind::SpawnFailed, "cannot hand the script over", e))?;
        drop(script);

        let (out, out_child) = OutputPipe::pair().map_err(no_pipe)?;
        let (err, err_child) = if spec.foreground {
            let (read, write) = OutputPipe::pair().map_err(no_pipe)?;
            (Some(read), write)
        } else {
            (None, out_child.try_clone().map_err(no_pipe)?)
        };

        let mut command = Command::new(&spec.shell.path);
        command
            .arg0(name)
            .arg(if links.is_some() { name } else { SCRIPT_LINK })
            .env_clear()
            .envs(spec.env.iter().map(|(n, v)| (n, v)))
            .stdin(Stdio::null())
            .stdout(out_child)
            .stderr(err_child);
        if links.is_none() {
            command.current_dir(&spec.cwd);
        }
        // By its handle: at its path there may be another folder by now, with another script.
        let links = links.map(|folder| folder.as_fd().as_raw_fd());
        let supervisor = rustix::process::getpid();
        // SAFETY: the hook runs in the child between fork and exec and calls only async-signal-safe functions on values that
        // it owns, and on the handle of a folder that the caller keeps; it allocates nothing. This process has one thread.
        unsafe {
            command.pre_exec(move || {
                if let Some(links) = links {
                    rustix::process::fchdir(BorrowedFd::borrow_raw(links))?;
                }
                prepare_child(supervisor)
            });
        }
        let child = command.spawn().map_err(|e| spawn_error(spec, e))?;
        let pid = Pid::from_child(&child);
        system::after_start();
        Ok(StartedShell { pid: pid.as_raw_pid(), container: Container::new(pid, &spec.id), out, err })
    }
}

/// What a killed supervisor has left of a script. Nothing: it lay in memory.
pub(crate) const fn forget_script(_output_base: &str, _run_id: &str) {}

/// A missing folder must not be reported as a missing shell, so it is looked at first.
fn check_cwd(cwd: &str) -> Result<()> {
    let missing = |what: &str, e: Errno| {
        Error::io(
            ErrorKind::CwdMissing,
            format!("working directory {what}: {cwd} (make it again, or start pi in a folder that exists)"),
            e,
        )
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match rustix::fs::open(cwd, flags, Mode::empty()) {
        Ok(_) | Err(Errno::ACCESS) => {}
        Err(e @ Errno::NOENT) => return Err(missing("does not exist", e)),
        Err(e @ Errno::NOTDIR) => return Err(missing("is not a folder", e)),
        Err(e) => return Err(missing("cannot be opened", e)),
    }
    rustix::fs::accessat(CWD, cwd, Access::EXEC_OK, AtFlags::EACCESS).map_err(|e| missing("cannot be entered", e))
}

fn spawn_error(spec: &Spec, error: io::Error) -> Error {
    let path = &spec.shell.path;
    match error.kind() {
        io::ErrorKind::NotFound => {
            Error::io(ErrorKind::ShellNotFound, format!("no shell at {path}: set `shell` in config.json"), error)
        }
        io::ErrorKind::PermissionDenied => {
            Error::io(ErrorKind::ShellNotFound, format!("{path} is not executable: set `shell` in config.json"), error)
        }
        io::ErrorKind::ArgumentListTooLong => Error::io(
            ErrorKind::SpawnFailed,
            format!("the environment is too large for {path}: pass large values in files"),
            error,
        ),
        _ => Error::io(ErrorKind::SpawnFailed, format!("cannot start {path}"), error),
    }
}

/// Runs between fork and exec.
fn prepare_child(supervisor: Pid) -> io::Result<()> {
    rustix::process::setsid()?;
    reset_signals();
    system::prepare_child(supervisor)
}

/// An exec keeps ignored signals ignored and blocked ones blocked; a command has to start with neither.
fn reset_signals() {
    system::SIGNALS.for_each(system::set_default);
    // SAFETY: an all-zero set is a valid one, sigemptyset makes it the empty one, and it outlives the call.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}
