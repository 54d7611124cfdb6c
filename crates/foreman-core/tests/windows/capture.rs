//! What is printed reaches the file and the answer, all of it and nothing else.

use foreman_core::frame::PromotedBy;
use foreman_core::limits::CAP_MARKER;
use foreman_core::log::window_to_utf8;
use foreman_core::outcome::{EndReason, Exit};
use foreman_core::spec::OnTimeout;

use crate::support::script;

fn pattern(bytes: usize) -> Vec<u8> {
    (0..=250_u8).cycle().take(bytes).collect()
}

#[test]
fn a_flood_loses_a_byte() {
    let outcome = script("exec 2>/dev/null; \"$PROBE\" flood 5000000").outcome();
    assert!(outcome.log.ends_with(&pattern(5_000_000)), "{} bytes", outcome.log.len());
    assert_eq!(outcome.total_bytes, outcome.log.len() as u64);
}

#[test]
fn the_order_of_two_streams_is_lost_in_the_background() {
    let text = "for i in 1 2 3 4 5 6 7 8 9 10; do echo out $i; echo err $i >&2; done";
    let expected: String = (1..=10).map(|i| format!("out {i}\nerr {i}\n")).collect();
    assert_eq!(script(text).background().outcome().log_text(), expected);
}

// faults: log-fills-disk
#[test]
fn the_cap_is_passed_or_hurts_the_command() {
    let outcome =
        script("exec 2>/dev/null; \"$PROBE\" flood 3000000; echo $?").background().cap_bytes(100_000).outcome();
    assert_eq!((outcome.log.len(), outcome.exit), (100_000 + CAP_MARKER.len(), Exit::Code(0)));
    assert!(outcome.log.ends_with(CAP_MARKER) && outcome.total_bytes >= 3_000_002);
}

#[test]
fn a_run_that_was_promoted_is_stopped_by_its_timeout() {
    let mut run = script("\"$PROBE\" wait").timeout_ms(300, OnTimeout::Promote).start();
    assert_eq!(run.promoted().0, PromotedBy::Timeout);
    let members = run.members(1);
    run.stop();
    assert_eq!(run.outcome().reason, EndReason::Stop);
    members.expect_nobody();
}

#[test]
fn a_command_is_answered_only_when_its_server_ends() {
    let mut run = script("\"$PROBE\" wait & echo started").start();
    let answer = run.answer();
    assert_eq!((answer.exit, answer.members_left), (Exit::Code(0), true));
    let members = run.members(1);
    run.stop();
    let outcome = run.outcome();
    assert_eq!((outcome.reason, outcome.exit), (EndReason::Natural, Exit::Code(0)));
    members.expect_nobody();
}

#[test]
fn a_log_that_was_removed_is_not_told() {
    let mut run = script("echo a; \"$PROBE\" wait").background().start();
    let (path, _, _) = run.started();
    run.members(1);
    std::fs::remove_file(&path).unwrap();
    run.stop();
    if std::fs::exists(&path).unwrap_or(true) {
        // Wine removes a file when its last user closes it.
        eprintln!("SKIPPED: a file that is open cannot be removed here");
        return drop(run.outcome());
    }
    assert_eq!(run.outcome().capture_error.map(|e| e.code).as_deref(), Some("ENOENT"));
}

#[test]
fn a_program_of_the_console_code_page_is_unreadable_or_spoils_its_neighbours() {
    let outcome = script("exec 2>/dev/null; printf 'gr\\xc3\\xbcn\\nsp\\x84t\\n'").background().outcome();
    let text = String::from_utf8(window_to_utf8(outcome.answer.snapshot.stdout).head).unwrap();
    assert!(text.contains("grün\nsp"), "{text:?}");
    // 0x84 is a letter in the code pages of the west; what it is elsewhere is not for this test.
    assert!(!text.contains("sp\u{fffd}t") && !text.contains("sp\u{84}t"), "{text:?}");
}
