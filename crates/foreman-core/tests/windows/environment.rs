//! What a shell on Windows starts with.

use std::os::windows::ffi::OsStrExt as _;

use foreman_core::error::ErrorKind;

use crate::support::{cmd, script};

#[test]
fn the_working_directory_is_another_one() {
    for name in ["plain", "with space", "grün 漢字", "it's $HOME `x` & (1)", "-a", "bin"] {
        let launch = script("pwd; echo \"$PWD\" > here; ls");
        let cwd = launch.folder.path().join(name);
        std::fs::create_dir(&cwd).unwrap();
        let outcome = launch.cwd(cwd.display().to_string()).outcome();
        let said = outcome.stdout();
        assert!(said.ends_with(&format!("/{name}\nhere\n")), "{said:?}: {}", outcome.stderr());
        assert!(cwd.join("here").exists());
    }
}

/// Windows starts no process in a folder with a path of this length.
const LONG_PATH_UNITS: usize = 246;

// faults: cwd-param-ignored
#[test]
fn a_working_directory_with_a_long_path_is_refused_or_another_one() {
    let launch = script("pwd; read -r line < here; echo \"$line\"; ls > there; cd ..; cd -");
    let mut cwd = launch.folder.path().to_owned();
    while cwd.as_os_str().encode_wide().count() < LONG_PATH_UNITS {
        cwd.push("漢 a long name of a folder");
    }
    std::fs::create_dir_all(&cwd).unwrap();
    std::fs::write(cwd.join("here"), "what is here\n").unwrap();
    let outcome = launch.cwd(cwd.display().to_string()).outcome();
    let said = outcome.stdout();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines.len() == 3 && lines[0].ends_with("/漢 a long name of a folder"), "{said:?}: {}", outcome.stderr());
    assert_eq!((lines[1], lines[2]), ("what is here", lines[0]));
    assert_eq!(std::fs::read_to_string(cwd.join("there")).unwrap(), "here\nthere\n");

    let cwd = cwd.display().to_string();
    let (kind, message) = cmd("echo hi").cwd(cwd.clone()).refusal();
    assert_eq!(kind, ErrorKind::CwdMissing);
    assert!(message.contains(&cwd) && message.contains("install Git for Windows"), "{message}");
}

#[test]
fn a_script_or_a_batch_file_with_letters_of_any_kind_in_its_path_is_not_found() {
    let launch = script("./'grün 漢字.sh' a; cmd //c 'grün 漢字.cmd' b; 'sub 漢'/*.sh c");
    let cwd = launch.folder.path().join("Jürgen 漢");
    std::fs::create_dir_all(cwd.join("sub 漢")).unwrap();
    for name in ["grün 漢字.sh", "sub 漢/é.sh"] {
        std::fs::write(cwd.join(name), "#!/bin/sh\necho \"$1 of ${0##*/}\"\n").unwrap();
    }
    std::fs::write(cwd.join("grün 漢字.cmd"), "@echo %1 of a batch file\r\n").unwrap();
    let outcome = launch.cwd(cwd.display().to_string()).outcome();
    let expected = "a of grün 漢字.sh\nb of a batch file\r\nc of é.sh\n";
    assert_eq!(outcome.stdout(), expected, "{}", outcome.stderr());
}

// faults: env-case-duplicates-windows
#[test]
fn two_spellings_of_path_reach_a_program() {
    let outcome =
        script("env | grep -ic '^path='; echo \"$PATH\"").env("PATH", Some(r"C:\only;C:\windows\system32")).outcome();
    let said = outcome.stdout();
    assert!(said.starts_with("1\n") && said.contains("/c/only"), "{said:?}");
    let outcome = script("echo \"$Extra <${EDITOR}> <${GIT_TERMINAL_PROMPT}> $PI_FOREMAN_RUN\"")
        .env("Extra", Some("ü x"))
        .outcome();
    assert!(outcome.stdout().starts_with("ü x <false> <0> core-test-"), "{:?}", outcome.stdout());
}

#[test]
fn a_value_that_looks_like_a_path_or_has_quotes_is_changed() {
    let value = r#"C:\a "b" 'c' %d% \\ trailing\"#;
    let outcome = script("printf '%s' \"$Odd\"").env("Odd", Some(value)).outcome();
    assert_eq!(outcome.stdout(), value);
}

#[test]
fn a_handle_of_the_host_is_open_in_the_command() {
    let outcome = script("ls /proc/self/fd | tr '\\n' ' '").outcome();
    assert_eq!(outcome.stdout(), "0 1 2 3 ");
}
