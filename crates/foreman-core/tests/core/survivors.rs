//! Members that a stop cannot end are named instead of being called stopped.

use std::os::unix::process::CommandExt as _;

use foreman_core::frame::Event;
use foreman_core::outcome::{StopResult, SurvivalCause};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{HelperHost, HostPlan, Word, is_root, probe, script, skip};

/// Somebody who is not root: `nobody` on every Linux that has one; the number needs no entry.
const ANOTHER_USER: u32 = 65_534;

// faults: kill-not-verified, terminate-call-hangs
#[test]
fn a_process_of_another_user_is_called_stopped() {
    if !is_root() {
        return skip("only root can prepare a set-user-id program");
    }
    let launch = script("exec 9>\"$WITNESS\"; ./as-root become-root >&9 & \"$PROBE\" wait >&9").grace_ms(100);
    let as_root = launch.folder.path().join("as-root");
    std::fs::copy(probe(), &as_root).unwrap();
    rustix::fs::chmod(&as_root, 0o4755.into()).unwrap();
    // The tests may be built where others cannot read: everything that runs as somebody else lies in the run's folder.
    let mine = |name: &str, from: &std::path::Path| {
        let to = launch.folder.path().join(name);
        std::fs::copy(from, &to).unwrap();
        rustix::fs::chmod(&to, 0o755.into()).unwrap();
        to
    };
    let shim = mine("shim", crate::support::shim());
    let host_program = mine("host", &std::env::current_exe().unwrap());
    let own_probe = mine("probe", probe()).display().to_string();
    let (spec, folder, mut witness) = launch.env("PROBE", Some(&own_probe)).into_parts();
    let plan = HostPlan { runs: vec![spec], shim: Some(shim), program: Some(host_program), ..HostPlan::default() };
    let mut host = HelperHost::start(plan, |command| {
        command.uid(ANOTHER_USER).gid(ANOTHER_USER).current_dir("/");
    });
    let mut lines = Vec::new();
    while lines.len() < 2 {
        lines.push(witness.expect_any_line());
    }
    assert_eq!(lines, ["ready", "ready"]);
    host.request_stop();
    let survivors = host.wait_for(|word| match word {
        Word::Event(_, Event::StopResult(StopResult::Survivors(survivors))) => Some(survivors),
        Word::Event(_, Event::Ended { .. }) => panic!("it was said to be over while a process of root lived on"),
        _ => None,
    });
    witness.expect_somebody();
    let [survivor] = survivors.as_slice() else { panic!("{survivors:?}") };
    let pid = Pid::from_raw(survivor.pid).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    assert_eq!((survivor.command.as_str(), survivor.why), ("./as-root become-root", SurvivalCause::AnotherUser));
    // It is the supervisor that sees the end, and says it.
    host.wait_for(|word| matches!(word, Word::Event(_, Event::Ended { .. })).then_some(()));
    witness.expect_nobody_now();
    drop(folder);
}
