//! The supervisor itself is killed: the host says so and ends what is left; with the host gone too, the next sweep does.

use foreman_core::containment::{ProcStat, ProcessIdentity, boot_id, pid_namespace};
use foreman_core::frame::Event;
use foreman_core::journal::{self, Entry};
use foreman_core::outcome::{EndReason, Exit};
use foreman_core::spec::OnTimeout;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{HelperHost, HostPlan, Run, Word, script};

fn kill(pid: i32) {
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
}

#[track_caller]
fn lost(mut run: Run) {
    let (_, supervisor, _) = run.started();
    kill(supervisor);
    let answer = run.answer();
    assert_eq!((answer.exit, answer.reason), (Exit::Signal(9), EndReason::SupervisorLost));
    let outcome = run.outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(9), EndReason::SupervisorLost));
    // A later sweep would look for numbers that may be a stranger's by then.
    assert_eq!(std::fs::read_dir(outcome.folder.path().join("base/journal")).unwrap().count(), 0);
}

#[test]
fn the_members_live_on_when_the_supervisor_is_killed() {
    let mut run = script("exec 9>\"$WITNESS\"; \"$PROBE\" leave-group >&9 & \"$PROBE\" ignore-term >&9").start();
    run.witness.expect_lines("ready", 2);
    lost(run);
}

#[test]
fn a_daemon_lives_on_when_the_supervisor_is_killed() {
    let mut run = script(
        "exec 9>\"$WITNESS\"; \"$PROBE\" daemonize >&9; setsid \"$PROBE\" spawn-grandchild >&9 & \"$PROBE\" wait >&9",
    )
    .start();
    run.witness.expect_lines("ready", 3);
    lost(run);
}

#[test]
fn a_member_with_an_empty_environment_lives_on_when_the_supervisor_is_killed() {
    let mut run = script("exec 9>\"$WITNESS\"; \"$PROBE\" clear-env >&9 & \"$PROBE\" wait >&9").start();
    run.witness.expect_lines("ready", 2);
    lost(run);
}

#[test]
fn a_storm_of_forks_lives_on_when_the_supervisor_is_killed() {
    let mut run = script("exec 9>\"$WITNESS\"; \"$PROBE\" fork-storm 2 >&9; \"$PROBE\" wait >&9").start();
    run.witness.expect_lines("ready", 2);
    lost(run);
}

#[test]
fn what_the_shell_had_said_is_said_again_when_the_supervisor_is_killed() {
    let mut run = script("exec 9>\"$WITNESS\"; \"$PROBE\" wait >&9 & exit 4").start();
    let (_, supervisor, _) = run.started();
    run.witness.expect_line("ready");
    assert_eq!((run.answer().exit, run.answered_once()), (Exit::Code(4), true));
    kill(supervisor);
    let exit = loop {
        if let Event::Ended { exit, reason: EndReason::SupervisorLost, .. } = run.next_event() {
            break exit;
        }
    };
    assert_eq!(exit, Exit::Code(4));
    assert!(run.answered_once());
    run.witness.expect_nobody_now();
}

/// Starts a run under a host of its own, and kills both host and supervisor so that neither can clean up.
fn orphaned(text: &str, ready: usize) -> (foreman_core::Spec, tempfile::TempDir, crate::support::Witness) {
    let (spec, folder, mut witness) = script(text).background().into_parts();
    let mut host = HelperHost::start(HostPlan { runs: vec![spec.clone()], ..HostPlan::default() }, |_| {});
    let supervisor = host.wait_for(|word| match word {
        Word::Event(_, Event::Started { supervisor_pid, .. }) => Some(supervisor_pid),
        _ => None,
    });
    witness.expect_lines("ready", ready);
    // A host that stands still does nothing about the loss. The other way round, its end would wake even a stopped supervisor.
    host.suspend();
    kill(supervisor);
    host.kill();
    crate::support::wait_until("the supervisor is gone", || ProcessIdentity::of(supervisor).is_none());
    (spec, folder, witness)
}

/// A sweep that runs out of time, on a machine that is busy with something else, is repeated by the next start.
fn sweep_until_ended(spec: &foreman_core::Spec) {
    crate::support::wait_until("the sweep has ended the run", || {
        let report = journal::sweep(&spec.output_base).unwrap();
        assert_eq!(report.live_outputs, Vec::<String>::new());
        report.ended == [spec.id.as_str()]
    });
}

// faults: host-kill9-orphans
#[test]
fn leftovers_of_a_crash_outlive_the_next_start() {
    let text = "exec 9>\"$WITNESS\"; \"$PROBE\" daemonize >&9; \"$PROBE\" clear-env >&9 & \"$PROBE\" ignore-term >&9";
    let (spec, _folder, mut witness) = orphaned(text, 3);
    witness.expect_somebody();
    sweep_until_ended(&spec);
    witness.expect_nobody_now();
    assert_eq!(journal::sweep(&spec.output_base).unwrap(), journal::SweepReport::default());
}

#[test]
fn a_sweep_ends_a_run_that_is_alive() {
    let mut run = script("exec 9>\"$WITNESS\"; \"$PROBE\" wait >&9").background().start();
    let (path, _, _) = run.started();
    run.witness.expect_line("ready");
    let report = journal::sweep(&run.spec.output_base).unwrap();
    assert_eq!((report.ended, report.live_outputs), (vec![], vec![path]));
    run.witness.expect_somebody();
    run.stop();
    assert_eq!(run.outcome().reason, EndReason::Stop);
}

#[test]
fn a_supervisor_that_was_stopped_sleeps_through_a_sweep() {
    let mut run = script("exec 9>\"$WITNESS\"; \"$PROBE\" wait >&9").start();
    let (_, supervisor, _) = run.started();
    run.witness.expect_line("ready");
    kill_process(Pid::from_raw(supervisor).unwrap(), Signal::STOP).unwrap();
    crate::support::wait_until("the supervisor stands still", || is_stopped(supervisor));
    journal::sweep(&run.spec.output_base).unwrap();
    crate::support::wait_until("the supervisor goes on", || !is_stopped(supervisor));
    assert!(run.stop());
    assert_eq!(run.outcome().reason, EndReason::Stop);
}

/// From `go` on, it stops its supervisor again and again, and does not end when it is asked.
const STOPS_ITS_SUPERVISOR: &str = "trap '' TERM; exec 9>\"$WITNESS\"; mkfifo go; echo ready >&9; read -r _ < go; \
     while :; do kill -STOP $PPID; done";

fn is_stopped(pid: i32) -> bool {
    ProcStat::of(pid).is_ok_and(|stat| stat.state == b'T')
}

#[test]
fn a_command_that_keeps_stopping_its_supervisor_cannot_be_ended() {
    let mut run = script(STOPS_ITS_SUPERVISOR).grace_ms(3_600_000).start();
    let (_, supervisor, _) = run.started();
    run.witness.expect_line("ready");
    std::fs::write(format!("{}/go", run.spec.cwd), "go\n").unwrap();
    crate::support::wait_until("the supervisor stands still", || is_stopped(supervisor));
    assert!(run.stop());
    assert_eq!(run.outcome().reason, EndReason::SupervisorLost);
}

#[test]
fn a_command_that_keeps_stopping_its_supervisor_outlives_its_time() {
    let text = STOPS_ITS_SUPERVISOR.replace("$PPID;", "$PPID; sleep .05;");
    let mut run = script(text).grace_ms(3_600_000).timeout_ms(3_000, OnTimeout::Stop).start();
    run.started();
    run.witness.expect_line("ready");
    std::fs::write(format!("{}/go", run.spec.cwd), "go\n").unwrap();
    assert_eq!(run.outcome().reason, EndReason::SupervisorLost);
}

#[test]
fn a_command_that_keeps_stopping_its_supervisor_outlives_its_host_and_the_next_start() {
    let (mut spec, _folder, mut witness) = script(STOPS_ITS_SUPERVISOR).background().into_parts();
    spec.grace_ms = 3_600_000;
    let mut host = HelperHost::start(HostPlan { runs: vec![spec.clone()], ..HostPlan::default() }, |_| {});
    let supervisor = host.wait_for(|word| match word {
        Word::Event(_, Event::Started { supervisor_pid, .. }) => Some(supervisor_pid),
        _ => None,
    });
    witness.expect_line("ready");
    std::fs::write(format!("{}/go", spec.cwd), "go\n").unwrap();
    crate::support::wait_until("the supervisor stands still", || is_stopped(supervisor));
    // Its host may still want it: only that one may end it.
    assert_eq!(journal::sweep(&spec.output_base).unwrap().ended, Vec::<String>::new());
    host.kill();
    crate::support::wait_until("the sweep has ended the run", || {
        journal::sweep(&spec.output_base).unwrap().ended == [spec.id.as_str()]
    });
    witness.expect_nobody_now();
}

#[test]
fn an_entry_of_a_finished_run_stays() {
    let outcome = script("true").outcome();
    assert_eq!(std::fs::read_dir(outcome.folder.path().join("base/journal")).unwrap().count(), 0);
}

/// Writes the entry of a run whose supervisor is gone, in a folder of its own.
fn entry_of_a_dead_run(run_id: &str, supervisor: ProcessIdentity, shell: Option<ProcessIdentity>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    std::fs::create_dir(&journal).unwrap();
    let entry = Entry {
        run_id: run_id.into(),
        boot_id: boot_id(),
        pid_namespace: pid_namespace(),
        supervisor,
        shell,
        host_pid: 1,
        output_path: None,
    };
    std::fs::write(journal.join(format!("{run_id}.json")), serde_json::to_vec(&entry).unwrap()).unwrap();
    folder
}

/// A run that stands in for a stranger who was given a number that one of ours had before.
fn stranger() -> Run {
    let mut run = script("exec 9>\"$WITNESS\"; \"$PROBE\" wait >&9 & \"$PROBE\" wait >&9").start();
    run.witness.expect_lines("ready", 2);
    run
}

// faults: kill-after-pid-reuse
#[test]
fn a_stranger_with_the_number_of_a_dead_shell_is_killed() {
    let mut run = stranger();
    let (_, supervisor, shell) = run.started();
    let older = |pid| {
        let now = ProcessIdentity::of(pid).unwrap();
        ProcessIdentity { start: now.start - 1, ..now }
    };
    let folder = entry_of_a_dead_run("core-test-dead-run", older(supervisor), Some(older(shell)));
    let report = journal::sweep(&folder.path().display().to_string()).unwrap();
    assert_eq!(report.ended, ["core-test-dead-run"]);
    run.witness.expect_somebody();
    assert!(run.stop());
    assert_eq!(run.outcome().reason, EndReason::Stop);
}

#[test]
fn an_entry_of_another_boot_kills_a_stranger() {
    let mut run = stranger();
    let (_, _, shell) = run.started();
    let dead = ProcessIdentity { pid: i32::MAX, start: 1 };
    let folder = entry_of_a_dead_run(&run.spec.id, dead, ProcessIdentity::of(shell));
    let file = folder.path().join("journal").join(format!("{}.json", run.spec.id));
    let text = std::fs::read_to_string(&file).unwrap().replace(&boot_id(), "another-boot");
    std::fs::write(&file, text).unwrap();
    assert_eq!(journal::sweep(&folder.path().display().to_string()).unwrap().ended, Vec::<String>::new());
    run.witness.expect_somebody();
    run.stop();
    assert_eq!(run.outcome().reason, EndReason::Stop);
}

// The folder may be one that several machines share.
#[test]
fn a_start_on_one_machine_forgets_what_runs_on_another() {
    let dead = ProcessIdentity { pid: i32::MAX, start: 1 };
    let folder = entry_of_a_dead_run("core-test-elsewhere", dead, None);
    let file = folder.path().join("journal/core-test-elsewhere.json");
    let entry = std::fs::read_to_string(&file).unwrap().replace(&boot_id(), "another-boot");
    std::fs::write(&file, entry.replace("\"output_path\":null", "\"output_path\":\"/shared/x.output\"")).unwrap();
    let sweep = || journal::sweep(&folder.path().display().to_string()).unwrap();
    let report = sweep();
    assert_eq!((report.ended, report.live_outputs), (vec![], vec!["/shared/x.output".to_owned()]));
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 24 * 60 * 60);
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(long_ago).unwrap();
    assert_eq!((sweep(), file.exists()), (journal::SweepReport::default(), false));
}

#[test]
fn a_torn_or_foreign_entry_stops_the_sweep() {
    let (spec, _folder, mut witness) =
        orphaned("exec 9>\"$WITNESS\"; \"$PROBE\" daemonize >&9; \"$PROBE\" wait >&9", 2);
    for (name, text) in [("a.json", "{\"run_id\":"), ("b.json", ""), ("c", "\0\0"), ("0.json", "[]")] {
        std::fs::write(format!("{}/journal/{name}", spec.output_base), text).unwrap();
    }
    std::os::unix::fs::symlink("/etc/passwd", format!("{}/journal/d.json", spec.output_base)).unwrap();
    sweep_until_ended(&spec);
    witness.expect_nobody_now();
}

#[test]
fn a_host_inside_a_run_ends_itself_when_it_sweeps() {
    let dead = ProcessIdentity { pid: i32::MAX, start: 1 };
    let folder = entry_of_a_dead_run("core-test-our-own", dead, None);
    let sweep = vec![folder.path().display().to_string()];
    let mut host = HelperHost::start(HostPlan { sweep, ..HostPlan::default() }, |command| {
        command.env("PI_FOREMAN_RUN", "core-test-our-own");
    });
    let ended = host.wait_for(|word| match word {
        Word::Swept(ended) => Some(ended),
        _ => None,
    });
    assert_eq!(ended, ["core-test-our-own"]);
}

// A container that shares our /tmp has its own numbers.
#[test]
fn an_entry_of_another_process_namespace_is_taken_for_a_dead_run_of_ours() {
    let mut run = stranger();
    let (_, _, shell) = run.started();
    let dead = ProcessIdentity { pid: i32::MAX, start: 1 };
    let folder = entry_of_a_dead_run(&run.spec.id, dead, ProcessIdentity::of(shell));
    let file = folder.path().join("journal").join(format!("{}.json", run.spec.id));
    let text = std::fs::read_to_string(&file).unwrap().replace(&pid_namespace(), "pid:[1]");
    std::fs::write(&file, text).unwrap();
    assert_eq!(journal::sweep(&folder.path().display().to_string()).unwrap().ended, Vec::<String>::new());
    assert!(file.exists());
    run.witness.expect_somebody();
    run.stop();
    assert_eq!(run.outcome().reason, EndReason::Stop);
}
