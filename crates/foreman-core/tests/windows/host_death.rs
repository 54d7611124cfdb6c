//! The end of the host is the end of its runs.

use foreman_core::containment::ProcessIdentity;
use foreman_core::journal;
use foreman_core::spec::Spec;

use crate::support::{HelperHost, HostPlan, Members, TREE, TREE_ALIVE, TREE_READY, script, wait_until};

/// A host of these, and their members, once their trees stand.
fn host_of(specs: &[&Spec]) -> (HelperHost, Vec<Members>) {
    let runs = specs.iter().map(|spec| (*spec).clone()).collect();
    let host = HelperHost::start(HostPlan { runs, ..HostPlan::default() }, |_| {});
    let trees: Vec<_> = specs.iter().map(|spec| Members::of(spec, TREE_READY)).collect();
    for members in &trees {
        members.expect_all_alive(TREE_ALIVE);
    }
    (host, trees)
}

// faults: host-kill9-orphans
#[test]
fn a_pipeline_lives_on_when_the_host_is_killed() {
    let parts: Vec<_> = (0..2).map(|_| script(TREE).background().into_parts()).collect();
    let (mut host, trees) = host_of(&parts.iter().map(|(spec, _)| spec).collect::<Vec<_>>());
    host.kill();
    for members in &trees {
        wait_until("everybody is gone", || members.alive() == 0);
    }
}

#[test]
fn what_a_killed_host_left_on_the_disk_stays_there() {
    let (spec, folder) = script(TREE).background().into_parts();
    let (mut host, trees) = host_of(&[&spec]);
    let members = &trees[0];
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
