//! What a collected shell did.

use rustix::process::WaitStatus;

use crate::outcome::Exit;

/// A signal is told from a code, whatever number the code has.
pub(super) fn exit_of(status: WaitStatus) -> Exit {
    match status.terminating_signal() {
        Some(signal) => Exit::Signal(signal),
        None => Exit::Code(status.exit_status().unwrap_or_default()),
    }
}
