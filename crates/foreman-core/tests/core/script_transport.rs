//! The script reaches the shell byte for byte, and nothing else does. docs/design/script-transport.md

use foreman_core::limits::MAX_SCRIPT_BYTES;
use foreman_core::outcome::Exit;
use foreman_core::shell::ShellKind;

use crate::support::{Outcome, script, skip};

#[track_caller]
fn prints(text: &str, expected: &str) -> Outcome {
    let outcome = script(text).outcome();
    assert_eq!(outcome.stdout(), expected, "{text:?}; stderr: {:?}", outcome.stderr());
    outcome
}

#[test]
fn a_short_command_runs() {
    let outcome = prints("echo hi", "hi\n");
    assert_eq!((outcome.exit, outcome.stderr().as_str()), (Exit::Code(0), ""));
}

// faults: argv-128k-linux
#[test]
fn a_script_of_four_megabytes_loses_a_byte() {
    let head = "cat <<'EOF' | sha256sum\n";
    let tail = "EOF\n";
    let line = r#"\\ !! $HOME `date` "quoted" 'single' %s \n é ü 漢字 *?[a] ~ #"#;
    let mut body = String::new();
    while head.len() + body.len() + tail.len() + line.len() < MAX_SCRIPT_BYTES {
        body.push_str(line);
        body.push('\n');
    }
    while head.len() + body.len() + tail.len() < MAX_SCRIPT_BYTES - 1 {
        body.push('x');
    }
    body.push('\n');
    let text = [head, &body, tail].concat();
    assert_eq!(text.len(), MAX_SCRIPT_BYTES);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("body");
    std::fs::write(&file, &body).unwrap();
    let expected = std::process::Command::new("sha256sum").stdin(std::fs::File::open(file).unwrap()).output().unwrap();
    prints(&text, &String::from_utf8(expected.stdout).unwrap());
}

// faults: argv-128k-linux
#[test]
fn one_word_longer_than_an_argument_may_be_is_refused() {
    let word = "x".repeat(140_000);
    prints(&format!("v={word}; echo ${{#v}}"), "140000\n");
    assert_eq!(script(format!(": {word}")).outcome().exit, Exit::Code(0));
}

// faults: trailing-backslash, escaped-ampersand, template-text-in-heredoc, heredoc-terminator-glued
#[test]
fn quoting_is_changed_on_the_way() {
    for (text, expected) in [
        ("echo \"!! !x\" '!'", "!! !x !\n"),
        (r"printf '%s' '\\\\' '\' \\\\", r"\\\\\\\"),
        ("echo hi \\", "hi\n"),
        ("printf '<%s>' a \\\n b", "<a><b>"),
        (r"printf foo\&", "foo&"),
        ("echo 'a &'", "a &\n"),
        ("cat <<'E'\n${index + 1}\nE", "${index + 1}\n"),
        ("cat <<'EOF'\nbody\nEOF", "body\n"),
        ("cat <<'EOF'\nbody\nEOF\n", "body\n"),
        ("echo hi # a comment", "hi\n"),
        ("echo hi; # }", "hi\n"),
        ("echo \"a\tb\"", "a\tb\n"),
        ("printf '%s|' $'\\x01\\x7f' | od -An -tx1 | tr -d ' \\n'", "017f7c"),
        ("echo no newline at the end", "no newline at the end\n"),
        ("# only a comment", ""),
        ("", ""),
        ("\n\n\n", ""),
        ("\u{feff}", ""),
    ] {
        let outcome = script(text).outcome();
        assert_eq!(outcome.stdout(), expected, "{text:?}: {:?}", outcome.stderr());
    }
}

#[test]
fn carriage_returns_are_taken_away() {
    prints("printf '%s' 'a\r\nb\r' | od -An -c | tr -d ' \\n'", "a\\r\\nb\\r");
    let outcome = prints("echo hi\r\n", "hi\r\n");
    assert_eq!(outcome.exit, Exit::Code(0));
}

#[test]
fn a_heredoc_without_its_end_loses_the_body() {
    let outcome = prints("echo first\ncat <<EOF\nbody", "first\nbody\n");
    let said = outcome.stderr();
    assert!(said.contains("here-document at line 2 delimited by end-of-file"), "{said:?}");
    assert!(said.starts_with("bash: line "), "{said:?}");
}

#[test]
fn exit_and_set_e_end_the_script_with_another_code() {
    for (text, code) in [
        ("exit 0", 0),
        ("exit 7; echo no", 7),
        ("(exit 3)", 3),
        ("false", 1),
        ("set -e; false; echo no", 1),
        ("set -euo pipefail; false | true; echo no", 1),
        ("trap 'exit 9' EXIT; true", 9),
        ("exit 256", 0),
        ("exit -1", 255),
        ("no-such-command-anywhere", 127),
        ("/", 126),
    ] {
        let outcome = script(text).outcome();
        assert_eq!((outcome.exit, outcome.stdout().as_str()), (Exit::Code(code), ""), "{text:?}: {}", outcome.stderr());
    }
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
fn the_offending_line_is_quoted_as_something_else() {
    let outcome = script("true\necho ) here").outcome();
    assert_eq!(outcome.stderr(), "bash: line 2: syntax error near unexpected token `)'\nbash: line 2: `echo ) here'\n");
}

#[test]
fn the_first_line_is_not_line_one() {
    for (text, expected) in [
        ("echo $LINENO", "1\n"),
        ("\necho $LINENO\n\necho $LINENO", "2\n4\n"),
        ("f() {\n  echo $LINENO\n}\nf\necho $LINENO", "2\n5\n"),
        ("f() {\n  caller 0\n}\n\nf", "5 main bash\n"),
        ("(echo $LINENO)\necho $(echo $LINENO)", "1\n2\n"),
        ("trap 'echo err $LINENO' ERR\ntrue\nfalse", "err 3\n"),
        ("eval 'echo $LINENO'", "1\n"),
        ("cat <<EOF\n$LINENO\nEOF\necho $LINENO", "1\n4\n"),
    ] {
        let outcome = script(text).outcome();
        let got = outcome.stdout();
        // bash counts the lines of an expanded heredoc by its own rule.
        if text.starts_with("cat") {
            assert!(got.ends_with("4\n"), "{text:?}: {got:?}");
        } else {
            assert_eq!(got, expected, "{text:?}: {:?}", outcome.stderr());
        }
    }
}

#[test]
fn a_message_of_the_shell_names_a_file_of_ours() {
    for (text, line) in [
        ("no-such-command", "bash: line 1: no-such-command: command not found"),
        ("true\nno-such-command", "bash: line 2: no-such-command: command not found"),
        ("f() {\n  no-such-command\n}\nf", "bash: line 2: no-such-command: command not found"),
        ("cd /no/such", "bash: line 1: cd: /no/such: No such file or directory"),
        ("set -u; echo $undefined", "bash: line 1: undefined: unbound variable"),
        (": ${x:?must be set}", "bash: line 1: x: must be set"),
    ] {
        assert_eq!(script(text).outcome().stderr().trim_end(), line, "{text:?}");
    }
}

#[test]
fn the_shell_is_called_something_else_than_bash() {
    prints("echo $0 $BASH_SOURCE $#", "bash bash 0\n");
    prints("echo $-", "hB\n");
    prints("shopt -q login_shell || echo no login", "no login\n");
}

#[test]
fn our_prologue_leaves_a_trace() {
    let unset = script("echo \"<${OLDPWD-unset}>\"").env("OLDPWD", None).outcome();
    assert_eq!(unset.stdout(), "<unset>\n");
    let kept = script("echo \"$OLDPWD\"; cd - >/dev/null; pwd").env("OLDPWD", Some("/usr")).outcome();
    assert_eq!(kept.stdout(), "/usr\n/usr\n");
    prints("echo $?", "0\n");
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

// faults: stdin-left-open-fg, stdin-left-open-bg, stdin-reopen-dev-stdin
#[test]
fn a_command_that_reads_its_input_waits_for_ever() {
    prints("cat; echo rc=$?", "rc=0\n");
    prints("read -r line; echo $?", "1\n");
    prints("cat /dev/stdin; seq 2 | cat < /dev/stdin", "1\n2\n");
    assert_eq!(script("cat; echo eof").background().outcome().log_text(), "eof\n");
}

#[test]
fn a_script_is_read_by_its_children() {
    // With the script on standard input the first cat would eat the rest.
    prints("cat\necho still here", "still here\n");
    prints("while read -r x; do :; done\necho still here", "still here\n");
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
    prints("ls -A | grep -c bash", "0\n");
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
