//! A process that belongs to somebody else than who started it.

use std::process::ExitCode;

use crate::readiness::say_ready_and_wait;

/// Stays as root, as a command under `sudo` does. The program has to be set-user-id root.
pub(crate) fn become_root() -> ExitCode {
    let root = rustix::process::Uid::ROOT;
    match rustix::thread::set_thread_res_uid(root, root, root) {
        Ok(()) => say_ready_and_wait(),
        Err(_) => ExitCode::FAILURE,
    }
}
