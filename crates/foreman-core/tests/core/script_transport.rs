//! What of a script's way is shown on Linux only. The rest: `every_system/script_transport.rs`.

use foreman_core::outcome::Exit;
use foreman_core::shell::ShellKind;

use crate::support::{prints, script, skip};

// faults: argv-128k-linux
#[test]
fn one_word_longer_than_an_argument_may_be_is_refused() {
    let word = "x".repeat(140_000);
    prints(&format!("v={word}; echo ${{#v}}"), "140000\n");
    assert_eq!(script(format!(": {word}")).outcome().exit, Exit::Code(0));
}

#[test]
fn carriage_returns_are_taken_away() {
    prints("printf '%s' 'a\r\nb\r' | od -An -c | tr -d ' \\n'", "a\\r\\nb\\r");
    let outcome = prints("echo hi\r\n", "hi\r\n");
    assert_eq!(outcome.exit, Exit::Code(0));
}

#[test]
fn a_syntax_error_is_told_with_our_path_or_another_line() {
    for (text, first_line) in [
        ("if", "bash: line 1: syntax error: unexpected end of file"),
        ("echo 'open", "bash: line 1: unexpected EOF while looking for matching `''"),
        ("echo (", "bash: line 1: syntax error near unexpected token `newline'"),
        ("true\ntrue\n)", "bash: line 3: syntax error near unexpected token `)'"),
        ("true\n\n\ndone", "bash: line 4: syntax error near unexpected token `done'"),
    ] {
        let outcome = script(text).outcome();
        let said = outcome.stderr();
        let line = said.lines().next().unwrap_or_default();
        // An error at the end of the text is told with the line it ends on or the one behind it, depending on bash.
        let behind = first_line.replace("line 1:", "line 2:");
        assert!(line == first_line || line == behind, "{text:?}: {said:?}");
        assert_eq!(outcome.exit, Exit::Code(2), "{text:?}");
    }
}

#[test]
fn the_shell_has_other_options_or_is_a_login_shell() {
    prints("echo $-", "hB\n");
    prints("shopt -q login_shell || echo no login", "no login\n");
}

#[test]
fn our_prologue_leaves_a_trace() {
    let kept = script("echo \"$OLDPWD\"; cd - >/dev/null; pwd").env("OLDPWD", Some("/usr")).outcome();
    assert_eq!(kept.stdout(), "/usr\n/usr\n");
    prints("echo \"<$_>\" | grep -c script", "0\n");
    prints("history | wc -l", "0\n");
    prints("declare -F | wc -l", "0\n");
    prints("set -o | grep -c 'on$'", "3\n");
}

#[test]
fn pkill_by_the_text_of_the_script_hits_its_own_shell() {
    // The pattern is spelt so that pgrep does not find itself either.
    let outcome = prints("pgrep -f 'a-word-of-this-[s]cript' || echo none", "none\n");
    assert_eq!(outcome.exit, Exit::Code(0));
}

#[test]
fn a_descriptor_of_ours_is_open_in_the_command() {
    prints("ls /proc/self/fd", "0\n1\n2\n3\n");
    prints("ls -l /proc/self/fd | grep -c memfd", "0\n");
    // Of the shell itself: only its own copy of the script, which no child gets.
    prints("ls /proc/$$/fd", "0\n1\n2\n255\n");
    prints("{ echo x >&3; } 2>/dev/null || echo closed", "closed\n");
    let background = script("ls /proc/self/fd").background().outcome();
    assert_eq!(background.log_text(), "0\n1\n2\n3\n");
}

// faults: dev-tty-grab
#[test]
fn a_command_can_grab_the_terminal() {
    let outcome = script("cat < /dev/tty").outcome();
    assert_eq!(outcome.exit, Exit::Code(1));
    assert!(outcome.stderr().contains("No such device or address"), "{}", outcome.stderr());
    prints("test $(ps -o tty= -p $$) = '?' && echo none", "none\n");
}

#[test]
fn the_working_directory_is_another_one() {
    // faults: cwd-param-ignored
    assert_eq!(script("pwd; echo $PWD").cwd("/usr").outcome().stdout(), "/usr\n/usr\n");
    let launch = script("pwd; ls");
    let hostile = launch.folder.path().join("-a '\"$(touch pwned) \n b");
    std::fs::create_dir(&hostile).unwrap();
    let outcome = launch.cwd(hostile.display().to_string()).outcome();
    assert_eq!(outcome.stdout(), format!("{}\n", hostile.display()));
}

#[test]
fn two_shells_see_one_folder_of_ours() {
    // The folder that holds the links is nobody's business: a command neither starts nor ends there.
    prints("readlink /proc/$$/cwd | grep -c shell", "0\n");
}

#[test]
fn a_posix_shell_is_started_another_way() {
    if !std::path::Path::new("/bin/dash").exists() {
        return skip("no dash here");
    }
    let outcome =
        script("echo $0; pwd; ls /proc/self/fd | tr '\\n' ' '").shell("/bin/dash", ShellKind::Sh).cwd("/usr").outcome();
    assert_eq!(outcome.stdout(), "sh\n/usr\n0 1 2 3 ");
    let error = script("true\nif").shell("/bin/dash", ShellKind::Sh).outcome();
    assert_eq!(error.exit, Exit::Code(2));
    assert!(error.stderr().starts_with("sh: "), "{}", error.stderr());
}

#[test]
fn a_function_with_the_name_of_a_builtin_prints_into_each_answer() {
    for kind in [ShellKind::Bash, ShellKind::Sh] {
        let mut launch =
            script("pwd; ls /proc/self/fd | tr '\\n' ' '").shell("/bin/bash", kind).cwd("/usr").env("OLDPWD", None);
        // As `sh`, bash takes no function with the name of a special builtin from the environment.
        let names: &[_] = if kind == ShellKind::Bash { &["cd", "exec", "unset"] } else { &["cd"] };
        for name in names {
            launch = launch.env(&format!("BASH_FUNC_{name}%%"), Some("() { echo taken; }"));
        }
        let outcome = launch.outcome();
        assert_eq!(outcome.stdout(), "/usr\n0 1 2 3 ", "{}", outcome.stderr());
    }
}

#[test]
fn bytes_that_are_no_letters_are_changed_on_the_way() {
    for (text, expected) in [
        ("printf '%s|' $'\\x01\\x7f' | od -An -tx1 | tr -d ' \\n'", "017f7c"),
        ("cat <<'EOF'\nbody\nEOF\n", "body\n"),
        ("\u{feff}", ""),
    ] {
        prints(text, expected);
    }
}

// bash counts the lines of an expanded heredoc by its own rule.
#[test]
fn a_line_inside_of_something_has_another_number() {
    for (text, expected) in [
        ("f() {\n  caller 0\n}\n\nf", "5 main bash\n"),
        ("(echo $LINENO)\necho $(echo $LINENO)", "1\n2\n"),
        ("eval 'echo $LINENO'", "1\n"),
    ] {
        prints(text, expected);
    }
    assert!(script("cat <<EOF\n$LINENO\nEOF\necho $LINENO").outcome().stdout().ends_with("4\n"));
}

// faults: stdin-reopen-dev-stdin
#[test]
fn a_command_that_opens_its_input_again_waits_for_ever() {
    prints("cat /dev/stdin; seq 2 | cat < /dev/stdin", "1\n2\n");
    // With the script on standard input the first cat would eat the rest.
    prints("cat\necho still here", "still here\n");
}

#[test]
fn a_code_of_the_shell_itself_is_another_one() {
    for (text, code) in [("false", 1), ("/", 126)] {
        assert_eq!(script(text).outcome().exit, Exit::Code(code), "{text:?}");
    }
}
