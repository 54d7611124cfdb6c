//! `probe`: a child program with one misbehaviour per subcommand, for tests of the core.
//!
//! A subcommand that stays prints the line `ready` after it has set itself up; from then on it does what its name says.
//! None of them ends by itself unless its description says so: the test ends it.

#[cfg(unix)]
mod c_library;
mod descendants;
#[cfg(unix)]
mod identity;
#[cfg(windows)]
mod lent_output;
mod output;
mod port;
mod readiness;
#[cfg(unix)]
mod signals;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, args)) = args.split_first() else { return usage() };
    let number = |at: usize| args.get(at).and_then(|text| text.parse::<u64>().ok());
    match name.as_str() {
        "wait" => readiness::say_ready_and_wait(),
        #[cfg(unix)]
        "ignore-term" => signals::ignore_term(),
        #[cfg(unix)]
        "stop-itself" => signals::stop_itself(),
        #[cfg(unix)]
        "uninterruptible" => signals::uninterruptible(),
        "spawn-grandchild" => descendants::spawn_grandchild(),
        #[cfg(unix)]
        "leave-group" => descendants::leave_group(),
        #[cfg(unix)]
        "leave-session" => descendants::leave_session(),
        "orphan-then-exit" => descendants::orphan_then_exit(),
        "daemonize" => descendants::daemonize(),
        #[cfg(unix)]
        "clear-env" => descendants::clear_env(),
        #[cfg(unix)]
        "fork-storm" => descendants::fork_storm(number(0).unwrap_or(1), false),
        #[cfg(unix)]
        "fork-storm-in-sessions" => descendants::fork_storm(number(0).unwrap_or(1), true),
        #[cfg(windows)]
        "spawn-child" => descendants::spawn_child(),
        #[cfg(windows)]
        "break-away" => descendants::break_away(),
        #[cfg(windows)]
        "nest-job" => descendants::nest_job(),
        #[cfg(windows)]
        "spawn-child-when-told" => descendants::spawn_child_when_told(),
        #[cfg(windows)]
        "lend-output" => lent_output::lend_output(number(0).unwrap_or_default()),
        "listen" => port::listen(),
        #[cfg(unix)]
        "become-root" => identity::become_root(),
        "flood" => output::flood(number(0).unwrap_or(u64::MAX)),
        "write-slowly" => output::write_slowly(number(0).unwrap_or(u64::MAX), number(1).unwrap_or(50)),
        "long-line" => output::long_line(number(0).unwrap_or(1 << 20)),
        "write-then-exit" => output::write_then_exit(number(0).unwrap_or(1), number(1).unwrap_or(0)),
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    ExitCode::from(64)
}
