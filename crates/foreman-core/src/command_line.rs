//! One command line out of several arguments, as programs of Windows take it apart again.
//!
//! Source: "Parsing C command-line arguments" of the Microsoft C runtime. MSYS programs take a line from outside apart by
//! rules of their own, which agree for words without single quotes, wildcards and `@` outside of double quotes.

/// `program` and `args` as one line.
pub fn join(program: &str, args: &[&str]) -> String {
    let mut line = String::new();
    // The name of the program knows no escapes; no path has a double quote.
    line.push('"');
    line.push_str(program);
    line.push('"');
    for arg in args {
        line.push(' ');
        push_quoted(&mut line, arg);
    }
    line
}

/// The line by which `cmd.exe` runs `text` as if it were typed: with `/s` it takes off the outer quotes and nothing else.
/// `/d` keeps AutoRun commands of the registry out.
pub fn cmd_line(program: &str, text: &str) -> String {
    format!("\"{program}\" /d /s /c \"{text}\"")
}

fn push_quoted(line: &mut String, arg: &str) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:\\".contains(c);
    if !arg.is_empty() && arg.chars().all(is_plain) {
        return line.push_str(arg);
    }
    line.push('"');
    let mut backslashes = 0;
    for c in arg.chars() {
        match c {
            '\\' => backslashes += 1,
            // Backslashes before a quote are halved, and the quote needs one more; elsewhere they stand for themselves.
            '"' => {
                line.extend(std::iter::repeat_n('\\', backslashes + 1));
                backslashes = 0;
            }
            _ => backslashes = 0,
        }
        line.push(c);
    }
    line.extend(std::iter::repeat_n('\\', backslashes));
    line.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a line apart as the C runtime does, the program left out.
    fn split(line: &str) -> Vec<String> {
        let rest = &line[line[1..].find('"').unwrap() + 2..];
        let (mut args, mut arg, mut quoted, mut slashes) = (Vec::new(), None::<String>, false, 0);
        for c in rest.chars().chain([' ']) {
            if c == '\\' {
                slashes += 1;
                continue;
            }
            let run = std::mem::take(&mut slashes);
            if c == '"' {
                let text = arg.get_or_insert_default();
                text.extend(std::iter::repeat_n('\\', run / 2));
                if run % 2 == 1 {
                    text.push('"')
                } else {
                    quoted = !quoted
                }
                continue;
            }
            if run > 0 {
                arg.get_or_insert_default().extend(std::iter::repeat_n('\\', run));
            }
            if c == ' ' && !quoted {
                args.extend(arg.take());
            } else {
                arg.get_or_insert_default().push(c);
            }
        }
        args
    }

    // faults: trailing-backslash
    #[test]
    fn an_argument_is_changed_on_its_way_through_the_command_line() {
        for args in [
            vec!["-l", "-c", r#"cd -- "$X" && . bash"#, "bash"],
            vec![""],
            vec!["a b", "", "c"],
            vec![r"C:\a b\", r"\\server\share\", r"a\\b"],
            vec![r#"\" "#, r#"\\" x"#, r#"say "hi""#, r#"\\\"#],
            vec!["tab\there", "line\nend", "ü 漢", "%PATH% ^ & | !x!"],
        ] {
            assert_eq!(split(&join(r"C:\Program Files\Git\bin\bash.exe", &args)), args, "{args:?}");
        }
    }

    #[test]
    fn a_quote_in_a_command_for_cmd_ends_it() {
        let line = cmd_line(r"C:\Windows\System32\cmd.exe", r#"echo "a" & echo b"#);
        assert_eq!(line, r#""C:\Windows\System32\cmd.exe" /d /s /c "echo "a" & echo b""#);
    }
}
