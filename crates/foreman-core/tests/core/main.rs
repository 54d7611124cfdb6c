//! The core with real children: every run here is a real `foreman-shim` with a real shell.
//!
//! One file per behaviour. A test's title is the failure that a user would see.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a test program's output is for people")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "said where it is needed")]

mod background;
mod capture;
mod environment;
mod exits;
mod host_death;
mod load;
mod requests;
mod script_transport;
mod stop;
mod supervisor_death;
mod support;
mod survivors;
mod timeouts;
