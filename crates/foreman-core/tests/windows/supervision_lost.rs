//! A fault of ours in the thread that supervises a run. Listeners are called from there, so one that panics is such a fault.

use foreman_core::frame::{Event, Request};
use foreman_core::outcome::{EndReason, Exit};

use crate::support::{Members, TREE, TREE_READY, script, wait_for};

#[test]
fn a_panic_of_the_supervision_leaves_its_tree_or_an_open_end() {
    let mut run = script(TREE).start_heard_by(|event| assert!(!matches!(event, Event::Promoted { .. }), "on purpose"));
    let (output, _, _) = run.started();
    let members = run.tree();
    assert!(run.control.request(&Request::Promote));
    let answer = run.answer();
    assert_eq!((answer.exit, answer.members_left), (Exit::Signal(9), false));
    let (exit, reason, total_bytes) = run.ended();
    members.expect_nobody();
    assert_eq!((exit, reason), (Exit::Signal(9), EndReason::SupervisorLost));
    let said = std::fs::read_to_string(output).unwrap();
    assert_eq!((said.len() as u64, said.matches("ready").count()), (total_bytes, TREE_READY));
    assert!(!run.control.request(&Request::Promote), "a request was taken by a run that is over");
}

#[test]
fn the_code_of_a_shell_that_had_ended_is_lost_with_its_supervision() {
    let launch = script("\"$PROBE\" wait & exit 5");
    let mut run = launch.start_heard_by(|event| assert!(!matches!(event, Event::Snapshot(_)), "on purpose"));
    let (output, _, _) = run.started();
    let answer = run.answer();
    assert_eq!((answer.exit, answer.members_left), (Exit::Code(5), true));
    let members = wait_for("a member is ready", || Members::in_output(&std::fs::read_to_string(&output).unwrap(), 1));
    members.expect_all_alive(1);
    assert!(run.control.request(&Request::Snapshot { tail_bytes: None }));
    let (exit, reason, _) = run.ended();
    members.expect_nobody();
    assert_eq!((exit, reason), (Exit::Code(5), EndReason::SupervisorLost));
}

#[test]
fn a_run_whose_supervision_broke_off_takes_the_others_along() {
    let mut other = script("\"$PROBE\" wait").start();
    let members = other.members(1);
    let mut run =
        script("sleep 1000").start_heard_by(|event| assert!(!matches!(event, Event::Started { .. }), "on purpose"));
    // It panicked before it could tell its start.
    assert_eq!(run.ended().1, EndReason::SupervisorLost);
    members.expect_all_alive(1);
    other.stop();
    assert_eq!(other.outcome().reason, EndReason::Stop);
}
