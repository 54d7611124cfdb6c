//! Requests that cannot be meant, and places that cannot be used: refused with a word to branch on and what to do.

use foreman_core::ErrorKind;
use foreman_core::outcome::Exit;
use foreman_core::shell::ShellKind;

use crate::support::{Launch, script};

#[track_caller]
fn refused(launch: Launch, kind: ErrorKind, words: &[&str]) {
    let (got, message) = launch.refusal();
    assert_eq!(got, kind, "{message}");
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message:?}");
    }
}

#[test]
fn a_nul_byte_cuts_the_script() {
    refused(script("echo a\0b"), ErrorKind::BadRequest, &["NUL byte at offset 6"]);
}

#[test]
fn a_script_over_the_limit_is_cut() {
    refused(
        script("x".repeat(5 * 1024 * 1024)),
        ErrorKind::BadRequest,
        &["5242880 bytes", "4194304", "write it to a file"],
    );
}

// faults: name-breaks-wrapper
#[test]
fn an_id_becomes_a_path() {
    for id in ["", "../../x", "a b", "a/b", "a'b", "é", ".", &"x".repeat(65)] {
        let mut launch = script("true");
        launch.spec.id = id.into();
        refused(launch, ErrorKind::BadRequest, &["run id"]);
    }
}

#[test]
fn an_output_folder_becomes_another_path() {
    for folder in ["", "..", "a/b", "/tmp", "a b"] {
        let mut launch = script("true");
        launch.spec.output_folders = vec![folder.into()];
        refused(launch, ErrorKind::BadRequest, &["output folder"]);
    }
}

#[test]
fn a_bad_environment_entry_is_passed_on() {
    for (name, value) in [("", "x"), ("A=B", "x"), ("A", "x\0y"), ("A\0", "x")] {
        refused(script("true").env(name, Some(value)), ErrorKind::BadRequest, &["environment entry"]);
    }
}

// faults: enoent-blames-shell, cwd-deleted-bricks-tool
#[test]
fn a_missing_folder_is_reported_as_a_missing_shell() {
    refused(script("true").cwd("/no/such"), ErrorKind::CwdMissing, &["does not exist", "/no/such"]);
    refused(script("true").cwd("/etc/passwd"), ErrorKind::CwdMissing, &["is not a folder", "/etc/passwd"]);
    refused(script("true").cwd("relative"), ErrorKind::BadRequest, &["not absolute"]);
    refused(script("true").cwd("/tmp\0x"), ErrorKind::BadRequest, &["NUL"]);
    assert_eq!(script("exit 1").outcome().exit, Exit::Code(1));
}

// faults: spawn-error-crashes-host
#[test]
fn a_missing_shell_is_reported_as_a_missing_folder() {
    let shell = |path: &str| script("true").shell(path, ShellKind::Bash);
    refused(shell("/no/such/bash"), ErrorKind::ShellNotFound, &["/no/such/bash", "config.json"]);
    refused(shell("/etc/passwd"), ErrorKind::ShellNotFound, &["/etc/passwd", "not executable"]);
    refused(shell("/tmp"), ErrorKind::ShellNotFound, &["/tmp"]);
}

#[test]
fn a_missing_supervisor_is_not_named() {
    refused(
        script("true").shim("/no/such/foreman-shim"),
        ErrorKind::ShimMissing,
        &["/no/such/foreman-shim", "reinstall"],
    );
    refused(script("true").shim("/etc/passwd"), ErrorKind::ShimMissing, &["/etc/passwd"]);
}

#[test]
fn a_supervisor_that_is_something_else_makes_the_run_hang() {
    for program in ["/bin/true", "/bin/false", "/bin/ls"] {
        refused(script("true").shim(program), ErrorKind::SupervisorLost, &["supervisor"]);
    }
}

// faults: space-in-tmpdir
#[test]
fn a_folder_with_a_hostile_name_breaks_the_run() {
    let launch = script("echo hi");
    let base = launch.folder.path().join("a b'\"$(touch pwned)\n*");
    let outcome = launch.output_base(base.display().to_string()).outcome();
    assert_eq!((outcome.log.as_slice(), outcome.capture_error), (&b"hi\n"[..], None));
    assert!(!std::fs::exists(outcome.folder.path().join("pwned")).unwrap());
}

// faults: empty-output-on-capture-fault, predictable-log-symlink
#[test]
fn a_command_without_an_output_file_is_an_empty_success() {
    let launch = script("echo hi; exit 3");
    let base = launch.folder.path().join("blocked").join("base");
    std::fs::write(launch.folder.path().join("blocked"), "").unwrap();
    let base = base.display().to_string();
    let outcome = launch.output_base(base.clone()).outcome();
    assert_eq!((outcome.stdout().as_str(), outcome.exit), ("hi\n", Exit::Code(3)));
    let error = outcome.answer.capture_error.unwrap();
    assert_eq!((error.path.as_str(), error.bytes_lost), (base.as_str(), 3));
}

#[test]
fn a_background_run_without_an_output_file_is_started() {
    let launch = script("echo hi");
    std::fs::write(launch.folder.path().join("blocked"), "").unwrap();
    let base = launch.folder.path().join("blocked").join("base").display().to_string();
    refused(launch.output_base(base).background(), ErrorKind::OutputUnwritable, &["blocked", "TMPDIR"]);
}

// faults: stale-files-of-reused-name
#[test]
fn an_id_that_is_taken_writes_into_the_other_run() {
    let mut first = script("exec 9>\"$WITNESS\"; echo first; \"$PROBE\" wait >&9").background().start();
    first.witness.expect_line("ready");
    let mut second = script("echo second").background().output_base(first.spec.output_base.clone());
    second.spec.id.clone_from(&first.spec.id);
    refused(second, ErrorKind::OutputUnwritable, &[&first.spec.id.clone()]);
    first.stop();
    assert_eq!(first.outcome().log, b"first\n");
}

#[test]
fn a_command_that_did_not_start_leaves_an_empty_log_behind() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base");
    let (kind, _) =
        script("true").background().cwd("/no/such/folder").output_base(base.display().to_string()).refusal();
    assert_eq!(kind, ErrorKind::CwdMissing);
    let found = std::process::Command::new("find").arg(&base).args(["-name", "*.output"]).output().unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap(), "");
}
