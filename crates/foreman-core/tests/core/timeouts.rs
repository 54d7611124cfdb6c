//! A run whose time is over.

use foreman_core::frame::{PromotedBy, Request};
use foreman_core::outcome::{EndReason, Exit};
use foreman_core::spec::OnTimeout;

use crate::support::script;

// faults: timeout-kills-shell-only, no-ps-in-container
#[test]
fn the_children_of_a_timed_out_command_live_on() {
    let outcome = script("exec 9>\"$WITNESS\"; echo ready >&9; sleep 331 & sleep 332 & sleep 333 | cat")
        .timeout_ms(300, OnTimeout::Stop)
        .env("PATH", Some("/usr/bin:/bin"))
        .outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(15), EndReason::Timeout));
    assert!(outcome.answer.duration_ms >= 300);
}

// faults: setsid-escapes-killpg-and-hangs
#[test]
#[cfg(target_os = "linux")]
fn a_writer_in_its_own_session_survives_the_timeout_and_holds_the_call() {
    let outcome =
        script("exec 9>\"$WITNESS\"; echo ready >&9; setsid sh -c 'while :; do echo x; sleep .05; done' & sleep 300")
            .timeout_ms(300, OnTimeout::Stop)
            .outcome();
    assert_eq!(outcome.reason, EndReason::Timeout);
    assert!(outcome.log.starts_with(b"x\n"));
}

#[test]
fn a_command_that_ignores_the_polite_signal_outlives_its_time() {
    let outcome = script("exec 9>\"$WITNESS\"; exec \"$PROBE\" ignore-term >&9")
        .timeout_ms(200, OnTimeout::Stop)
        .grace_ms(100)
        .outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(9), EndReason::Timeout));
    assert!(outcome.answer.duration_ms >= 300, "{}", outcome.answer.duration_ms);
}

// faults: kill-ppid-hits-host
#[test]
fn a_command_that_stops_its_supervisor_has_no_timeout() {
    let outcome = script("exec 9>\"$WITNESS\"; echo ready >&9; kill -STOP $PPID; sleep 1000")
        .timeout_ms(300, OnTimeout::Stop)
        .outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(15), EndReason::Timeout));
}

// faults: timeout-turns-into-background
#[test]
fn a_promotion_by_timeout_loses_output_or_ends_the_run() {
    let mut run = script("exec 9>\"$WITNESS\"; echo early; echo oops >&2; \"$PROBE\" wait >&9")
        .timeout_ms(200, OnTimeout::Promote)
        .start();
    let (by, snapshot) = run.promoted();
    assert_eq!(
        (by, snapshot.stdout.head.as_slice(), snapshot.stderr.head.as_slice()),
        (PromotedBy::Timeout, &b"early\n"[..], &b"oops\n"[..])
    );
    run.witness.expect_line("ready");
    run.witness.expect_somebody();
    run.stop();
    let outcome = run.outcome();
    assert_eq!(outcome.reason, EndReason::Stop);
    assert_eq!(outcome.log.len(), "early\noops\n".len());
}

#[test]
fn a_limit_for_whoever_waits_ends_a_run_that_was_moved_to_the_background() {
    let mut run = script("sleep .9; echo whole").timeout_ms(600, OnTimeout::Stop).start();
    assert!(run.control.request(&Request::Promote));
    assert_eq!(run.promoted().0, PromotedBy::Request);
    assert_eq!(run.outcome().reason, EndReason::Natural);
}

#[test]
fn a_limit_for_the_background_too_is_forgotten_with_the_move_there() {
    let mut run = script("sleep 1000").timeout_ms(600, OnTimeout::StopAlways).start();
    assert!(run.control.request(&Request::Promote));
    assert_eq!(run.promoted().0, PromotedBy::Request);
    let outcome = run.outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(15), EndReason::Timeout));
}

// faults: timeout-unit-confusion
#[test]
fn a_timeout_no_timer_can_hold_ends_the_run_at_once() {
    for ms in [u64::MAX, i32::MAX as u64, i32::MAX as u64 + 1] {
        let outcome = script("sleep .05; echo ok").timeout_ms(ms, OnTimeout::Stop).outcome();
        assert_eq!((outcome.stdout().as_str(), outcome.reason), ("ok\n", EndReason::Natural), "{ms}");
    }
}

#[test]
fn no_time_at_all_is_taken_for_no_limit() {
    let outcome = script("sleep 1000").timeout_ms(0, OnTimeout::Stop).outcome();
    assert_eq!(outcome.reason, EndReason::Timeout);
}

#[test]
fn members_that_outlive_the_shell_are_ended_by_its_timeout() {
    let mut run = script("exec 9>\"$WITNESS\"; \"$PROBE\" wait >&9 & exit 0").timeout_ms(400, OnTimeout::Stop).start();
    assert!(run.answer().members_left);
    let other = script("sleep 1000").timeout_ms(500, OnTimeout::Stop).outcome();
    assert_eq!(other.reason, EndReason::Timeout);
    run.witness.expect_somebody();
    run.stop();
    assert_eq!(run.outcome().reason, EndReason::Natural);
}

// Ready is said by the child: bash can lose a TERM that comes between its fork and the child's taking back of the trap.
#[test]
fn a_timeout_in_the_middle_of_a_stop_skips_the_grace() {
    let mut run =
        script("exec 9>\"$WITNESS\"; trap 'sleep .6; echo cleaned up; exit 5' TERM; { echo ready >&9; exec sleep 100; } & wait")
            .timeout_ms(300, OnTimeout::Stop)
            .start();
    run.witness.expect_line("ready");
    assert!(run.request_end(EndReason::Abort, Some(30_000)));
    let outcome = run.outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Code(5), EndReason::Abort));
    assert_eq!(outcome.answer.stdout(), "cleaned up\n");
}

#[test]
fn a_run_that_is_being_ended_is_moved_to_the_background_by_its_timeout() {
    let mut run =
        script("exec 9>\"$WITNESS\"; trap 'sleep .6; exit 5' TERM; { echo ready >&9; exec sleep 100; } & wait")
            .timeout_ms(300, OnTimeout::Promote)
            .start();
    run.witness.expect_line("ready");
    assert!(run.request_end(EndReason::Abort, Some(30_000)));
    // `outcome` knows of no promotion and fails on one.
    assert_eq!(run.outcome().exit, Exit::Code(5));
}
