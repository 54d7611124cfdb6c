//! What macOS does its own way when a shell is started.

use std::io::{self, Write as _};
use std::ops::RangeInclusive;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, getppid};

use crate::capture::OutputFolder;

/// All numbers that a signal can have; there are no real-time ones.
pub(super) const SIGNALS: RangeInclusive<i32> = 1..=31;

/// Where the script lies for a moment when there is no folder for output: the run goes on without a log.
const OWN_FOLDER: &str = "/tmp/pi-foreman-script";

/// A file without a name that holds these parts, at its start, for reading only. There is no memory file on macOS: it is
/// made in `folder`, which is ours, and has its name for the moment until it is open.
///
/// Opening `/dev/fd/3` gives another descriptor of the same open file, so the shell and descriptor 3 share one position. The
/// prologue closes descriptor 3 before anything could read from it.
pub(super) fn script_file(parts: [&[u8]; 2], folder: Option<&OutputFolder>) -> io::Result<OwnedFd> {
    let own =
        if folder.is_none() { Some(OutputFolder::open(OWN_FOLDER, &[]).map_err(io::Error::other)?) } else { None };
    let folder = folder.or(own.as_ref()).ok_or(io::ErrorKind::NotFound)?;
    let name = format!("script-{}", std::process::id());
    // What a supervisor that was killed in this moment has left, if its number came around again.
    folder.remove_file(&name)?;
    let (mut file, _) = folder.create_file(&name).map_err(io::Error::other)?;
    let written = parts.into_iter().try_for_each(|part| file.write_all(part));
    let opened = written.and_then(|()| folder.open_file(&name));
    folder.remove_file(&name)?;
    Ok(opened?.into())
}

/// Runs between fork and exec. No signal can be ordered for the end of the supervisor; one that has ended already is seen.
pub(super) fn prepare_child(supervisor: Pid) -> io::Result<()> {
    if getppid() != Some(supervisor) {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    Ok(())
}

/// Runs in the supervisor when its shell has been started.
pub(super) const fn after_start() {}

/// Runs between fork and exec.
pub(super) fn set_default(signal: i32) {
    // SAFETY: sets an action that is no function; KILL and STOP are refused by the system.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}
