//! A process that belongs to somebody else than who started it.

use std::process::ExitCode;

use crate::c_library::become_user;
use crate::readiness::say_ready_and_wait;

/// The number of the user that may do everything.
const ROOT: u32 = 0;

/// Stays as root, as a command under `sudo` does. The program has to be set-user-id root.
pub(crate) fn become_root() -> ExitCode {
    if become_user(ROOT) { say_ready_and_wait() } else { ExitCode::FAILURE }
}
