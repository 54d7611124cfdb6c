//! Many runs at once.

use foreman_core::outcome::Exit;

use crate::support::cmd;

/// Starting Git Bash so often at once takes Wine minutes; the core does not care which shell it is.
const RUNS: usize = 200;

// faults: parallel-output-loss
#[test]
fn one_of_two_hundred_parallel_runs_loses_output_or_its_code() {
    let runs: Vec<_> =
        (0..RUNS).map(|n| cmd(format!("\"%PROBE:/=\\%\" write-then-exit 25000 {}", n % 100)).start()).collect();
    for (n, run) in runs.into_iter().enumerate() {
        let outcome = run.outcome();
        let code = i32::try_from(n % 100).unwrap();
        assert_eq!(
            (outcome.exit, outcome.total_bytes, outcome.log.len()),
            (Exit::Code(code), 25_000, 25_000),
            "run {n}"
        );
        assert_eq!(outcome.stdout().len(), 25_000);
    }
}
