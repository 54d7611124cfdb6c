//! The supervisor of one run. Started by the addon, never by hand.
//!
//! It is a process of its own so that the end of pi, however it comes, is the end of the run, and so that every orphan
//! of the run becomes its child. All it does is in `foreman_core::shim`.

#[cfg(unix)]
fn main() {
    // SAFETY: nothing has run before this: there is one thread, and no descriptor was opened.
    unsafe { foreman_core::shim::run() }
}

/// Nobody's: on Windows a thread of the addon supervises. Here so that the workspace builds as a whole.
#[cfg(not(unix))]
fn main() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
