//! A `foreman-shim` process and its two pipes; and one that is started ahead, so that a command need not wait for it.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process};

use crate::error::{Error, ErrorKind, Result};

/// A supervisor that has heard nothing yet, or has been told its run.
#[derive(Debug)]
pub(super) struct Supervisor {
    pub(super) child: Child,
    /// Its end is the end of the host, to the supervisor.
    pub(super) control: File,
    pub(super) events: File,
}

/// The one that waits, and the program it runs.
static SPARE: Mutex<Option<(PathBuf, Supervisor)>> = Mutex::new(None);

impl Supervisor {
    /// Tells a supervisor its run: the one that waits, or else a new one.
    ///
    /// # Errors
    /// `SHIM_MISSING`, `SPAWN_FAILED`.
    pub(super) fn launch(shim: &Path, launch_frame: &[u8]) -> Result<Self> {
        // Somebody may have killed the one that waits; then nothing was started yet.
        if let Some(mut supervisor) = take_spare(shim) {
            if supervisor.tell(launch_frame).is_ok() {
                return Ok(supervisor);
            }
            let _ = supervisor.child.kill();
            let _ = supervisor.child.wait();
        }
        let mut supervisor = Self::start(shim)?;
        // One that died before it read this shows as the end of its events.
        let _ = supervisor.tell(launch_frame);
        Ok(supervisor)
    }

    fn tell(&mut self, launch_frame: &[u8]) -> io::Result<()> {
        if self.child.try_wait()?.is_some() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        // As with every request: it may have been stopped.
        let _ = kill_process(Pid::from_child(&self.child), Signal::CONT);
        self.control.write_all(launch_frame)
    }

    fn start(shim: &Path) -> Result<Self> {
        let failed = |e: io::Error| match e.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Error::io(
                ErrorKind::ShimMissing,
                format!("{} cannot be run: reinstall pi-foreman with its optional dependencies", shim.display()),
                e,
            ),
            _ => Error::io(ErrorKind::SpawnFailed, "cannot start the supervisor", e),
        };
        let (control_read, control_write) = io::pipe().map_err(failed)?;
        let (events_read, events_write) = io::pipe().map_err(failed)?;
        let child = Command::new(shim)
            .env_clear()
            .stdin(control_read)
            .stdout(events_write)
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let [control, events] = [control_write.into(), events_read.into()].map(|fd: OwnedFd| File::from(fd));
        Ok(Self { child, control, events })
    }
}

/// Starts a supervisor ahead, unless one waits already. Trouble is left to the launch that needs one.
pub(super) fn start_spare(shim: &Path) {
    let is_there = spare().as_ref().is_some_and(|(path, _)| path == shim);
    if is_there {
        return;
    }
    let Ok(fresh) = Supervisor::start(shim) else { return };
    // Another run may have been as quick.
    let superfluous = spare().replace((shim.to_owned(), fresh));
    if let Some((_, Supervisor { mut child, control, events })) = superfluous {
        drop((control, events));
        let _ = child.wait();
    }
}

fn take_spare(shim: &Path) -> Option<Supervisor> {
    let mut spare = spare();
    if spare.as_ref()?.0 != shim {
        return None;
    }
    spare.take().map(|(_, supervisor)| supervisor)
}

fn spare() -> MutexGuard<'static, Option<(PathBuf, Supervisor)>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::fs::PermissionsExt as _;

    use rustix::io::Errno;
    use rustix::process::test_kill_process;

    use super::*;

    /// Says what it was told, like a supervisor that only listens.
    const ECHO: &str = "/bin/cat";

    fn spare_pid() -> Option<Pid> {
        spare().as_ref().map(|(_, supervisor)| Pid::from_child(&supervisor.child))
    }

    /// Launches one, and returns its process and what it heard.
    fn launched(frame: &[u8]) -> (Pid, Vec<u8>) {
        let Supervisor { mut child, control, mut events } = Supervisor::launch(Path::new(ECHO), frame).unwrap();
        drop(control);
        let mut heard = Vec::new();
        events.read_to_end(&mut heard).unwrap();
        assert!(child.wait().unwrap().success());
        (Pid::from_child(&child), heard)
    }

    #[test]
    fn the_supervisor_that_waits_is_not_used_or_its_end_fails_a_command() {
        let shim = Path::new(ECHO);
        start_spare(shim);
        let waiting = spare_pid();
        start_spare(shim);
        assert_eq!(spare_pid(), waiting, "one is enough");
        assert_eq!(launched(b"first"), (waiting.unwrap(), b"first".to_vec()));
        assert_eq!(spare_pid(), None);

        start_spare(shim);
        let killed = spare_pid().unwrap();
        kill_process(killed, Signal::KILL).unwrap();
        spare().as_mut().unwrap().1.child.wait().unwrap();
        let (pid, heard) = launched(b"second");
        assert_eq!(heard, b"second");
        assert_ne!(pid, killed);

        start_spare(shim);
        let stopped = spare_pid().unwrap();
        kill_process(stopped, Signal::STOP).unwrap();
        assert_eq!(launched(b"third"), (stopped, b"third".to_vec()));

        let folder = tempfile::tempdir().unwrap();
        let deaf = folder.path().join("deaf");
        std::fs::write(&deaf, "#!/bin/sh\nexec <&-\necho deaf\nexec sleep 1000\n").unwrap();
        std::fs::set_permissions(&deaf, std::fs::Permissions::from_mode(0o755)).unwrap();
        start_spare(&deaf);
        let waiting = spare_pid().unwrap();
        spare().as_mut().unwrap().1.events.read_exact(&mut [0; 5]).unwrap();
        let mut next = Supervisor::launch(&deaf, b"fourth").unwrap();
        next.child.kill().unwrap();
        next.child.wait().unwrap();
        assert_eq!(test_kill_process(waiting), Err(Errno::SRCH), "it is left, or not collected");

        start_spare(shim);
        assert_eq!(Supervisor::launch(Path::new("/no/such/shim"), b"").unwrap_err().kind(), ErrorKind::ShimMissing);
    }
}
