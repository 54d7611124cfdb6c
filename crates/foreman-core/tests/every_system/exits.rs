//! What is said of how a shell ended.

use foreman_core::outcome::{EndReason, Exit};

use crate::support::script;

#[test]
fn a_short_command_runs() {
    let outcome = script("echo hi; echo oops >&2").outcome();
    assert_eq!((outcome.stdout().as_str(), outcome.stderr().as_str()), ("hi\n", "oops\n"));
    assert_eq!((outcome.exit, outcome.reason, outcome.answer.members_left), (Exit::Code(0), EndReason::Natural, false));
    assert_eq!(outcome.capture_error, None);
}

#[test]
fn exit_and_set_e_end_the_script_with_another_code() {
    for (text, code) in [
        ("exit 0", 0),
        ("exit 7; echo no", 7),
        ("(exit 3)", 3),
        ("set -e; false; echo no", 1),
        ("set -euo pipefail; false | true; echo no", 1),
        ("trap 'exit 9' EXIT; true", 9),
        ("exit 256", 0),
        ("exit -1", 255),
        ("no-such-command-anywhere", 127),
        ("exit 143", 143),
    ] {
        let outcome = script(text).outcome();
        assert_eq!((outcome.exit, outcome.stdout().as_str()), (Exit::Code(code), ""), "{text:?}: {}", outcome.stderr());
    }
}

// faults: signal-death-is-zero
#[test]
fn a_shell_that_a_signal_killed_looks_like_a_success() {
    for (text, signal) in [("kill -9 $$", 9), ("kill -TERM $$", 15)] {
        let outcome = script(text).outcome();
        assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(signal), EndReason::Natural), "{text}");
    }
}
