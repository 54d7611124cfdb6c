//! What cannot be started is told with the right reason.

use foreman_core::error::ErrorKind;
use foreman_core::shell::ShellKind;

use crate::support::script;

#[test]
fn a_missing_folder_is_called_a_missing_shell() {
    let launch = script("true");
    let missing = launch.folder.path().join("no such folder").display().to_string();
    let (kind, message) = launch.cwd(missing.clone()).refusal();
    assert_eq!(kind, ErrorKind::CwdMissing);
    assert!(message.contains(&missing) && message.contains("does not exist"), "{message}");

    let launch = script("true");
    let file = launch.folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let (kind, message) = launch.cwd(file.display().to_string()).refusal();
    assert_eq!(kind, ErrorKind::CwdMissing);
    assert!(message.contains("is not a folder"), "{message}");
}

#[test]
fn a_missing_shell_is_called_something_else() {
    for path in [r"C:\no\such\bash.exe", r"C:\windows\win.ini"] {
        let (kind, message) = script("true").shell(path, ShellKind::Bash).refusal();
        assert_eq!(kind, ErrorKind::ShellNotFound, "{message}");
        assert!(message.contains(path), "{message}");
    }
}

#[test]
fn a_relative_folder_is_taken() {
    assert_eq!(script("true").cwd(r"relative\folder").refusal().0, ErrorKind::BadRequest);
}
