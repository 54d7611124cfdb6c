//! How a probe says that it has set itself up, and how it stays.

use std::io::Write as _;
use std::process::ExitCode;

/// Prints the line that tests wait for. Nobody may be listening; that is not the probe's trouble.
pub(crate) fn say_ready() {
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(b"ready\n").and_then(|()| stdout.flush());
}

/// Stays until a signal ends this process.
pub(crate) fn wait_for_ever() -> ! {
    loop {
        std::thread::park();
    }
}

/// Says that it is there, and stays.
pub(crate) fn say_ready_and_wait() -> ExitCode {
    say_ready();
    wait_for_ever()
}
