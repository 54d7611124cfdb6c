//! How the script reaches the shell: in a file without a name, behind a few bytes that go to the working directory.
//!
//! Design: docs/design/script-transport.md.

use crate::shell::ShellKind;

/// The descriptor under which the shell finds its script.
pub const SCRIPT_FD: i32 = 3;

/// What the link in our folder points at.
pub const SCRIPT_LINK: &str = "/dev/fd/3";

/// The name a shell is started under, which is also the name of its script and so stands before all its messages.
pub const fn shell_name(kind: ShellKind) -> &'static str {
    match kind {
        ShellKind::Bash => "bash",
        ShellKind::Zsh => "zsh",
        ShellKind::Sh => "sh",
        ShellKind::Cmd => "cmd",
    }
}

/// The bytes before the script.
///
/// `old_pwd` is what the environment says of `OLDPWD`, which a `cd` would change. With `go` false the shell is in the
/// working directory already.
pub fn prologue(kind: ShellKind, cwd: &str, old_pwd: Option<&str>, go: bool) -> String {
    let close = format!("exec {SCRIPT_FD}<&-");
    let restore = old_pwd.map_or_else(|| "unset OLDPWD".to_owned(), |old| format!("OLDPWD={}", quote(old)));
    let steps = if go { format!("{close}; cd -- {} || exit; {restore}", quote(cwd)) } else { close };
    match kind {
        // The expansion in the redirection is the one place where an assignment to LINENO outlives the command: the
        // next line is line 1. The redirection itself puts descriptor 0 onto itself.
        ShellKind::Bash => format!("{{ {steps}; }} <&$((LINENO=0))\n"),
        // These neither quote source lines nor let LINENO be set.
        ShellKind::Zsh | ShellKind::Sh | ShellKind::Cmd => format!("{steps}; "),
    }
}

/// `text` as one word of a POSIX shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_folder_name_stays_one_word() {
        let text = prologue(ShellKind::Sh, "/tmp/a'; rm -rf /; '", None, true);
        assert_eq!(text, r"exec 3<&-; cd -- '/tmp/a'\''; rm -rf /; '\''' || exit; unset OLDPWD; ");
    }

    #[test]
    fn the_previous_folder_of_the_host_is_kept() {
        assert!(prologue(ShellKind::Bash, "/w", Some("/old"), true).contains("OLDPWD='/old'"));
    }
}
