//! Processes that print too much, too little at a time, or too late.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

/// What one write of a flood has.
const BLOCK_BYTES: usize = 64 * 1024;

/// Standard output without std's line buffer.
fn print(bytes: &[u8]) -> bool {
    own_stdout().is_ok_and(|mut stdout| stdout.write_all(bytes).is_ok())
}

/// A duplicate shares what it writes to; nothing is buffered on the way.
#[cfg(unix)]
fn own_stdout() -> std::io::Result<std::fs::File> {
    Ok(rustix::io::dup(rustix::stdio::stdout())?.into())
}

#[cfg(windows)]
fn own_stdout() -> std::io::Result<std::fs::File> {
    use std::os::windows::io::AsHandle as _;
    Ok(std::io::stdout().as_handle().try_clone_to_owned()?.into())
}

/// Prints a line.
#[cfg(windows)]
pub(crate) fn say(line: &str) {
    print(line.as_bytes());
}

/// Length of the pattern that a flood repeats: prime to every block size, so that a lost or doubled block shows.
const PERIOD_BYTES: usize = 251;

/// Prints `bytes` bytes as fast as they are taken; byte number `i` is `i % 251`. Ends.
pub(crate) fn flood(bytes: u64) -> ExitCode {
    let pattern: Vec<u8> = (0..251).cycle().take(BLOCK_BYTES + PERIOD_BYTES).collect();
    let mut done = 0;
    while done < bytes {
        let now = usize::try_from(bytes - done).map_or(BLOCK_BYTES, |left| left.min(BLOCK_BYTES));
        let phase = usize::try_from(done % PERIOD_BYTES as u64).unwrap_or_default();
        if !print(&pattern[phase..phase + now]) {
            return ExitCode::FAILURE;
        }
        done += now as u64;
    }
    ExitCode::SUCCESS
}

/// Prints `lines` numbered lines, one every `pause_ms`. Ends.
pub(crate) fn write_slowly(lines: u64, pause_ms: u64) -> ExitCode {
    for n in 1..=lines {
        if !print(format!("{n}\n").as_bytes()) {
            return ExitCode::FAILURE;
        }
        std::thread::sleep(Duration::from_millis(pause_ms));
    }
    ExitCode::SUCCESS
}

/// Prints one line of `bytes` bytes. Ends.
pub(crate) fn long_line(bytes: u64) -> ExitCode {
    let block = vec![b'x'; BLOCK_BYTES];
    let mut left = bytes;
    while left > 0 {
        let now = usize::try_from(left).map_or(BLOCK_BYTES, |left| left.min(BLOCK_BYTES));
        if !print(&block[..now]) {
            return ExitCode::FAILURE;
        }
        left -= now as u64;
    }
    if print(b"\n") { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints `bytes` bytes with one write and is gone.
pub(crate) fn write_then_exit(bytes: u64, code: u64) -> ExitCode {
    print(&vec![b'a'; usize::try_from(bytes).unwrap_or_default()]);
    std::process::exit(i32::try_from(code).unwrap_or(1))
}
