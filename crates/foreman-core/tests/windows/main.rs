//! The core on Windows with real children: Git Bash, cmd.exe, and a probe that misbehaves.
//!
//! Runs on Windows, and under Wine with a real Git Bash in its drive C. What Wine cannot show: docs/design/containment.md.

#![cfg(windows)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a test program's output is for people")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "said where it is needed")]

mod capture;
mod cmd;
mod environment;
#[path = "../every_system/mod.rs"]
mod every_system;
mod exits;
mod host_death;
mod journal;
mod load;
mod nested_jobs;
mod parent_walk;
mod refusals;
mod script_transport;
mod stop;
mod supervision_lost;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the tests of each system use a part of it")]
mod support;
