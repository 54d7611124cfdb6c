//! A stop: polite, wait, hard, and what it reaches. "Over" is said when nobody is left; `outcome` checks that through the
//! witness at the very moment of the last event.

use std::time::{Duration, Instant};

use foreman_core::frame::Event;
use foreman_core::outcome::{EndReason, Exit};
use foreman_core::spec::OnTimeout;

use crate::support::{FAILURE_BOUND, Run, script};

/// Starts `text` with the witness as descriptor 9, and waits until `ready` has come so often.
#[track_caller]
fn ready(text: &str, times: usize) -> Run {
    let mut run = script(format!("exec 9>\"$WITNESS\"; {text}")).grace_ms(300).start();
    run.witness.expect_lines("ready", times);
    run
}

#[track_caller]
fn stopped(run: Run) -> Exit {
    assert!(run.stop());
    let outcome = run.outcome();
    assert_eq!(outcome.reason, EndReason::Stop);
    outcome.exit
}

#[test]
fn a_polite_command_is_killed() {
    let run = ready("trap 'echo bye; exit 5' TERM; echo ready >&9; while :; do sleep .01; done", 1);
    run.request_end(EndReason::Stop, Some(20_000));
    let outcome = run.outcome();
    assert_eq!((outcome.exit, outcome.stdout().as_str()), (Exit::Code(5), "bye\n"));
}

#[test]
fn a_stop_waits_for_the_grace_though_nobody_is_left() {
    let run = ready("\"$PROBE\" wait >&9", 1);
    let before = Instant::now();
    run.request_end(EndReason::Stop, Some(20_000));
    run.outcome();
    assert!(before.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_command_that_ignores_the_polite_signal_is_killed_before_its_grace_or_never() {
    let run = ready("trap '' TERM INT; \"$PROBE\" ignore-term >&9", 1);
    let before = Instant::now();
    assert_eq!(stopped(run), Exit::Signal(9));
    assert!(before.elapsed() >= Duration::from_millis(300));
}

// faults: second-interrupt-ignored
#[test]
fn a_second_stop_waits_for_the_grace_of_the_first() {
    let run = ready("trap '' TERM INT; \"$PROBE\" ignore-term >&9", 1);
    let before = Instant::now();
    run.request_end(EndReason::Stop, Some(3_600_000));
    run.request_end(EndReason::Stop, Some(3_600_000));
    assert_eq!(run.outcome().exit, Exit::Signal(9));
    assert!(before.elapsed() < Duration::from_secs(3_600));
}

#[test]
fn a_stop_without_grace_asks_first() {
    let run = ready("trap 'echo asked' TERM; echo ready >&9; while :; do sleep .01; done", 1);
    run.request_end(EndReason::Stop, Some(0));
    let outcome = run.outcome();
    assert_eq!((outcome.exit, outcome.stdout().as_str()), (Exit::Signal(9), ""));
}

#[test]
fn a_member_that_was_stopped_cannot_end() {
    let run = ready("\"$PROBE\" stop-itself >&9", 1);
    stopped(run);
    let run = ready("\"$PROBE\" ignore-term >&9 & \"$PROBE\" stop-itself >&9 & echo ready >&9; kill -STOP $$", 3);
    stopped(run);
}

#[test]
fn a_member_in_an_uninterruptible_wait_cannot_end() {
    let run = ready("\"$PROBE\" uninterruptible >&9", 1);
    stopped(run);
}

#[test]
fn a_member_that_left_its_group_lives_on() {
    stopped(ready("\"$PROBE\" leave-group >&9 & \"$PROBE\" leave-group >&9", 2));
    stopped(ready("set -m; \"$PROBE\" wait >&9 & \"$PROBE\" wait >&9", 2));
}

#[test]
#[cfg(target_os = "linux")]
fn a_member_that_left_its_session_lives_on() {
    stopped(ready("\"$PROBE\" leave-session >&9 & setsid \"$PROBE\" spawn-grandchild >&9", 2));
}

#[test]
#[cfg(target_os = "linux")]
fn a_daemon_lives_on() {
    stopped(ready("\"$PROBE\" daemonize >&9; \"$PROBE\" orphan-then-exit >&9; \"$PROBE\" wait >&9", 3));
    stopped(ready("(setsid nohup \"$PROBE\" ignore-term >&9 2>/dev/null &); \"$PROBE\" wait >&9", 2));
}

#[test]
#[cfg(target_os = "linux")]
fn a_member_that_emptied_its_environment_lives_on() {
    stopped(ready("\"$PROBE\" clear-env >&9 & setsid env -i \"$PROBE\" daemonize >&9; \"$PROBE\" wait >&9", 3));
}

#[test]
fn a_deep_tree_is_ended_only_at_its_top() {
    let deep = "f() { if [ $1 -gt 0 ]; then (f $(($1 - 1))); else \"$PROBE\" wait >&9; fi; true; }; f 40";
    stopped(ready(deep, 1));
}

#[test]
fn a_tree_that_forks_and_exits_all_the_time_survives() {
    for _ in 0..20 {
        let run = ready("\"$PROBE\" fork-storm 3 >&9; \"$PROBE\" wait >&9", 2);
        stopped(run);
    }
}

#[test]
fn a_storm_of_forks_in_ever_new_sessions_survives() {
    for _ in 0..3 {
        let run = ready("\"$PROBE\" fork-storm-in-sessions 2 >&9; \"$PROBE\" wait >&9", 2);
        stopped(run);
    }
}

// faults: stop-does-not-stop-loop
#[test]
fn the_shell_goes_on_to_the_next_turn_of_its_loop() {
    let run = ready("for i in 1 2 3; do echo turn; \"$PROBE\" wait >&9; done", 1);
    assert!(run.stop());
    assert_eq!(run.outcome().stdout(), "turn\n");
}

// faults: group-leader-gone
#[test]
fn what_the_shell_left_behind_is_not_ended_by_a_stop() {
    let mut run = ready("\"$PROBE\" wait >&9 & \"$PROBE\" leave-session >&9 & exit 0", 2);
    assert!(run.answer().members_left);
    assert!(run.stop());
    let outcome = run.outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Code(0), EndReason::Natural));
}

#[test]
fn a_port_is_still_taken_when_the_stop_is_said_to_be_done() {
    let mut run = script("exec 9>\"$WITNESS\"; exec \"$PROBE\" listen >&9").start();
    let port: u16 = run.witness.expect_any_line().parse().unwrap();
    assert!(std::net::TcpListener::bind(("127.0.0.1", port)).is_err());
    run.stop();
    run.outcome();
    std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
}

// faults: two-timers-one-outcome
#[test]
fn an_abort_and_a_timeout_give_two_reasons() {
    for n in 0..25 {
        let mut run = script("exec 9>\"$WITNESS\"; sleep 1000").timeout_ms(30, OnTimeout::Stop).start();
        run.started();
        // Not to synchronise: the two are meant to race.
        std::thread::sleep(Duration::from_micros(28_000 + n * 150));
        run.request_end(EndReason::Abort, None);
        let outcome = run.outcome();
        assert!(matches!(outcome.reason, EndReason::Abort | EndReason::Timeout), "{:?}", outcome.reason);
        assert_eq!(outcome.answer.reason, outcome.reason);
        assert!(matches!(outcome.exit, Exit::Signal(_)), "{:?}", outcome.exit);
    }
}

#[test]
fn the_second_reason_replaces_the_first() {
    let run = ready("trap '' TERM; \"$PROBE\" ignore-term >&9", 1);
    run.request_end(EndReason::Abort, Some(50));
    run.request_end(EndReason::Quit, Some(50));
    assert_eq!(run.outcome().reason, EndReason::Abort);
}

#[test]
fn a_natural_end_is_called_a_stop() {
    // Each time a little later, however long a shell takes here to come to its end.
    let (mut natural, mut pause) = (0, Duration::ZERO);
    while natural < 5 {
        assert!(pause < FAILURE_BOUND, "the race was never won by the natural end");
        let mut run = script("exit 3").start();
        run.started();
        std::thread::sleep(pause);
        run.stop();
        let outcome = run.outcome();
        match outcome.exit {
            Exit::Code(3) => natural += u32::from(outcome.reason == EndReason::Natural),
            Exit::Signal(15) => assert_eq!(outcome.reason, EndReason::Stop),
            other => panic!("{other:?}"),
        }
        pause = pause * 17 / 16 + Duration::from_micros(100);
    }
}

#[test]
fn a_stop_before_the_start_is_lost() {
    for _ in 0..10 {
        let mut run = script("exec 9>\"$WITNESS\"; sleep 1000").start();
        assert!(run.stop());
        assert!(matches!(run.next_event(), Event::Started { .. }));
        assert_eq!(run.outcome().reason, EndReason::Stop);
    }
}

#[test]
fn output_between_the_polite_signal_and_the_end_is_lost() {
    let run = ready("trap 'seq 1 200000; echo last; exit 0' TERM; echo ready >&9; while :; do sleep .01; done", 1);
    run.request_end(EndReason::Stop, Some(20_000));
    let outcome = run.outcome();
    assert!(outcome.log.ends_with(b"200000\nlast\n"));
    assert_eq!(outcome.log.len() as u64, outcome.total_bytes);
}

#[test]
fn a_stop_from_within_a_group_of_a_stopped_shell_hits_a_stranger() {
    let mut stranger = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    stopped(ready("\"$PROBE\" spawn-grandchild >&9", 1));
    let alive = stranger.try_wait().unwrap().is_none();
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    assert!(alive);
}
