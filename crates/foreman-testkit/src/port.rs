//! A process that holds something which another one may want next.

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;

use crate::readiness::wait_for_ever;

/// Listens on a free port of this machine, prints its number instead of `ready`, and stays.
pub(crate) fn listen() -> ExitCode {
    let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)) else { return ExitCode::FAILURE };
    let Ok(address) = listener.local_addr() else { return ExitCode::FAILURE };
    let _ = writeln!(std::io::stdout(), "{}", address.port());
    wait_for_ever()
}
