//! Ends that are quicker than whoever looks for them. How a shell ended: `every_system/exits.rs`.

use foreman_core::outcome::Exit;

use crate::support::script;

// faults: fast-exit-race, native-run-never-settles, handle-leak
#[test]
fn a_command_that_ends_at_once_has_no_output() {
    for _ in 0..3 {
        let outcome = script("exec \"$PROBE\" write-then-exit 200000 5").outcome();
        assert_eq!(
            (outcome.exit, outcome.total_bytes, outcome.log.len() >= 200_000),
            (Exit::Code(5), outcome.log.len() as u64, true)
        );
    }
}
