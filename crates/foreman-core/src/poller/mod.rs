//! Where a supervisor waits for whatever comes first: an end, a request, output, or a time.

#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::Poller;

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
