//! Jobs in jobs: around the host, as a terminal or a CI runner has one, and inside of a run, as an installer makes one.

use foreman_core::frame::Event;
use foreman_core::outcome::{EndReason, Exit};
use windows_sys::Win32::System::JobObjects::{JOB_OBJECT_LIMIT, JOB_OBJECT_LIMIT_BREAKAWAY_OK};

use crate::support::{HelperHost, HostPlan, Members, OuterJob, TREE, TREE_ALIVE, TREE_READY, Word, script};

/// Who waits, who made the job, and the two in it.
const NESTED: usize = 4;

#[test]
fn a_member_of_a_job_of_its_own_survives_a_stop() {
    // The inner job lets its members go, the outer one does not.
    let mut run = script("\"$PROBE\" wait & \"$PROBE\" nest-job").start();
    let members = run.members(NESTED);
    assert!(!run.stdout_now().contains("not nested"));
    assert!(run.control.usage().unwrap().members as usize >= NESTED);
    run.stop();
    let outcome = run.outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(9), EndReason::Stop));
    members.expect_nobody();
}

/// A host in a job starts two trees, stops them, and goes on.
fn a_host_in_a_job_with(limits: JOB_OBJECT_LIMIT) {
    let outer = OuterJob::new(limits);
    let text = format!("\"$PROBE\" break-away & {TREE}");
    // Two more, whether or not the second one is where it wanted to be.
    let (alive, ready) = (TREE_ALIVE + 2, TREE_READY + 2);
    let parts: Vec<_> = (0..2).map(|_| script(text.clone()).background().into_parts()).collect();
    let runs = parts.iter().map(|(spec, _)| spec.clone()).collect();
    let plan = HostPlan { runs, job: Some(outer.name().to_owned()), ..HostPlan::default() };
    let mut host = HelperHost::start(plan, |_| {});
    let trees: Vec<_> = parts.iter().map(|(spec, _)| Members::of(spec, ready)).collect();
    for ((spec, _), members) in parts.iter().zip(&trees) {
        members.expect_all_alive(alive);
        let log = std::fs::read_to_string(format!("{}/session/tasks/{}.output", spec.output_base, spec.id)).unwrap();
        assert!(log.contains("kept in") && !log.contains("broke away"), "{log}");
    }
    host.request_stop();
    for _ in 0..trees.len() {
        let (n, exit, reason) = host.wait_for(|word| match word {
            Word::Event(n, Event::Ended { exit, reason, .. }) => Some((n, exit, reason)),
            _ => None,
        });
        trees[n].expect_nobody();
        assert_eq!((exit, reason), (Exit::Signal(9), EndReason::Stop));
    }
    // It is in the outer job, and says its last word.
    host.wait_for(|word| matches!(word, Word::Done(_)).then_some(()));
    host.wait();
}

#[test]
fn a_host_in_a_job_cannot_run_or_stop_a_command() {
    a_host_in_a_job_with(0);
}

#[test]
fn a_member_leaves_through_the_job_of_the_host() {
    a_host_in_a_job_with(JOB_OBJECT_LIMIT_BREAKAWAY_OK);
}
