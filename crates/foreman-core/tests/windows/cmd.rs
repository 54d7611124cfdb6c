//! The fallback: cmd.exe.

use foreman_core::outcome::{EndReason, Exit};

use crate::support::cmd;

#[test]
fn a_line_for_cmd_is_changed() {
    let outcome = cmd("echo \"a b\" c & exit 5").outcome();
    assert_eq!((outcome.stdout().as_str(), outcome.exit), ("\"a b\" c \r\n", Exit::Code(5)));
}

#[test]
fn only_the_first_line_for_cmd_runs() {
    let outcome = cmd("echo one\nset x=two\necho %x%\nexit /b 3\n").outcome();
    assert_eq!((outcome.stdout().as_str(), outcome.exit), ("one\r\ntwo\r\n", Exit::Code(3)));
}

#[test]
fn a_program_below_cmd_survives_a_stop() {
    let mut run = cmd("\"%PROBE:/=\\%\" spawn-grandchild").start();
    let members = run.members(3);
    run.stop();
    let outcome = run.outcome();
    assert_eq!((outcome.exit, outcome.reason), (Exit::Signal(9), EndReason::Stop));
    members.expect_nobody();
}

#[test]
fn cmd_starts_in_another_folder() {
    let launch = cmd("cd");
    let cwd = launch.folder.path().join("with space");
    std::fs::create_dir(&cwd).unwrap();
    let outcome = launch.cwd(cwd.display().to_string()).outcome();
    assert!(outcome.stdout().trim_end().ends_with("with space"), "{:?}", outcome.stdout());
}
