//! On Windows one would look below the parent, or in its job.

use std::io::{BufRead as _, BufReader};
use std::os::windows::io::AsRawHandle as _;
use std::os::windows::process::CommandExt as _;
use std::process::{Child, Command, ExitCode, Stdio};

use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_BREAKAWAY_OK, JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
};
use windows_sys::Win32::System::Threading::{CREATE_BREAKAWAY_FROM_JOB, CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS};

use crate::readiness::{say_ready, say_ready_and_wait};

/// Starts this program once more with another subcommand, which prints to the same place.
fn start(subcommand: &str, flags: u32) -> Option<Child> {
    let this = std::env::current_exe().ok()?;
    Command::new(this).arg(subcommand).creation_flags(flags).stdin(Stdio::null()).spawn().ok()
}

/// Two generations below this process; all three stay.
pub(crate) fn spawn_grandchild() -> ExitCode {
    if start("spawn-child", 0).is_none() {
        return ExitCode::FAILURE;
    }
    say_ready_and_wait()
}

/// One generation below this process; both stay.
pub(crate) fn spawn_child() -> ExitCode {
    if start("wait", 0).is_none() {
        return ExitCode::FAILURE;
    }
    say_ready_and_wait()
}

/// Ends with a success and leaves a child that stays and holds standard output. The child's parent link leads nowhere.
pub(crate) fn orphan_then_exit() -> ExitCode {
    if start("wait", 0).is_none() {
        return ExitCode::FAILURE;
    }
    say_ready();
    ExitCode::SUCCESS
}

/// Ends with a success and leaves a daemon: no console, a process group of its own, standard streams on NUL. Prints the
/// line of the daemon in its place.
pub(crate) fn daemonize() -> ExitCode {
    let Ok(this) = std::env::current_exe() else { return ExitCode::FAILURE };
    let daemon = Command::new(this)
        .arg("wait")
        .creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(Some(said)) = daemon.map(|mut daemon| daemon.stdout.take()) else { return ExitCode::FAILURE };
    let mut line = String::new();
    if BufReader::new(said).read_line(&mut line).is_err() {
        return ExitCode::FAILURE;
    }
    crate::output::say(&line);
    ExitCode::SUCCESS
}

/// Tries to start a child outside of the job, as the MSYS runtime does whenever it may, and stays with a usual one when it
/// may not. Prints `broke away` or `kept in` first.
pub(crate) fn break_away() -> ExitCode {
    let away = start("wait", CREATE_BREAKAWAY_FROM_JOB);
    crate::output::say(if away.is_some() { "broke away\n" } else { "kept in\n" });
    if away.is_none() && start("wait", 0).is_none() {
        return ExitCode::FAILURE;
    }
    say_ready_and_wait()
}

/// Makes a job of its own that lets its members go, puts a new process into it that starts another one, and stays. All three
/// are ready when it is.
pub(crate) fn nest_job() -> ExitCode {
    let limits = JOB_OBJECT_LIMIT_BREAKAWAY_OK | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
    let mut extended = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    extended.BasicLimitInformation.LimitFlags = limits;
    // SAFETY: no name and no attributes; the structure is the one of its class. The handle stays open until this process ends.
    let job = unsafe {
        let job = CreateJobObjectW(std::ptr::null(), std::ptr::null());
        let bytes = size_of_val(&extended) as u32;
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, (&raw const extended).cast(), bytes);
        job
    };
    // Its input is its sign that it is in.
    let this = std::env::current_exe();
    let child = this.and_then(|this| Command::new(this).arg("spawn-child-when-told").stdin(Stdio::piped()).spawn());
    let Ok(mut child) = child else { return ExitCode::FAILURE };
    // SAFETY: both handles are open.
    if unsafe { AssignProcessToJobObject(job, child.as_raw_handle()) } == 0 {
        crate::output::say("not nested\n");
    }
    drop(child.stdin.take());
    say_ready_and_wait()
}

/// As [`spawn_child`], once its input has ended.
pub(crate) fn spawn_child_when_told() -> ExitCode {
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    spawn_child()
}
