//! The end of the host is the end of its runs.

use foreman_core::containment::ProcessIdentity;
use foreman_core::journal;

use crate::support::{HelperHost, HostPlan, TREE, TREE_ALIVE, TREE_READY, script, wait_until};

// faults: host-kill9-orphans
#[test]
fn a_pipeline_lives_on_when_the_host_is_killed() {
    let parts: Vec<_> = (0..2).map(|_| script(TREE).background().into_parts()).collect();
    let plan = HostPlan { runs: parts.iter().map(|(spec, _)| (spec.clone(), TREE_READY)).collect() };
    let mut host = HelperHost::start(&plan);
    let trees: Vec<_> = parts.iter().map(|_| host.members(TREE_READY)).collect();
    for members in &trees {
        members.expect_all_alive(TREE_ALIVE);
    }
    host.kill();
    for members in &trees {
        wait_until("everybody is gone", || members.alive() == 0);
    }
}

#[test]
fn what_a_killed_host_left_on_the_disk_stays_there() {
    let (spec, folder) = script(TREE).background().into_parts();
    let mut host = HelperHost::start(&HostPlan { runs: vec![(spec.clone(), TREE_READY)] });
    let members = host.members(TREE_READY);
    let base = folder.path().join("base");
    let count = |name: &str| std::fs::read_dir(base.join(name)).into_iter().flatten().count();

    // The host lives: its output is in use, and nothing is touched.
    let report = journal::sweep(&spec.output_base).unwrap();
    assert_eq!((report.ended.len(), report.live_outputs.len()), (0, 1));
    assert_eq!((count("journal"), count("shell")), (1, 1));
    members.expect_all_alive(TREE_ALIVE);

    host.kill();
    wait_until("everybody is gone", || members.alive() == 0);
    let report = journal::sweep(&spec.output_base).unwrap();
    assert_eq!((report.ended, report.live_outputs.len()), (vec![spec.id], 0));
    assert_eq!((count("journal"), count("shell")), (0, 0));
}

#[test]
fn a_later_process_of_the_same_number_is_taken_for_the_old_one() {
    let this = ProcessIdentity::of(std::process::id().cast_signed()).unwrap();
    assert!(this.is_alive());
    assert!(!ProcessIdentity { start: this.start + 1, ..this }.is_alive());
}
