//! The script reaches the shell byte for byte, and nothing else does. docs/design/script-transport.md

use foreman_core::limits::MAX_SCRIPT_BYTES;
use foreman_core::outcome::Exit;

use crate::support::{prints, script};

// faults: argv-8k-windows, argv-128k-linux
#[test]
fn a_script_of_four_megabytes_loses_a_byte() {
    let (head, tail) = ("cat <<'EOF' > body\n", "EOF\n");
    let line = r#"\\ !! $HOME `date` "quoted" 'single' %s \n é ü 漢字 *?[a] ~ C:\a\b %PATH% ^& #"#;
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
    let outcome = prints(&text, "");
    let arrived = std::fs::read(outcome.folder.path().join("body")).unwrap();
    assert!(arrived == body.as_bytes(), "{} of {} bytes", arrived.len(), body.len());
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
        (r"echo 'C:\new\table' \\\\server\\share", "C:\\new\\table \\\\server\\share\n"),
        ("cat <<'E'\n${index + 1}\nE", "${index + 1}\n"),
        ("cat <<'EOF'\nbody\nEOF", "body\n"),
        ("echo hi # a comment", "hi\n"),
        ("echo hi; # }", "hi\n"),
        ("echo 'a &'", "a &\n"),
        ("echo \"a\tb\" '%PATH%' '^&' '\"'", "a\tb %PATH% ^& \"\n"),
        ("echo 'grün 漢字'", "grün 漢字\n"),
        ("echo /c/x //y '/z'", "/c/x //y /z\n"),
        ("echo no newline at the end", "no newline at the end\n"),
        ("# only a comment", ""),
        ("", ""),
        ("\n\n\n", ""),
    ] {
        let outcome = script(text).outcome();
        assert_eq!(outcome.stdout(), expected, "{text:?}: {:?}", outcome.stderr());
    }
}

#[test]
fn a_heredoc_without_its_end_loses_the_body() {
    let outcome = prints("echo first\ncat <<EOF\nbody", "first\nbody\n");
    let said = outcome.stderr();
    assert!(said.contains("here-document at line 2 delimited by end-of-file"), "{said:?}");
    assert!(said.starts_with("bash: line "), "{said:?}");
}

/// The code for a variable that is not set: bash has one for scripts, and another one for `bash -c`.
const UNSET: i32 = if cfg!(windows) { 127 } else { 1 };

#[test]
fn a_message_of_the_shell_names_a_file_of_ours_or_another_line() {
    for (text, line, code) in [
        ("no-such-command", "bash: line 1: no-such-command: command not found", 127),
        ("true\nno-such-command", "bash: line 2: no-such-command: command not found", 127),
        ("f() {\n  no-such-command\n}\nf", "bash: line 2: no-such-command: command not found", 127),
        ("cd /no/such", "bash: line 1: cd: /no/such: No such file or directory", 1),
        ("set -u; echo $undefined", "bash: line 1: undefined: unbound variable", UNSET),
        (": ${x:?must be set}", "bash: line 1: x: must be set", UNSET),
        ("true\necho ) here", "bash: line 2: syntax error near unexpected token `)'\nbash: line 2: `echo ) here'", 2),
        ("true\n\n\ndone", "bash: line 4: syntax error near unexpected token `done'\nbash: line 4: `done'", 2),
    ] {
        let outcome = script(text).outcome();
        assert_eq!((outcome.stderr().trim_end(), outcome.exit), (line, Exit::Code(code)), "{text:?}");
    }
}

#[test]
fn the_first_line_is_not_line_one() {
    for (text, expected) in [
        ("echo $LINENO", "1\n"),
        ("\necho $LINENO\n\necho $LINENO", "2\n4\n"),
        ("f() {\n  echo $LINENO\n}\nf\necho $LINENO", "2\n5\n"),
        ("trap 'echo err $LINENO' ERR\ntrue\nfalse\ntrue", "err 3\n"),
    ] {
        prints(text, expected);
    }
}

// faults: stdin-left-open-fg, stdin-left-open-bg
#[test]
fn a_command_that_reads_its_input_waits_for_ever() {
    prints("cat; echo rc=$?", "rc=0\n");
    prints("read -r line; echo $?", "1\n");
    prints("while read -r x; do :; done\necho still here", "still here\n");
    assert_eq!(script("cat; echo eof").background().outcome().log_text(), "eof\n");
}

#[test]
fn our_prologue_leaves_a_trace() {
    let unset = script("echo \"<${OLDPWD-unset}>\"").env("OLDPWD", None).outcome();
    assert_eq!(unset.stdout(), "<unset>\n");
    prints("echo $?; echo $0 $BASH_SOURCE $#", "0\nbash bash 0\n");
    prints("ls -A | grep -c bash", "0\n");
}

#[test]
fn a_function_named_cd_keeps_the_command_in_a_folder_of_ours() {
    let launch = script("ls here; cd").env("BASH_FUNC_cd%%", Some("() { echo of the user; }"));
    std::fs::write(launch.folder.path().join("here"), "").unwrap();
    let outcome = launch.outcome();
    assert!(outcome.stdout().ends_with("here\nof the user\n"), "{:?} {:?}", outcome.stdout(), outcome.stderr());
}
