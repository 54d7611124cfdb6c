//! The shell that is chosen on Unix, from tables of files and on this machine.

use foreman_core::shell::{FileSystem, Found, Platform, Shell, ShellChoice, ShellKind, ShellRequest, choose};

/// Path and what it is: a program with this real path, or something else.
struct Machine<'a>(&'a [(&'a str, &'a str)]);

impl FileSystem for Machine<'_> {
    fn look(&self, path: &str) -> Found {
        match self.0.iter().find(|(file, _)| *file == path) {
            None => Found::Missing,
            Some((_, "folder")) => Found::NotAFile,
            Some((_, "text")) => Found::NotExecutable,
            Some((_, "locked")) => Found::Unknown("permission denied".to_owned()),
            Some((_, real_path)) => Found::Program { real_path: (*real_path).to_owned() },
        }
    }

    fn real_folder(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }

    fn git_install_paths(&self) -> Vec<String> {
        Vec::new()
    }
}

fn choose_from(files: &[(&str, &str)], search_path: &str, wishes: [&str; 2]) -> ShellChoice {
    let named = |path: &str| (!path.is_empty()).then(|| path.to_owned());
    let request =
        ShellRequest { override_path: named(wishes[0]), shell_path: named(wishes[1]), cwd: "/proj".to_owned() };
    let environment = |name: &str| (name == "PATH").then(|| search_path.to_owned());
    choose(&request, &environment, Platform::Unix, &Machine(files))
}

fn shell(path: &str, kind: ShellKind) -> Option<Shell> {
    Some(Shell { path: path.to_owned(), kind })
}

const BASH: (&str, &str) = ("/bin/bash", "/usr/bin/bash");
const SH: (&str, &str) = ("/bin/sh", "/usr/bin/dash");

#[test]
fn the_places_are_tried_in_the_documented_order() {
    let files = [("/o/zsh", "/o/zsh"), ("/p/bash", "/p/bash"), BASH, ("/path/bash", "/path/bash"), SH];
    let expected = [
        shell("/o/zsh", ShellKind::Zsh),
        shell("/p/bash", ShellKind::Bash),
        shell("/bin/bash", ShellKind::Bash),
        shell("/path/bash", ShellKind::Bash),
        shell("/bin/sh", ShellKind::Sh),
        None,
    ];
    for (missing, expected) in expected.into_iter().enumerate() {
        let wishes = [if missing == 0 { "/o/zsh" } else { "" }, if missing <= 1 { "/p/bash" } else { "" }];
        let choice = choose_from(&files[missing..], "/nothing:/path:/other", wishes);
        assert_eq!(choice.shell, expected);
        assert_eq!(choice.warnings.len(), usize::from(missing > 3), "{:?}", choice.warnings);
    }
}

// faults.md sh-is-not-bash
#[test]
fn a_system_without_bin_bash_uses_the_bash_on_path() {
    let nixos = [
        ("/run/current-system/sw/bin/bash", "/nix/store/0-bash-5.2/bin/bash"),
        ("/bin/sh", "/nix/store/0-bash-5.2/bin/bash"),
    ];
    let choice = choose_from(&nixos, "/home/me/bin:/run/current-system/sw/bin/", ["", ""]);
    assert_eq!(
        choice,
        ShellChoice { shell: shell("/run/current-system/sw/bin/bash", ShellKind::Bash), warnings: vec![] }
    );
    let termux = [("/data/data/com.termux/files/usr/bin/bash", "/data/data/com.termux/files/usr/bin/bash")];
    assert!(choose_from(&termux, "/data/data/com.termux/files/usr/bin", ["", ""]).shell.is_some());
}

// faults.md sh-is-not-bash
#[test]
fn a_system_without_bash_says_that_sh_is_less() {
    let alpine = [("/bin/sh", "/bin/busybox"), ("/bin/bash", "/bin/busybox")];
    let choice = choose_from(&alpine, "/bin:/usr/bin", ["", ""]);
    assert_eq!(choice.shell, shell("/bin/sh", ShellKind::Sh));
    assert!(choice.warnings.len() == 1 && choice.warnings[0].contains("[[ ]]"), "{:?}", choice.warnings);
}

#[test]
fn a_shell_is_told_by_its_name_and_by_the_file_behind_it() {
    for (path, real_path, kind) in [
        ("/x/bash", "/x/bash", ShellKind::Bash),
        ("/x/bash", "/x/bash-5.2", ShellKind::Bash),
        ("/x/bash5", "/x/bash5", ShellKind::Bash),
        ("/x/zsh", "/x/zsh-5.9", ShellKind::Zsh),
        ("/x/sh", "/x/bash", ShellKind::Sh),
        ("/x/sh", "/x/zsh", ShellKind::Sh),
        ("/x/sh", "/x/dash", ShellKind::Sh),
        ("/x/sh", "/x/busybox", ShellKind::Sh),
        ("/x/sh", "/x/something", ShellKind::Sh),
        ("/x/bash", "/x/busybox", ShellKind::Sh),
        ("/x/bash", "/x/dash", ShellKind::Sh),
        ("/x/ash", "/x/busybox", ShellKind::Sh),
        ("/x/dash", "/x/dash", ShellKind::Sh),
        ("/x/my-shell", "/x/bash", ShellKind::Bash),
        ("/x/my-shell", "/x/dash", ShellKind::Sh),
        ("/x/zsh", "/x/bash", ShellKind::Sh),
    ] {
        let choice = choose_from(&[(path, real_path)], "", [path, ""]);
        assert_eq!(choice, ShellChoice { shell: shell(path, kind), warnings: vec![] }, "{path} -> {real_path}");
    }
}

#[test]
fn a_shell_of_another_kind_is_refused_with_one_warning_and_the_search_goes_on() {
    for (path, real_path, reason) in [
        ("/x/fish", "/x/fish", "no bash, zsh or POSIX shell (fish)"),
        ("/x/nu", "/x/nu", "no bash, zsh or POSIX shell (nu)"),
        ("/x/bash", "/x/fish", "(fish)"),
        ("/x/my-shell", "/x/busybox", "(busybox)"),
        ("/x/busybox", "/x/busybox", "(busybox)"),
        ("/x/python3", "/x/python3.13", "(python3.13)"),
        ("/x/bashful", "/x/bashful", "(bashful)"),
        ("/x/bash", "text", "is not executable"),
        ("/x/bash", "folder", "is not a file"),
        ("/x/bash", "locked", "cannot be looked at (permission denied)"),
        ("bash", "/proj/bash", "not a full path"),
        ("./bash", "/proj/bash", "not a full path"),
        ("~/bin/bash", "/proj/bash", "not a full path"),
        ("/no/such", "", "does not exist"),
    ] {
        let files = [(path, real_path), BASH];
        let files = if real_path.is_empty() { &files[1..] } else { &files[..] };
        for wishes in [[path, ""], ["", path], [path, path]] {
            let choice = choose_from(files, "", wishes);
            assert_eq!(choice.shell, shell("/bin/bash", ShellKind::Bash));
            assert_eq!(choice.warnings.len(), 1, "{:?}", choice.warnings);
            assert!(choice.warnings[0].contains(path) && choice.warnings[0].contains(reason), "{:?}", choice.warnings);
        }
    }
}

// faults.md shell-found-in-cwd
#[test]
fn a_relative_entry_of_path_never_names_a_file_of_the_project() {
    let files = [("bash", "/proj/bash"), ("./bash", "/proj/bash"), ("bin/bash", "/proj/bin/bash"), SH];
    assert_eq!(choose_from(&files, ":.:bin:", ["", ""]).shell, shell("/bin/sh", ShellKind::Sh));
}

#[test]
fn a_blank_wish_is_no_wish() {
    assert_eq!(
        choose_from(&[BASH], "", [" ", ""]),
        ShellChoice { shell: shell("/bin/bash", ShellKind::Bash), warnings: vec![] }
    );
}

#[test]
fn the_names_are_those_of_the_typescript_side() {
    let choice = ShellChoice { shell: shell("/bin/sh", ShellKind::Sh), warnings: vec![] };
    assert_eq!(serde_json::to_string(&choice).unwrap(), r#"{"shell":{"path":"/bin/sh","kind":"sh"},"warnings":[]}"#);
    let request: ShellRequest = serde_json::from_str(r#"{"override":"/a","shellPath":"/b","cwd":"/c"}"#).unwrap();
    assert_eq!((request.override_path.as_deref(), request.shell_path.as_deref()), (Some("/a"), Some("/b")));
    for (kind, name) in
        [(ShellKind::Bash, "bash"), (ShellKind::Zsh, "zsh"), (ShellKind::Sh, "sh"), (ShellKind::Cmd, "cmd")]
    {
        assert_eq!(serde_json::to_value(kind).unwrap(), name);
    }
}

#[cfg(unix)]
mod this_machine {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    use foreman_core::shell::{ShellKind, ShellRequest, choose_shell};

    fn choose_with(override_path: Option<&str>) -> (Option<(String, ShellKind)>, Vec<String>) {
        let request = ShellRequest {
            override_path: override_path.map(str::to_owned),
            shell_path: None,
            cwd: std::env::temp_dir().to_string_lossy().into_owned(),
        };
        let choice = choose_shell(&request);
        (choice.shell.map(|shell| (shell.path, shell.kind)), choice.warnings)
    }

    // faults.md sh-is-not-bash
    #[test]
    fn the_shell_that_is_called_bash_runs_what_only_bash_can() {
        let (Some((path, ShellKind::Bash)), _) = choose_with(None) else { return };
        let output = Command::new(path).args(["-c", "[[ a == a ]] && echo ok; cat <(echo y)"]).output().unwrap();
        assert_eq!(output.stdout, b"ok\ny\n");
    }

    #[test]
    fn files_are_looked_at_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let default = choose_with(None).0;

        symlink("/bin/sh", at("sh")).unwrap();
        assert_eq!(choose_with(Some(&at("sh"))), (Some((at("sh"), ShellKind::Sh)), vec![]));

        fs::write(at("bash"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(at("bash"), fs::Permissions::from_mode(0o644)).unwrap();
        fs::create_dir(at("zsh")).unwrap();
        symlink(at("gone"), at("dash")).unwrap();
        symlink(at("ksh"), at("ksh")).unwrap();
        for (name, reason) in [
            ("bash", "is not executable"),
            ("zsh", "is not a file"),
            ("dash", "does not exist"),
            ("bash/x", "does not exist"),
            ("ksh", "cannot be looked at"),
        ] {
            let (shell, warnings) = choose_with(Some(&at(name)));
            assert_eq!(shell, default);
            assert!(warnings.iter().any(|warning| warning.contains(reason)), "{name}: {warnings:?}");
        }

        fs::set_permissions(at("bash"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(choose_with(Some(&at("bash"))).0, Some((at("bash"), ShellKind::Bash)));
    }
}
