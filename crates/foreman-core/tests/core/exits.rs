//! What is said of how a shell ended.

use foreman_core::error::ErrorKind;
use foreman_core::frame::Event;
use foreman_core::outcome::{EndReason, Exit};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::script;

// faults: signal-death-is-zero
#[test]
fn a_shell_that_crashed_looks_like_a_success() {
    for (text, signal) in [("kill -SEGV $$", 11), ("kill -PIPE $$", 13)] {
        let outcome = script(text).outcome();
        assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(signal), EndReason::Natural), "{text}");
    }
}

// faults: own-stop-says-failed
#[test]
fn a_code_of_143_is_taken_for_our_doing() {
    let outcome = script("exit 143").outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Code(143), EndReason::Natural));
    let killed_child = script("sh -c 'kill -TERM $$'").outcome();
    assert_eq!((killed_child.exit, killed_child.reason), (Exit::Code(143), EndReason::Natural));
}

// faults: dead-task-still-running
#[test]
fn a_shell_killed_from_outside_stays_running() {
    let mut run = script("exec 9>\"$WITNESS\"; echo ready >&9; sleep 1000").background().start();
    let (_, _, shell) = run.started();
    run.witness.expect_line("ready");
    kill_process(Pid::from_raw(shell).unwrap(), Signal::KILL).unwrap();
    let answer = run.answer();
    assert_eq!((answer.exit, answer.reason), (Exit::Signal(9), EndReason::Natural));
    run.stop();
    // Its child lived on and was ended by the stop; the reason stays what it was.
    assert_eq!(run.outcome().reason, EndReason::Natural);
}

// faults: benign-nonzero-as-error
#[test]
fn a_code_that_means_something_is_changed() {
    assert_eq!(script("grep x /dev/null").outcome().exit, Exit::Code(1));
    assert_eq!(script("set -o pipefail; yes | head -1").outcome().exit, Exit::Code(141));
}

// faults: fast-exit-race, native-run-never-settles, handle-leak
#[test]
fn a_command_that_ends_at_once_has_no_output() {
    for _ in 0..100 {
        let outcome = script("printf a").outcome();
        assert_eq!((outcome.stdout().as_str(), outcome.exit), ("a", Exit::Code(0)));
        assert!(!outcome.answer.members_left);
        assert_eq!(outcome.log, b"a");
    }
    let outcome = script("exec \"$PROBE\" write-then-exit 200000 5").outcome();
    assert_eq!((outcome.exit, outcome.total_bytes, outcome.log.len()), (Exit::Code(5), 200_000, 200_000));
}

#[test]
fn a_moment_is_published_twice_or_never() {
    let mut run = script("true").start();
    assert!(matches!(run.next_event(), Event::Started { .. }));
    assert!(matches!(run.next_event(), Event::ShellExited { members_left: false, .. }));
    assert!(matches!(run.next_event(), Event::Ended { .. }));
    // `outcome` looks for more.
    run.outcome();
}

// faults: kill-ppid-hits-host
#[test]
fn a_command_that_kills_its_parent_ends_the_supervisor_or_the_host() {
    for signal in ["TERM", "INT", "HUP", "QUIT", "USR1", "ALRM", "PIPE", "TSTP", "TTIN", "XCPU", "34"] {
        let outcome = script(format!("exec sh -c 'kill -{signal} $PPID; echo alive'")).outcome();
        assert_eq!((outcome.stdout().as_str(), outcome.reason), ("alive\n", EndReason::Natural), "{signal}");
    }
}

// faults: kill-ppid-hits-host
#[test]
fn a_command_that_stops_its_parent_loses_output_or_cannot_be_stopped() {
    let outcome = script("kill -STOP $PPID; \"$PROBE\" flood 100000; kill -CONT $PPID; echo done >&2").outcome();
    assert_eq!((outcome.log.len(), outcome.stderr().as_str()), (100_005, "done\n"));

    let mut run = script("exec 9>\"$WITNESS\"; kill -STOP $PPID; echo ready >&9; sleep 1000").start();
    run.witness.expect_line("ready");
    run.stop();
    assert_eq!(run.outcome().reason, EndReason::Stop);
}

// faults: kill-ppid-hits-host
#[test]
fn a_command_that_kills_its_parent_with_force_lives_on() {
    let text =
        "mkfifo go; exec 9>\"$WITNESS\"; \"$PROBE\" leave-session >&9 & read -r _ < go; kill -KILL $PPID; sleep 1000";
    let mut run = script(text).start();
    run.started();
    run.witness.expect_line("ready");
    std::fs::write(format!("{}/go", run.spec.cwd), "go\n").unwrap();
    let outcome = run.outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(9), EndReason::SupervisorLost));
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_that_kills_its_parent_at_once_lives_on() {
    for _ in 0..10 {
        let mut run =
            script("exec 9>\"$WITNESS\"; setsid sleep 1000 & echo ready >&9; kill -KILL $PPID; sleep 1000").start();
        // Killed before or after it could tell the start: both are true, and both mean that nobody is left.
        let lost = loop {
            match run.next_event() {
                Event::Failed { kind, .. } => break kind == ErrorKind::SupervisorLost,
                Event::Ended { reason, .. } => break reason == EndReason::SupervisorLost,
                _ => {}
            }
        };
        assert!(lost);
        run.witness.expect_nobody_now();
    }
}
