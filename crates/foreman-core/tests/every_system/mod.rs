//! Tests that are the same on every system, whose shell is bash.

mod exits;
mod script_transport;
