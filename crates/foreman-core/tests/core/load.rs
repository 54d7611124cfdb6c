//! Many runs at once, and many one after the other.

use foreman_core::frame::Event;
use foreman_core::outcome::{EndReason, Exit};

use crate::support::{HelperHost, HostPlan, Leftovers, Word, script};

// faults: late-flush-under-load, sibling-cancel, native-run-never-settles
#[test]
fn one_of_two_hundred_runs_has_the_output_of_another_or_never_ends() {
    let runs: Vec<_> = (0..200)
        .map(|n| script(format!("echo n{n}; \"$PROBE\" long-line 100000 >&2; exit {}", n % 7)).start())
        .collect();
    for (n, run) in runs.into_iter().enumerate() {
        let outcome = run.outcome();
        assert_eq!(outcome.stdout(), format!("n{n}\n"));
        assert_eq!((outcome.exit, outcome.reason), (Exit::Code(n as i32 % 7), EndReason::Natural));
        assert_eq!(outcome.log.len(), format!("n{n}\n").len() + 100_001);
    }
}

#[test]
fn one_of_many_silent_runs_outlives_the_stop_of_all() {
    let runs: Vec<_> = (0..50)
        .map(|_| script("exec 9>\"$WITNESS\"; \"$PROBE\" leave-session >&9 & \"$PROBE\" wait >&9").background().start())
        .collect();
    let runs: Vec<_> = runs
        .into_iter()
        .map(|mut run| {
            run.witness.expect_lines("ready", 2);
            run
        })
        .collect();
    for run in &runs {
        run.request_end(EndReason::Quit, None);
    }
    for run in runs {
        assert_eq!(run.outcome().reason, EndReason::Quit);
    }
}

// faults: handle-leak, sigchld-fight
#[test]
fn a_run_leaves_a_descriptor_or_a_zombie_in_the_host() {
    let open_after = |count: usize| {
        let parts: Vec<_> = (0..count).map(|_| script("exit 3").into_parts()).collect();
        let runs = parts.iter().map(|(spec, _, _)| spec.clone()).collect();
        let mut host = HelperHost::start(HostPlan { runs, ..HostPlan::default() }, |_| {});
        let mut exits = 0;
        loop {
            match host.word() {
                Word::Event(_, Event::Ended { exit, .. }) => {
                    assert_eq!(exit, Exit::Code(3));
                    exits += 1;
                }
                Word::Done(Leftovers { open_descriptors, children }) => {
                    // The supervisor that waits for the next command.
                    assert_eq!((exits, children), (count, 1));
                    return open_descriptors;
                }
                _ => {}
            }
        }
    };
    assert_eq!(open_after(60), open_after(1));
}
