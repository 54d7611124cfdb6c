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

/// Lines for cmd.exe become a batch file of ours; its path, the folder it starts in and what it calls may have any letters.
#[test]
fn a_path_with_letters_of_any_kind_is_another_one_for_cmd() {
    let launch = cmd("cd\necho one\ncall inner.cmd two\nexit /b 6\n");
    let (base, cwd) = (launch.folder.path().join("Jürgen 漢 (x) & y"), launch.folder.path().join("grün 漢字"));
    std::fs::create_dir(&cwd).unwrap();
    std::fs::write(cwd.join("inner.cmd"), "@echo %1\r\n").unwrap();
    let outcome = launch.output_base(base.display().to_string()).cwd(cwd.display().to_string()).outcome();
    let said = outcome.stdout();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((outcome.exit, &lines[1..]), (Exit::Code(6), &["one", "two"][..]), "{said:?}: {}", outcome.stderr());

    // A line that is typed goes to cmd.exe as it is, in UTF-16.
    let launch = cmd("\"grün 漢字.cmd\" three");
    let cwd = launch.folder.path().join("漢");
    std::fs::create_dir(&cwd).unwrap();
    std::fs::write(cwd.join("grün 漢字.cmd"), "@echo %1\r\n@exit /b 7\r\n").unwrap();
    let outcome = launch.cwd(cwd.display().to_string()).outcome();
    assert_eq!((outcome.stdout().as_str(), outcome.exit), ("three\r\n", Exit::Code(7)), "{}", outcome.stderr());
}
