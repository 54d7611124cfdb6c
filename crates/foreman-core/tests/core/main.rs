//! The core with real children: every run here is a real `foreman-shim` with a real shell.
//!
//! One file per behaviour. What looks into `/proc`, or needs `setsid`, runs on Linux only. A test's title is the failure
//! that a user would see.

#![cfg(unix)]
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports, reason = "what only the tests of Linux use"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a test program's output is for people")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "said where it is needed")]

#[cfg(target_os = "linux")]
mod background;
#[cfg(target_os = "linux")]
mod capture;
#[cfg(target_os = "linux")]
mod environment;
#[path = "../every_system/mod.rs"]
mod every_system;
mod exits;
mod host_death;
#[cfg(target_os = "linux")]
mod load;
mod requests;
#[cfg(target_os = "linux")]
mod script_transport;
mod stop;
#[cfg(target_os = "linux")]
mod supervisor_death;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the tests of each system use a part of it")]
mod support;
#[cfg(target_os = "linux")]
mod survivors;
mod timeouts;
