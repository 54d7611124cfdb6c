//! What a shell on Windows starts with.

use crate::support::script;

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
