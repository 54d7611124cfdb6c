//! Runs whose members outlive the shell, and when the caller is answered.

use std::time::{Duration, Instant};

use foreman_core::frame::{Event, PromotedBy, Request};
use foreman_core::limits::MAX_DRAIN_AFTER_EXIT;
use foreman_core::outcome::{EndReason, Exit};

use crate::support::script;

// faults: ampersand-jobs-leak
#[test]
fn a_server_in_the_background_holds_up_the_answer_or_dies_with_it() {
    let mut run = script("exec 9>\"$WITNESS\"; \"$PROBE\" wait >&9 & echo started; exit 3").start();
    let answer = run.answer();
    assert_eq!((answer.exit, answer.members_left), (Exit::Code(3), true));
    assert_eq!(answer.stdout(), "started\n");
    run.witness.expect_line("ready");
    run.witness.expect_somebody();
    run.stop();
    let outcome = run.outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Code(3), EndReason::Natural));
}

// faults: bg-child-keeps-writing
#[test]
fn a_child_that_keeps_writing_holds_up_the_answer_for_ever() {
    let mut run = script("\"$PROBE\" write-slowly 1000000 20 & echo fg")
        .timeout_ms(600_000, foreman_core::spec::OnTimeout::Stop)
        .start();
    run.started();
    let before = Instant::now();
    let answer = run.answer();
    // The lower bound shows that it was the absolute end and not a silence that answered.
    assert!(before.elapsed() >= MAX_DRAIN_AFTER_EXIT.mul_f32(0.9), "{:?}", before.elapsed());
    assert_eq!((answer.exit, answer.reason, answer.members_left), (Exit::Code(0), EndReason::Natural, true));
    assert!(answer.stdout().contains("fg\n"));
    let path = run.started_again();
    let seen = std::fs::read(&path).unwrap().len();
    run.log_until(&path, |log| log.len() > seen);
    run.stop();
    run.outcome();
}

// faults: hook-child-output-cut
#[test]
fn the_output_of_a_child_that_outlives_the_shell_by_a_moment_is_cut() {
    let outcome = script("sh -c '(for i in 1 2 3 4 5; do echo p$i; sleep .05; done) & exec true'").outcome();
    assert_eq!(outcome.log_text(), "p1\np2\np3\np4\np5\n");
    assert_eq!(outcome.stdout(), "p1\np2\np3\np4\np5\n");
}

// faults: procsub-never-eof
#[test]
fn a_process_substitution_keeps_the_call_from_ending() {
    let launch = script("exec 9>\"$WITNESS\"; exec > >(tee -a copy) 2>&1; echo hi");
    let copy = launch.folder.path().join("copy");
    let outcome = launch.outcome();
    assert_eq!((outcome.stdout().as_str(), outcome.exit), ("hi\n", Exit::Code(0)));
    assert_eq!(outcome.log, b"hi\n");
    drop(copy);
}

#[test]
fn a_silent_member_that_holds_no_pipe_is_waited_for() {
    let mut run = script("exec 9>\"$WITNESS\"; \"$PROBE\" daemonize >&9; echo done").start();
    let answer = run.answer();
    assert_eq!((answer.stdout().as_str(), answer.members_left), ("done\n", true));
    run.witness.expect_somebody();
    run.stop();
    run.outcome();
}

#[test]
fn a_pipe_that_somebody_outside_holds_keeps_the_run_from_ending() {
    // Not the builtin: for it the shell would put the witness under descriptor 1 for a moment.
    let mut run = script("exec 9>\"$WITNESS\"; mkfifo go; /bin/echo ready >&9; read -r _ < go; echo last").start();
    let go = run.spec.cwd.clone() + "/go";
    let (_, _, shell) = run.started();
    run.witness.expect_line("ready");
    let held = std::fs::OpenOptions::new().write(true).open(format!("/proc/{shell}/fd/1")).unwrap();
    std::fs::write(&go, "go\n").unwrap();
    let outcome = run.outcome();
    assert_eq!((outcome.stdout().as_str(), outcome.log.as_slice()), ("last\n", &b"last\n"[..]));
    assert!(!outcome.answer.members_left);
    drop(held);
}

#[test]
fn two_streams_of_a_background_run_change_their_order() {
    let text = "for i in $(seq 300); do echo o$i; echo e$i >&2; done";
    let expected: String = (1..=300).map(|i| format!("o{i}\ne{i}\n")).collect();
    let outcome = script(text).background().outcome();
    assert_eq!(outcome.log_text(), expected);
    assert_eq!((outcome.stdout(), outcome.stderr()), (expected, String::new()));
}

#[test]
fn two_streams_of_a_foreground_run_are_mixed() {
    let outcome = script("for i in $(seq 300); do echo o$i; echo e$i >&2; done").outcome();
    let lines = |letter: &str| (1..=300).map(|i| format!("{letter}{i}\n")).collect::<String>();
    assert_eq!((outcome.stdout(), outcome.stderr()), (lines("o"), lines("e")));
    let mut in_file: Vec<&[u8]> = outcome.log.split_inclusive(|b| *b == b'\n').collect();
    in_file.sort_unstable();
    let both = lines("o") + &lines("e");
    let mut expected: Vec<&[u8]> = both.as_bytes().split_inclusive(|b| *b == b'\n').collect();
    expected.sort_unstable();
    assert_eq!(in_file, expected);
}

#[test]
fn a_promoted_run_is_ended_by_the_timeout_it_no_longer_has() {
    let mut run = script("exec 9>\"$WITNESS\"; echo early; mkfifo go; echo ready >&9; read -r _ < go; echo late")
        .timeout_ms(300, foreman_core::spec::OnTimeout::Stop)
        .start();
    let go = run.spec.cwd.clone() + "/go";
    run.control.request(&Request::Promote);
    let (by, _) = run.promoted();
    assert_eq!(by, PromotedBy::Request);
    run.witness.expect_line("ready");
    // The time it would have had is over when another run of that length is.
    let other = script("sleep 1000").timeout_ms(400, foreman_core::spec::OnTimeout::Stop).outcome();
    assert_eq!(other.reason, EndReason::Timeout);
    std::fs::write(&go, "go\n").unwrap();
    let outcome = run.outcome();
    assert_eq!((outcome.reason, outcome.log.as_slice()), (EndReason::Natural, &b"early\nlate\n"[..]));
}

#[test]
fn a_promotion_after_the_end_answers_twice() {
    let mut run = script("sleep 1000 & exit 0").start();
    run.answer();
    run.control.request(&Request::Promote);
    run.snapshot();
    run.stop();
    while !matches!(run.next_event(), Event::Ended { .. }) {}
    let outcome = run.outcome();
    assert_eq!(outcome.exit, Exit::Code(0));
}

#[test]
fn a_snapshot_of_a_running_command_is_old() {
    let mut run = script("exec 9>\"$WITNESS\"; echo one; echo ready >&9; sleep 1000").start();
    let (path, _, _) = run.started();
    run.witness.expect_line("ready");
    run.log_until(&path, |log| log == b"one\n");
    assert_eq!(run.snapshot().stdout.head, b"one\n");
    run.stop();
    assert_eq!(run.outcome().reason, EndReason::Stop);
}

#[test]
fn a_short_command_pays_for_the_rule_of_silence() {
    // Nobody is left, so there is nothing to wait for. The bound is that of the rule, far above what it takes.
    let mut quickest = Duration::MAX;
    for _ in 0..20 {
        let mut run = script("echo hi").start();
        run.started();
        let before = Instant::now();
        run.answer();
        quickest = quickest.min(before.elapsed());
        run.outcome();
    }
    assert!(quickest < Duration::from_millis(100), "{quickest:?}");
}
