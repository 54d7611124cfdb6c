//! The shell that is chosen on Windows, decided on every system from tables of files.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that is not as it says")]

use std::collections::HashMap;

use foreman_core::shell::{FileSystem, Found, Platform, ShellChoice, ShellKind, ShellRequest, choose};

const GIT: &str = r"C:\Program Files\Git";
const LAUNCHERS: [&str; 3] = [
    r"C:\Windows\System32\bash.exe",
    r"C:\Windows\Sysnative\bash.exe",
    r"C:\Users\me\AppData\Local\Microsoft\WindowsApps\bash.exe",
];

/// A Windows machine: which files there are, and what its environment and registry say.
#[derive(Default)]
struct Machine {
    /// By lower-case path; the value is where a link leads.
    files: HashMap<String, String>,
    environment: HashMap<&'static str, String>,
    registered: Vec<String>,
    override_path: Option<String>,
    shell_path: Option<String>,
    cwd: String,
}

impl Machine {
    fn new() -> Self {
        Self { cwd: r"C:\proj".to_owned(), ..Self::default() }
            .file(r"C:\Windows\System32\cmd.exe")
            .set("SystemRoot", r"C:\Windows")
            .set("ComSpec", r"C:\Windows\System32\cmd.exe")
            .set("ProgramFiles", r"C:\Program Files")
            .set("ProgramFiles(x86)", r"C:\Program Files (x86)")
            .set("LocalAppData", r"C:\Users\me\AppData\Local")
            .set("USERPROFILE", r"C:\Users\me")
            .set("ProgramData", r"C:\ProgramData")
            .set("PATH", r"C:\Windows\System32")
    }

    fn file(self, path: &str) -> Self {
        self.link(path, path)
    }

    fn link(mut self, path: &str, target: &str) -> Self {
        self.files.insert(path.to_lowercase(), target.to_owned());
        self
    }

    fn git(self, root: &str) -> Self {
        [
            "bin\\bash.exe",
            "usr\\bin\\bash.exe",
            "usr\\bin\\msys-2.0.dll",
            "cmd\\git.exe",
            "bin\\git.exe",
            "mingw64\\bin\\git.exe",
        ]
        .iter()
        .fold(self, |machine, file| machine.file(&format!("{root}\\{file}")))
    }

    /// A bash.exe with its library beside it.
    fn msys(self, folder: &str) -> Self {
        self.file(&format!("{folder}\\bash.exe")).file(&format!("{folder}\\msys-2.0.dll"))
    }

    fn launchers(self) -> Self {
        LAUNCHERS.iter().fold(self, |machine, path| machine.file(path))
    }

    fn set(mut self, name: &'static str, value: &str) -> Self {
        self.environment.insert(name, value.to_owned());
        self
    }

    fn cwd(mut self, cwd: &str) -> Self {
        self.cwd = cwd.to_owned();
        self
    }

    fn registered(mut self, root: &str) -> Self {
        self.registered.push(root.to_owned());
        self
    }

    fn wish(mut self, override_path: &str) -> Self {
        self.override_path = Some(override_path.to_owned());
        self
    }

    fn shell_path(mut self, shell_path: &str) -> Self {
        self.shell_path = Some(shell_path.to_owned());
        self
    }

    fn choose(&self) -> ShellChoice {
        let request = ShellRequest {
            override_path: self.override_path.clone(),
            shell_path: self.shell_path.clone(),
            cwd: self.cwd.clone(),
        };
        choose(&request, &|name| self.environment.get(name).cloned(), Platform::Windows, self)
    }

    fn assert_bash(&self, path: &str) {
        let choice = self.choose();
        let shell = choice.shell.unwrap();
        assert_eq!((shell.path.as_str(), shell.kind), (path, ShellKind::Bash), "{:?}", choice.warnings);
        assert_eq!(choice.warnings, [""; 0]);
    }

    /// The one warning of the fallback.
    fn assert_cmd(&self) -> String {
        let choice = self.choose();
        let shell = choice.shell.unwrap();
        assert_eq!((shell.path.as_str(), shell.kind), (r"C:\Windows\System32\cmd.exe", ShellKind::Cmd));
        assert_eq!(choice.warnings.len(), 1, "{:?}", choice.warnings);
        choice.warnings.into_iter().next().unwrap()
    }
}

impl FileSystem for Machine {
    fn look(&self, path: &str) -> Found {
        match self.files.get(&path.to_lowercase()) {
            Some(target) => Found::Program { real_path: target.clone() },
            None => Found::Missing,
        }
    }

    fn real_folder(&self, path: &str) -> Option<String> {
        self.files.get(&path.to_lowercase()).cloned()
    }

    fn git_install_paths(&self) -> Vec<String> {
        self.registered.clone()
    }
}

// faults.md wsl-bash-picked
#[test]
fn the_launcher_of_wsl_is_not_taken_for_git_bash() {
    let path = r"C:\Windows\System32;C:\Windows\Sysnative;C:\Users\me\AppData\Local\Microsoft\WindowsApps;C:\Program Files\Git\bin";
    Machine::new().launchers().git(GIT).set("PATH", path).assert_bash(r"C:\Program Files\Git\bin\bash.exe");
    // Even with the library put beside it, in any case of the name, through a link.
    for launcher in LAUNCHERS {
        let folder = launcher.rsplit_once('\\').unwrap().0.to_uppercase();
        Machine::new().launchers().msys(&folder).set("PATH", &folder).assert_cmd();
        Machine::new()
            .link(r"C:\tools\bash.exe", launcher)
            .file(r"C:\tools\msys-2.0.dll")
            .set("PATH", r"C:\tools")
            .assert_cmd();
        let choice = Machine::new().launchers().git(GIT).wish(launcher).choose();
        assert_eq!(choice.shell.unwrap().path, r"C:\Program Files\Git\bin\bash.exe");
        assert!(choice.warnings.len() == 1 && choice.warnings[0].contains("WSL"), "{:?}", choice.warnings);
    }
}

// faults.md git-bash-off-path
#[test]
fn git_bash_is_found_wherever_git_is_installed() {
    let found_from_git = |folder: &str, root: &str| {
        Machine::new().git(root).set("PATH", folder).assert_bash(&format!("{root}\\bin\\bash.exe"));
    };
    found_from_git(r"D:\APP\Git\cmd", r"D:\APP\Git");
    found_from_git(r"D:/APP/Git/cmd/", r"D:\APP\Git");
    found_from_git("\"D:\\APP\\My Git\\cmd\"", r"D:\APP\My Git");
    found_from_git(r"D:\APP\Git\mingw64\bin", r"D:\APP\Git");
    found_from_git(r"\\server\tools\Git\cmd", r"\\server\tools\Git");

    let user = r"C:\Users\me\AppData\Local\Programs\Git";
    Machine::new().git(user).assert_bash(&format!("{user}\\bin\\bash.exe"));
    Machine::new().git(r"C:\Program Files (x86)\Git").assert_bash(r"C:\Program Files (x86)\Git\bin\bash.exe");
    Machine::new().git(r"E:\Git").registered(r"E:\Git\").assert_bash(r"E:\Git\bin\bash.exe");
    let scoop = r"C:\Users\me\scoop\apps\git\current";
    Machine::new().git(scoop).assert_bash(&format!("{scoop}\\bin\\bash.exe"));
    Machine::new()
        .git(r"D:\scoop\apps\git\current")
        .set("SCOOP", r"D:\scoop")
        .assert_bash(r"D:\scoop\apps\git\current\bin\bash.exe");
    let everyone = r"C:\ProgramData\scoop\apps\git\current";
    Machine::new().git(everyone).assert_bash(&format!("{everyone}\\bin\\bash.exe"));
}

#[test]
fn git_that_is_only_a_link_on_path_leads_to_its_bash() {
    let links = r"C:\Users\me\AppData\Local\Microsoft\WinGet\Links";
    Machine::new()
        .git(r"D:\Git")
        .link(&format!("{links}\\git.exe"), r"\\?\D:\Git\cmd\git.exe")
        .set("PATH", links)
        .assert_bash(r"D:\Git\bin\bash.exe");
}

#[test]
fn a_plain_msys2_is_a_shell_too() {
    Machine::new()
        .msys(r"C:\msys64\usr\bin")
        .set("PATH", r"C:\msys64\usr\bin")
        .assert_bash(r"C:\msys64\usr\bin\bash.exe");
    Machine::new()
        .msys(r"C:\msys64\usr\bin")
        .file(r"C:\msys64\mingw64\bin\git.exe")
        .set("PATH", r"C:\msys64\mingw64\bin")
        .assert_bash(r"C:\msys64\usr\bin\bash.exe");
}

// faults.md shell-found-in-cwd
#[test]
fn a_bash_in_the_project_never_runs() {
    let project = || Machine::new().msys(r"C:\proj").msys(r"C:\proj\tools\bin").git(r"C:\proj\git");
    for path in [
        "",
        ".",
        r".\tools\bin",
        r"C:\proj",
        r"c:\PROJ\tools\bin",
        r"C:\proj\git\cmd",
        r"C:\other\..\proj",
        r"\proj",
        "C:",
        r"\\?\C:\proj",
        "C:/proj/git/bin",
    ] {
        project().set("PATH", path).assert_cmd();
        project().git(GIT).set("PATH", path).assert_bash(r"C:\Program Files\Git\bin\bash.exe");
    }
    // The current folder under another name, and a link that leads into it.
    Machine::new().msys(r"D:\real").link(r"C:\proj", r"D:\real").set("PATH", r"D:\real").assert_cmd();
    Machine::new()
        .link(r"C:\t\bash.exe", r"C:\proj\bash.exe")
        .file(r"C:\t\msys-2.0.dll")
        .set("PATH", r"C:\t")
        .assert_cmd();
    Machine::new()
        .git(r"C:\proj\git")
        .link(r"C:\t\git.exe", r"C:\proj\git\cmd\git.exe")
        .set("PATH", r"C:\t")
        .assert_cmd();
}

// faults.md shell-found-in-cwd
#[test]
fn git_is_found_when_the_current_folder_is_its_parent() {
    let bash = r"C:\Program Files\Git\bin\bash.exe";
    for cwd in [r"C:\Program Files", "c:/program files/", r"C:\", r"C:\Program Files\Git", r"C:\Program Files\Git\bin"]
    {
        for path in ["", r"C:\Program Files\Git\bin", r"C:\Program Files\Git\cmd"] {
            Machine::new().git(GIT).set("PATH", path).cwd(cwd).assert_bash(bash);
        }
    }
    Machine::new()
        .git(r"D:\APP\Git")
        .registered(r"D:\APP\Git")
        .set("PATH", r"D:\APP\Git\cmd")
        .cwd(r"D:\APP")
        .assert_bash(r"D:\APP\Git\bin\bash.exe");
    // A folder that only begins with the same letters is another one.
    Machine::new()
        .git(r"C:\project-tools\Git")
        .set("PATH", r"C:\project-tools\Git\cmd")
        .assert_bash(r"C:\project-tools\Git\bin\bash.exe");
}

#[test]
fn the_places_are_tried_in_the_documented_order() {
    let roots = [
        r"D:\path",
        GIT,
        r"C:\Program Files (x86)\Git",
        r"C:\Users\me\AppData\Local\Programs\Git",
        r"D:\cmdgit",
        r"D:\registered",
    ];
    for first in 0..roots.len() {
        let machine = Machine::new().set("PATH", r"D:\cmdgit\cmd;D:\path\bin").registered(r"D:\registered");
        roots[first..]
            .iter()
            .fold(machine, |machine, root| machine.git(root))
            .assert_bash(&format!("{}\\bin\\bash.exe", roots[first]));
    }
    let all = || Machine::new().set("PATH", r"D:\path\bin").git(r"D:\path").msys(r"D:\pi").msys(r"D:\override");
    all().shell_path(r"D:\pi\bash.exe").assert_bash(r"D:\pi\bash.exe");
    all().shell_path(r"D:\pi\bash.exe").wish("D:/override/bash.exe").assert_bash(r"D:\override\bash.exe");
}

#[test]
fn a_bash_that_is_not_of_msys_is_passed_over() {
    let path = r"C:\cygwin64\bin;C:\scoop\shims;C:\Program Files\Git\bin";
    Machine::new()
        .file(r"C:\cygwin64\bin\bash.exe")
        .file(r"C:\scoop\shims\bash.exe")
        .git(GIT)
        .set("PATH", path)
        .assert_bash(r"C:\Program Files\Git\bin\bash.exe");
}

#[test]
fn a_wish_that_cannot_be_met_costs_one_warning_and_the_search_goes_on() {
    for (wish, reason) in [
        (r"C:\no\such\bash.exe", "does not exist"),
        ("bash.exe", "not a full path"),
        (r".\bash.exe", "not a full path"),
        (r"\Git\bin\bash.exe", "not a full path"),
        (r"C:\Windows\System32\cmd.exe", "no bash, zsh or POSIX shell"),
        (r"C:\nu\nu.exe", "no bash, zsh or POSIX shell"),
        (r"C:\cygwin64\bin\bash.exe", "msys-2.0.dll"),
    ] {
        let machine = Machine::new().git(GIT).file(r"C:\nu\nu.exe").file(r"C:\cygwin64\bin\bash.exe");
        let choice = machine.wish(wish).shell_path(wish).choose();
        assert_eq!(choice.shell.unwrap().path, r"C:\Program Files\Git\bin\bash.exe");
        assert_eq!(choice.warnings.len(), 1, "{:?}", choice.warnings);
        assert!(choice.warnings[0].contains(wish) && choice.warnings[0].contains(reason), "{:?}", choice.warnings);
    }
}

#[test]
fn without_git_bash_one_warning_says_what_was_looked_for_and_how_to_fix_it() {
    let warning = Machine::new().launchers().assert_cmd();
    for part in [
        r"C:\Windows\System32\cmd.exe",
        r"C:\Windows\System32\bash.exe (it is the launcher of WSL",
        r"C:\Program Files\Git\bin\bash.exe",
        r"C:\Users\me\AppData\Local\Programs\Git\bin\bash.exe",
        r"C:\Users\me\scoop\apps\git\current\bin\bash.exe",
        "GitForWindows",
        "PICC_BASH_PATH",
        "install Git for Windows",
    ] {
        assert!(warning.contains(part), "{part} is not in: {warning}");
    }
    assert!(!warning.contains('\n'));
}

#[test]
fn a_command_interpreter_of_the_project_never_runs() {
    Machine::new().file(r"C:\proj\cmd.exe").set("ComSpec", r"C:\proj\cmd.exe").assert_cmd();
    Machine::new().set("ComSpec", "cmd.exe").assert_cmd();
    Machine::new().file(r"C:\nu\nu.exe").set("ComSpec", r"C:\nu\nu.exe").assert_cmd();
}
