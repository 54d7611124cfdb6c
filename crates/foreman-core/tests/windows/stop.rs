//! A stop reaches everybody, whatever became of the links to their parents. "Over" is said when nobody is left.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use foreman_core::outcome::{EndReason, Exit};
use foreman_core::spec::OnTimeout;

use crate::support::{Launch, TREE, script};

#[track_caller]
fn tree_is_gone_after(launch: Launch, end: impl FnOnce(&mut crate::support::Run), reason: EndReason) {
    let mut run = launch.start();
    let members = run.tree();
    end(&mut run);
    let outcome = run.outcome();
    members.expect_nobody();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(9), reason));
}

// faults: windows-tree-kill-misses-msys
#[test]
fn a_part_of_a_pipeline_survives_a_stop() {
    tree_is_gone_after(script(TREE), |run| assert!(run.stop()), EndReason::Stop);
}

#[test]
fn a_part_of_a_pipeline_survives_a_stop_in_the_background() {
    tree_is_gone_after(script(TREE).background(), |run| assert!(run.stop()), EndReason::Stop);
}

// faults: windows-streams-open-after-taskkill
#[test]
fn a_part_of_a_pipeline_survives_its_timeout() {
    // Long enough to be ready even on a machine under load: the test would fail at its members, not pass by chance.
    tree_is_gone_after(script(TREE).timeout_ms(30_000, OnTimeout::Stop), |_| {}, EndReason::Timeout);
}

#[test]
fn a_stop_waits_for_a_grace_in_which_nothing_can_happen() {
    let mut run = script("trap '' TERM INT HUP; \"$PROBE\" wait").start();
    let members = run.members(1);
    let before = Instant::now();
    run.request_end(EndReason::Stop, Some(3_600_000));
    assert_eq!(run.outcome().exit, Exit::Signal(9));
    members.expect_nobody();
    assert!(before.elapsed() < Duration::from_secs(600));
}

#[test]
fn a_member_breaks_away_from_its_job() {
    let mut run = script("\"$PROBE\" break-away").start();
    let members = run.members(2);
    assert!(run.stdout_now().contains("kept in"));
    run.stop();
    run.outcome();
    members.expect_nobody();
}

// faults: windows-streams-open-after-taskkill
#[test]
fn a_stranger_who_holds_the_pipe_keeps_the_call_waiting() {
    // The stranger is this process, which is not in the job and never lets go of what it was lent.
    let mut run = script(format!("\"$PROBE\" lend-output {}", std::process::id())).start();
    let members = run.members(1);
    run.stop();
    assert_eq!(run.outcome().reason, EndReason::Stop);
    members.expect_nobody();

    let quick = script(format!(
        "\"$PROBE\" lend-output {} & sleep 0.1; taskkill.exe //F //PID 1 2>/dev/null; exit 4",
        std::process::id()
    ));
    let mut run = quick.start();
    assert_eq!(run.answer().exit, Exit::Code(4));
    run.stop();
    run.outcome();
}

// faults: port-still-bound
#[test]
fn a_port_is_still_bound_after_the_stop() {
    let mut run = script("\"$PROBE\" listen").start();
    let port: u16 = run.wait_for_output("a port", |text| text.lines().find_map(|line| line.trim().parse().ok()));
    run.stop();
    run.outcome();
    TcpListener::bind(("127.0.0.1", port)).unwrap();
}

#[test]
fn a_natural_end_is_called_a_stop() {
    for n in 0..10_u64 {
        let mut run = script("exit 3").start();
        run.started();
        // Not to synchronise: the two are meant to race.
        std::thread::sleep(Duration::from_millis(n * 60));
        run.stop();
        let outcome = run.outcome();
        match outcome.exit {
            Exit::Code(3) => assert!(matches!(outcome.reason, EndReason::Natural | EndReason::Stop)),
            Exit::Signal(9) => assert_eq!(outcome.reason, EndReason::Stop),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_stop_before_the_start_is_lost() {
    for _ in 0..5 {
        let run = script("sleep 1000").start();
        assert!(run.stop());
        assert_eq!(run.outcome().reason, EndReason::Stop);
    }
}

#[test]
fn usage_counts_somebody_else_or_nobody() {
    let mut run = script("\"$PROBE\" wait | cat").start();
    run.members(1);
    let usage = run.control.usage().unwrap();
    // The launcher of Git Bash, the shell, a wait and a cat at least.
    assert!(usage.members >= 4 && usage.resident_bytes > 0, "{usage:?}");
    let control = run.control.clone();
    run.stop();
    run.outcome();
    crate::support::wait_until("the job is let go", || control.usage().is_none());
}
