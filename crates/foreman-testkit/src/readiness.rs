//! How a probe says that it has set itself up, and how it stays.

use std::io::Write as _;
use std::process::ExitCode;

/// Prints the line that tests wait for. Nobody may be listening; that is not the probe's trouble.
///
/// On Windows it has the number of the process, which tests hold on to there and a shell cannot tell, and what it does; and
/// the probe lets go of its console, whose end takes along whoever has it: no test should find one gone by that chance.
pub(crate) fn say_ready() {
    #[cfg(windows)]
    // SAFETY: a call without arguments. Standard streams that are pipes stay open.
    unsafe {
        windows_sys::Win32::System::Console::FreeConsole();
    }
    let line = if cfg!(windows) {
        format!("ready {} {}\n", std::process::id(), std::env::args().nth(1).unwrap_or_default())
    } else {
        "ready\n".to_owned()
    };
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush());
}

/// Stays until somebody ends this process.
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
