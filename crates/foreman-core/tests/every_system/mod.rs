//! Tests that are the same on every system, whose shell is bash.

mod exits;
// The bash of macOS, 3.2, has other messages.
#[cfg(not(target_os = "macos"))]
mod script_transport;
