//! Output goes where this user put it, and nowhere else.

use foreman_core::capture::OutputFolder;
use foreman_core::error::ErrorKind;

use crate::support::script;

#[test]
fn a_file_that_exists_is_written_to() {
    let dir = tempfile::tempdir().unwrap();
    let folder = OutputFolder::open(&dir.path().join("base").display().to_string(), &["s", "tasks"]).unwrap();
    std::fs::write(format!("{}\\x.output", folder.path()), "precious").unwrap();
    assert_eq!(folder.create_file("x.output").unwrap_err().kind(), ErrorKind::OutputUnwritable);
}

// faults: predictable-log-symlink
#[test]
fn a_folder_can_be_exchanged_while_it_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().join("base");
    let folder = OutputFolder::open(&base.display().to_string(), &["s"]).unwrap();
    assert!(std::fs::rename(base.join("s"), base.join("t")).is_err());
    assert!(std::fs::remove_dir(base.join("s")).is_err());
    drop(folder);
    std::fs::remove_dir(base.join("s")).unwrap();
}

#[test]
fn a_base_that_cannot_be_made_is_not_named() {
    let dir = tempfile::tempdir().unwrap();
    let blocker = dir.path().join("file");
    std::fs::write(&blocker, "").unwrap();
    let base = blocker.join("base").display().to_string();
    let (kind, message) = script("true").background().output_base(base.clone()).refusal();
    assert_eq!(kind, ErrorKind::OutputUnwritable);
    assert!(message.contains(&base) && message.contains("TEMP"), "{message}");
}

#[test]
fn a_base_with_spaces_and_letters_of_any_kind_is_refused() {
    let launch = script("echo hi");
    let base = launch.folder.path().join("Jürgen 漢 (x)").display().to_string();
    let mut run = launch.output_base(format!("{}/", base.replace('\\', "/")).trim_end_matches('/')).start();
    let (path, _, _) = run.started();
    assert!(path.starts_with(&base), "{path}");
    assert_eq!(run.outcome().stdout(), "hi\n");
}
