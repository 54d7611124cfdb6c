//! The last check: no test has left a process. Cargo runs test programs in the order of their names, so this one comes
//! after `core`.

#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

/// Set for every run of the tests, to the checkout they were built from: others may be testing on this machine.
const TEST_MARK: &str = concat!("FOREMAN_CORE_TEST=", env!("CARGO_MANIFEST_DIR"));

/// Supervisors end a moment after they said so.
const BOUND: Duration = Duration::from_secs(10);

#[test]
fn a_test_left_a_process() {
    let give_up_at = Instant::now() + BOUND;
    loop {
        let left = marked();
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < give_up_at, "left: {left:?}");
        std::thread::yield_now();
    }
}

/// Pid and command line of every process that carries the mark.
fn marked() -> Vec<(String, String)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter(|entry| {
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == TEST_MARK.as_bytes())
        })
        .map(|entry| {
            let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let pid = entry.file_name().to_string_lossy().into_owned();
            (pid, String::from_utf8_lossy(&command).replace('\0', " "))
        })
        .collect()
}
