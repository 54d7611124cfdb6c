//! The end of the host is the end of its runs, however it comes; a host that only stands still changes nothing.

use foreman_core::frame::Event;
use foreman_core::outcome::{EndReason, Exit};
use foreman_core::spec::Spec;
use rustix::process::Signal;

use crate::support::{HelperHost, HostPlan, Launch, Witness, Word, script};

/// A tree with everything that usually outlives a host. macOS has no `setsid`.
const TREE: &str = if cfg!(target_os = "linux") {
    "exec 9>\"$WITNESS\"; \"$PROBE\" daemonize >&9; setsid env -i \"$PROBE\" ignore-term >&9 & \
     \"$PROBE\" leave-group >&9 & nohup \"$PROBE\" write-slowly 1000000 5 & \"$PROBE\" spawn-grandchild >&9"
} else {
    "exec 9>\"$WITNESS\"; \"$PROBE\" daemonize >&9; env -i \"$PROBE\" leave-session >&9 & \
     \"$PROBE\" leave-group >&9 & nohup \"$PROBE\" write-slowly 1000000 5 & \"$PROBE\" spawn-grandchild >&9"
};

/// Lines that a tree says when it stands.
const TREE_READY: usize = 4;

fn host_of(launch: Launch) -> (HelperHost, Spec, tempfile::TempDir, Witness) {
    let (spec, folder, witness) = launch.into_parts();
    let host = HelperHost::start(HostPlan { runs: vec![spec.clone()], ..HostPlan::default() }, |_| {});
    (host, spec, folder, witness)
}

// faults: host-kill9-orphans, host-term-orphans, host-hup-orphans
#[test]
fn the_tree_lives_on_when_the_host_is_killed() {
    for signal in [Signal::KILL, Signal::TERM, Signal::HUP, Signal::INT] {
        let (mut host, spec, _folder, mut witness) = host_of(script(TREE).background());
        witness.expect_lines("ready", TREE_READY);
        host.signal(signal);
        host.wait();
        witness.expect_all_gone();
        // The supervisor cleans up behind itself.
        let journal = format!("{}/journal/{}.json", spec.output_base, spec.id);
        crate::support::wait_until("the journal entry is removed", || !std::fs::exists(&journal).unwrap());
    }
}

#[test]
fn some_of_twenty_trees_live_on_when_the_host_is_killed() {
    let parts: Vec<_> = (0..20).map(|_| script(TREE).background().into_parts()).collect();
    let runs = parts.iter().map(|(spec, _, _)| spec.clone()).collect();
    let mut host = HelperHost::start(HostPlan { runs, ..HostPlan::default() }, |_| {});
    let mut trees: Vec<_> = parts.into_iter().map(|(_, folder, witness)| (folder, witness)).collect();
    for (_, witness) in &mut trees {
        witness.expect_lines("ready", TREE_READY);
    }
    host.kill();
    for (_, witness) in &mut trees {
        witness.expect_all_gone();
    }
}

#[test]
fn a_member_that_ignores_the_polite_signal_outlives_its_host() {
    let launch = script("exec 9>\"$WITNESS\"; trap '' TERM HUP; exec \"$PROBE\" ignore-term >&9").grace_ms(3_600_000);
    let (mut host, _spec, _folder, mut witness) = host_of(launch);
    witness.expect_line("ready");
    host.kill();
    witness.expect_all_gone();
}

#[test]
fn a_host_that_dies_during_the_grace_leaves_the_run_its_hour() {
    let launch = script("exec 9>\"$WITNESS\"; trap 'echo asked >&9' TERM; echo ready >&9; while :; do sleep .01; done");
    let (mut host, _spec, _folder, mut witness) = host_of(launch.grace_ms(3_600_000));
    witness.expect_line("ready");
    host.request_stop();
    witness.expect_line("asked");
    host.kill();
    witness.expect_all_gone();
}

// faults: cap-lost-when-host-dies
#[test]
fn a_log_grows_without_its_cap_after_the_host_was_killed() {
    let (mut host, spec, _folder, mut witness) =
        host_of(script("exec 9>\"$WITNESS\"; echo ready >&9; exec yes").background().cap_bytes(100_000));
    witness.expect_line("ready");
    host.kill();
    witness.expect_all_gone();
    let log = std::fs::read(format!("{}/session/tasks/{}.output", spec.output_base, spec.id)).unwrap();
    assert!(log.len() <= 100_000 + foreman_core::limits::CAP_MARKER.len(), "{}", log.len());
}

#[test]
fn a_host_that_is_suspended_stops_the_capture() {
    let bytes = 8 * 1024 * 1024;
    let text = format!("exec 9>\"$WITNESS\"; echo ready >&9; read -r _ < go; \"$PROBE\" flood {bytes}");
    let (mut host, spec, _folder, mut witness) = host_of(script(format!("mkfifo go; {text}")).background());
    witness.expect_line("ready");
    host.signal(Signal::STOP);
    std::fs::write(format!("{}/go", spec.cwd), "go\n").unwrap();
    // It ends while its host stands still, so all of it went through the supervisor.
    witness.expect_all_gone();
    let path = format!("{}/session/tasks/{}.output", spec.output_base, spec.id);
    crate::support::wait_until("the log is complete", || std::fs::metadata(&path).unwrap().len() == bytes);
    host.signal(Signal::CONT);
    let ended = host.wait_for(|word| match word {
        Word::Event(_, Event::Ended { exit, reason, total_bytes, .. }) => Some((exit, reason, total_bytes)),
        _ => None,
    });
    assert_eq!(ended, (Exit::Code(0), EndReason::Natural, bytes));
}
