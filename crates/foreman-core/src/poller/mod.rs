//! Where a supervisor waits for whatever comes first: an end, a request, output, or a time.

#[cfg(windows)]
pub(crate) mod completion_port;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::Poller;
#[cfg(windows)]
pub use windows::Poller;

use crate::capture::Stream;

/// What a wait brought. A wait that was interrupted brought nothing, and is only a short one.
#[derive(Debug, Default)]
pub struct Ready {
    /// A member has ended.
    pub end: bool,
    /// The host has said something, or is gone.
    pub request: bool,
    /// These have output, or have ended.
    pub streams: [Option<Stream>; 2],
}
