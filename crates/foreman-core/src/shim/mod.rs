//! What the supervisor executable does: become a process that can supervise, then supervise one run.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as system;

use std::io;
use std::os::fd::AsFd as _;

use signal_hook::consts::SIGCHLD;

use crate::containment::Container;
use crate::error::{Error, ErrorKind};
use crate::frame::Event;
use crate::link::Link;
use crate::poller::Poller;
use crate::spawn::Spawner;
use crate::supervise::supervise;

/// Supervises the run that comes over standard input and returns when it is over.
///
/// # Safety
/// This process has one thread, and nobody owns a descriptor above 2.
pub unsafe fn run() {
    // Whatever the host's own parent left open would otherwise be open in every command.
    // SAFETY: the caller promises that nobody owns these.
    unsafe { system::close_inherited() };
    let prepared = prepare().map_err(|e| Error::io(ErrorKind::SpawnFailed, "the supervisor cannot set itself up", e));
    let (stdin, stdout) = (io::stdin(), io::stdout());
    let (Ok(control), Ok(events)) = (stdin.as_fd().try_clone_to_owned(), stdout.as_fd().try_clone_to_owned()) else {
        return;
    };
    let Some((mut link, spec)) = Link::open(control, events) else { return };
    match prepared.and_then(|prepared| Ok((prepared, spec?))) {
        Ok(((poller, spawner), spec)) => supervise(&spec, link, &poller, spawner),
        Err(e) => {
            link.send(Event::Failed { kind: e.kind(), message: e.to_string() });
            link.flush();
        }
    }
}

fn prepare() -> io::Result<(Poller, Spawner)> {
    // Before anything else is opened.
    let spawner = Spawner::new()?;
    // A terminal's Ctrl+C and hang-up are for pi. We end when the control pipe does.
    system::block_signals_except(&[SIGCHLD, libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT]);
    let _ = rustix::process::setsid();
    // Nobody's folder should be held busy by us.
    let _ = rustix::process::chdir("/");
    Container::prepare()?;
    system::wake_at_end_of_host()?;
    Ok((Poller::new()?, spawner))
}

/// Closes every descriptor above 2 that this folder lists.
///
/// # Safety
/// Nobody owns a descriptor above 2.
unsafe fn close_listed(folder: &str) {
    let open: Vec<i32> = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().filter_map(|e| e.file_name().to_str()?.parse().ok()).collect())
        .unwrap_or_default();
    for fd in open.into_iter().filter(|fd| *fd > 2) {
        // SAFETY: the caller promises that nobody owns it; the one that listed the folder is closed already, which is an
        // error without effect.
        unsafe { libc::close(fd) };
    }
}
