//! How the script reaches the shell: in a file, behind a few bytes that go to the working directory.
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
    // Functions that the environment or a start-up file defines come before builtins of their name. In zsh `command` means a
    // program; in bash only `command exec` leaves a descriptor closed; elsewhere `exec` comes before functions (POSIX).
    let (exec, own) = match kind {
        ShellKind::Bash => ("command exec", "builtin"),
        ShellKind::Zsh => ("builtin exec", "builtin"),
        ShellKind::Sh | ShellKind::Cmd => ("exec", "command"),
    };
    let close = format!("{exec} {SCRIPT_FD}<&-");
    let restore = restore_old_pwd(own, old_pwd);
    let steps = if go { format!("{close}; {own} cd -- {} || {own} exit; {restore}", quote(cwd)) } else { close };
    match kind {
        // The expansion in the redirection is the one place where an assignment to LINENO outlives the command: the
        // next line is line 1. The redirection itself puts descriptor 0 onto itself.
        ShellKind::Bash => format!("{{ {steps}; }} <&$((LINENO=0))\n"),
        // These neither quote source lines nor let LINENO be set.
        ShellKind::Zsh | ShellKind::Sh | ShellKind::Cmd => format!("{steps}; "),
    }
}

/// What `bash.exe -l -c` gets on Windows: go to the folder of the script and read it under its bare name.
///
/// The same for every run, so nothing of the script is in a command line, and nothing that the ways of taking one apart
/// disagree about. The braces keep bash from taking the last command of its text for one that it may run without a fork:
/// in a login shell of version 5.2 under MSYS that loses background pipelines of the script.
pub const MSYS_START: &str = "builtin shopt -u sourcepath; builtin cd -- \"$PI_FOREMAN_SCRIPT\" && { . bash; }";

/// Where [`MSYS_START`] finds the folder. Gone before the first line of the script.
pub const MSYS_SCRIPT_VARIABLE: &str = "PI_FOREMAN_SCRIPT";

/// The bytes before a script that is read by [`MSYS_START`].
///
/// `cwd` is a path of Windows; the shell itself turns it into its own form, by its own mount table.
pub fn msys_prologue(cwd: &str, old_pwd: Option<&str>) -> String {
    let restore = restore_old_pwd("builtin", old_pwd);
    let forget = format!("builtin unset {MSYS_SCRIPT_VARIABLE} BASH_EXECUTION_STRING; builtin shopt -s sourcepath");
    format!("{{ builtin cd -- {} || builtin exit; {restore}; {forget}; }} <&$((LINENO=0))\n", quote(cwd))
}

/// The bytes behind such a script. It is read as text of a known length, where a last backslash would stand for itself; in a
/// file, which a person would have written it to, it is the start of a line that never comes.
pub fn msys_epilogue(script: &str) -> &'static str {
    if script.ends_with('\\') { "\n" } else { "" }
}

/// How a script gets to `cmd.exe`.
#[derive(Debug, PartialEq, Eq)]
pub enum CmdScript {
    /// One line, run as if it were typed.
    Typed(String),
    /// Lines of a batch file, with the line ends that labels and `goto` need.
    Batch(String),
}

/// `cmd.exe` reads at most 8,191 characters of a command line; some are for what stands before the text.
const MAX_TYPED_CHARS: usize = 8_000;

/// One short line is typed, all else becomes a batch file. In a typed line `%` of a `for` stands once, in a batch file twice:
/// each is what its form is known to want.
pub fn cmd_script(text: &str) -> CmdScript {
    let line = text.trim_end_matches(['\r', '\n']);
    if !line.contains(['\r', '\n']) && line.len() <= MAX_TYPED_CHARS {
        return CmdScript::Typed(line.to_owned());
    }
    CmdScript::Batch(format!("@echo off\r\n{}\r\n", line.replace("\r\n", "\n").replace('\n', "\r\n")))
}

/// `own` is what makes the shell pass over a function of the same name.
fn restore_old_pwd(own: &str, old_pwd: Option<&str>) -> String {
    old_pwd.map_or_else(|| format!("{own} unset OLDPWD"), |old| format!("OLDPWD={}", quote(old)))
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
        assert_eq!(
            text,
            r"exec 3<&-; command cd -- '/tmp/a'\''; rm -rf /; '\''' || command exit; command unset OLDPWD; "
        );
    }

    #[test]
    fn a_windows_folder_loses_its_backslashes() {
        let text = msys_prologue(r"C:\it's\new", None);
        assert!(
            text.starts_with(
                r"{ builtin cd -- 'C:\it'\''s\new' || builtin exit; builtin unset OLDPWD; builtin unset PI"
            ),
            "{text}"
        );
        assert!(text.ends_with("; } <&$((LINENO=0))\n") && text.lines().count() == 1, "{text}");
    }

    #[test]
    fn a_last_backslash_is_printed_or_a_script_grows() {
        assert_eq!(
            (msys_epilogue("echo hi \\"), msys_epilogue("echo hi"), msys_epilogue("cat <<E\nx")),
            ("\n", "", "")
        );
    }

    #[test]
    fn a_script_for_cmd_loses_a_line() {
        assert_eq!(cmd_script("echo a\r\n"), CmdScript::Typed("echo a".into()));
        assert_eq!(cmd_script("echo a\necho b\r\n"), CmdScript::Batch("@echo off\r\necho a\r\necho b\r\n".into()));
        let long = format!("echo {}", "x".repeat(9_000));
        assert_eq!(cmd_script(&long), CmdScript::Batch(format!("@echo off\r\n{long}\r\n")));
    }

    #[test]
    fn the_previous_folder_of_the_host_is_kept() {
        assert!(prologue(ShellKind::Bash, "/w", Some("/old"), true).contains("OLDPWD='/old'"));
    }
}
