//! On Unix one would look below the parent, in its group, session, environment.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};

use crate::c_library::fork_is_child;
use crate::readiness::{say_ready, say_ready_and_wait, wait_for_ever};

/// How long a link of a fork storm lives.
const STORM_LINK_LIFE: Duration = Duration::from_micros(300);

/// Forks, runs `child` there, and returns in the parent when `child` or a process below it has called what it was given.
fn start(child: impl FnOnce(&mut dyn FnMut())) {
    let Ok((read, write)) = rustix::pipe::pipe() else { return };
    let (mut read, mut write) = (File::from(read), File::from(write));
    if fork_is_child() {
        child(&mut || {
            let _ = write.write_all(b"!");
        });
        std::process::exit(0);
    }
    drop(write);
    let _ = read.read_exact(&mut [0]);
}

/// Two generations below this process, in its group; all three stay.
pub(crate) fn spawn_grandchild() -> ExitCode {
    start(|said| {
        start(|said_below| {
            said_below();
            wait_for_ever();
        });
        said();
        wait_for_ever();
    });
    say_ready_and_wait()
}

/// Stays, in a process group of its own.
pub(crate) fn leave_group() -> ExitCode {
    let _ = rustix::process::setpgid(None, None);
    say_ready_and_wait()
}

/// Stays, in a session of its own.
pub(crate) fn leave_session() -> ExitCode {
    let _ = rustix::process::setsid();
    say_ready_and_wait()
}

/// Ends with a success and leaves a child that stays and holds standard output.
pub(crate) fn orphan_then_exit() -> ExitCode {
    start(|said| {
        said();
        wait_for_ever();
    });
    say_ready();
    ExitCode::SUCCESS
}

/// Ends with a success and leaves a daemon: forked twice, in a session of its own, standard streams on /dev/null.
pub(crate) fn daemonize() -> ExitCode {
    start(|said| {
        let _ = rustix::process::setsid();
        if fork_is_child() {
            let _ = rustix::process::chdir("/");
            if let Ok(null) = rustix::fs::open("/dev/null", OFlags::RDWR, Mode::empty()) {
                let _ = rustix::stdio::dup2_stdin(&null);
                let _ = rustix::stdio::dup2_stdout(&null);
                let _ = rustix::stdio::dup2_stderr(&null);
            }
            said();
            wait_for_ever();
        }
    });
    say_ready();
    ExitCode::SUCCESS
}

/// Stays, with an empty environment.
pub(crate) fn clear_env() -> ExitCode {
    if let Ok(this) = std::env::current_exe() {
        let _ = Command::new(this).arg("wait").env_clear().exec();
    }
    ExitCode::FAILURE
}

/// `chains` processes that fork and exit every 0.3 ms, so that no list of processes is true when it is read. The first
/// link of the storm ends; each link may open a session of its own.
pub(crate) fn fork_storm(chains: u64, in_sessions: bool) -> ExitCode {
    for _ in 0..chains {
        start(|said| {
            let mut is_first = true;
            loop {
                if !fork_is_child() {
                    std::process::exit(0);
                }
                if in_sessions {
                    let _ = rustix::process::setsid();
                }
                if std::mem::take(&mut is_first) {
                    said();
                }
                std::thread::sleep(STORM_LINK_LIFE);
            }
        });
    }
    say_ready();
    ExitCode::SUCCESS
}
