//! What of a script's way is special to Git Bash. The rest: `every_system/script_transport.rs`.

use foreman_core::outcome::Exit;

use crate::support::{prints, script};

#[test]
fn a_script_with_windows_line_ends_fails() {
    prints("echo a\r\nif true; then\r\n  echo b\r\nfi\r\n", "a\nb\n");
    prints("printf '%s' $'\\r'; cat <<'E'\r\nx\r\nE\r\n", "\rx\n");
}

#[test]
fn the_shell_is_no_login_shell() {
    prints("shopt -q login_shell && echo login", "login\n");
}

#[test]
fn our_prologue_leaves_a_trace() {
    prints("env | grep -c PI_FOREMAN_SCRIPT; shopt -q sourcepath && echo sourcepath", "0\nsourcepath\n");
}

#[test]
fn the_text_of_the_script_is_in_a_command_line() {
    prints("tr '\\0' ' ' < /proc/$$/cmdline | grep -c 'a-word-of-this' ; true", "0\n");
}

#[test]
fn the_script_lies_on_the_disk_after_its_shell_has_ended() {
    // `outcome` looks for it after every run; here members live on, and are stopped.
    let mut run = script("\"$PROBE\" orphan-then-exit").background().start();
    let (path, _, _) = run.started();
    let answer = run.answer();
    assert_eq!((answer.exit, answer.members_left), (Exit::Code(0), true));
    let base = std::path::Path::new(&path).ancestors().nth(3).unwrap();
    assert_eq!(std::fs::read_dir(base.join("shell")).unwrap().count(), 0);
    run.stop();
    run.outcome();
}

#[test]
fn a_background_pipeline_after_a_substitution_is_lost() {
    prints("x=$(echo 3); (echo hi | cat) & wait; echo end", "hi\nend\n");
}
