//! The choice itself: a pure function.

use serde::{Deserialize, Serialize};

use super::git_bash;

/// Which dialect a shell speaks, and how a script is handed to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShellKind {
    /// GNU bash under a name of its own.
    Bash,
    /// zsh under a name of its own.
    Zsh,
    /// A POSIX shell: dash, busybox, or whatever is called `sh`.
    Sh,
    /// The command interpreter of Windows.
    Cmd,
}

/// A shell that was found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shell {
    /// Absolute path of its program, as it is started: links are not resolved, since the name can decide the dialect.
    pub path: String,
    /// What it speaks.
    pub kind: ShellKind,
}

/// What the user wishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShellRequest {
    /// `PICC_BASH_SHELL` (Windows: `PICC_BASH_PATH`) or `shell` in config.json.
    #[serde(rename = "override", default)]
    pub override_path: Option<String>,
    /// pi's own setting.
    #[serde(default)]
    pub shell_path: Option<String>,
    /// The current folder: on Windows nothing that a search finds inside it is trusted.
    pub cwd: String,
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellChoice {
    /// `None`: nothing that we accept was found.
    pub shell: Option<Shell>,
    /// One line each, for the person: a wish that could not be met, a fallback taken.
    pub warnings: Vec<String>,
}

/// Whose rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux, macOS and what is like them.
    Unix,
    /// Windows.
    Windows,
}

/// What is at a path, links followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Missing,
    /// It could not be looked at, and why.
    Unknown(String),
    /// A folder, a device or a pipe.
    NotAFile,
    /// A file that may not be executed.
    NotExecutable,
    /// A file that may be executed, and its path with all links resolved.
    Program {
        /// The resolved path.
        real_path: String,
    },
}

/// What the choice may ask about the machine. All paths are absolute.
pub trait FileSystem {
    /// What is at a path.
    fn look(&self, path: &str) -> Found;
    /// A folder with all links resolved; `None` when it is not there.
    fn real_folder(&self, path: &str) -> Option<String>;
    /// Where the Windows registry says that Git for Windows is installed, for all users first.
    fn git_install_paths(&self) -> Vec<String>;
}

/// Chooses the shell for a request.
///
/// Only bash, zsh and POSIX shells are accepted. A wish that cannot be met costs one warning and the search goes on; a
/// relative path is never resolved against the current folder.
pub fn choose(
    request: &ShellRequest,
    environment: &dyn Fn(&str) -> Option<String>,
    platform: Platform,
    files: &dyn FileSystem,
) -> ShellChoice {
    let mut warnings = Vec::new();
    let wishes = wishes(request);
    let judge = |path: &str| match platform {
        Platform::Unix => judge_unix(path, files),
        Platform::Windows => git_bash::judge(path, files),
    };
    for (source, path) in &wishes {
        match judge(path) {
            Ok(shell) => return ShellChoice { shell: Some(shell), warnings },
            Err(reason) => warnings.push(format!("{source} is ignored: {path} {reason}")),
        }
    }
    let shell = match platform {
        Platform::Unix => search_unix(environment, files, &mut warnings),
        Platform::Windows => git_bash::search(&request.cwd, environment, files, &mut warnings),
    };
    ShellChoice { shell, warnings }
}

/// The paths that the user named, each once.
fn wishes(request: &ShellRequest) -> Vec<(&'static str, &str)> {
    let mut wishes: Vec<(&'static str, &str)> = Vec::new();
    let named = [("the configured shell", &request.override_path), ("the shellPath of pi", &request.shell_path)];
    for (source, path) in named {
        let path = path.as_deref().map_or("", str::trim);
        if !path.is_empty() && wishes.iter().all(|(_, earlier)| *earlier != path) {
            wishes.push((source, path));
        }
    }
    wishes
}

fn search_unix(
    environment: &dyn Fn(&str) -> Option<String>,
    files: &dyn FileSystem,
    warnings: &mut Vec<String>,
) -> Option<Shell> {
    let search_path = environment("PATH").unwrap_or_default();
    // An empty or relative entry means a folder inside the current one: never the project's file.
    let on_path = search_path.split(':').filter(|folder| folder.starts_with('/'));
    let candidates = std::iter::once("/bin/bash".to_owned())
        .chain(on_path.map(|folder| format!("{}/bash", folder.trim_end_matches('/'))));
    for path in candidates {
        // A bash that is a link to a smaller shell is no bash.
        if let Ok(shell @ Shell { kind: ShellKind::Bash, .. }) = judge_unix(&path, files) {
            return Some(shell);
        }
    }
    let advice = "install bash, or set PICC_BASH_SHELL to the full path of a bash or zsh";
    match judge_unix("/bin/sh", files) {
        Ok(shell) => {
            warnings.push(format!(
                "no bash at /bin/bash or on PATH: commands run in /bin/sh, where [[ ]], arrays and <( ) may fail; {advice}"
            ));
            Some(shell)
        }
        Err(reason) => {
            warnings.push(format!("no shell found: no bash at /bin/bash or on PATH, and /bin/sh {reason}; {advice}"));
            None
        }
    }
}

/// The shell at a path, or why there is none, as the end of a sentence that starts with the path.
fn judge_unix(path: &str, files: &dyn FileSystem) -> Result<Shell, String> {
    if !path.starts_with('/') {
        return Err("is not a full path, and is never looked up in the current folder".to_owned());
    }
    let real_path = program_at(path, files)?;
    let base_name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let kind = kind_of(&base_name(path), &base_name(&real_path)).ok_or_else(|| refusal_of(&base_name(&real_path)))?;
    Ok(Shell { path: path.to_owned(), kind })
}

/// The resolved path of a program, or why there is none.
pub(super) fn program_at(path: &str, files: &dyn FileSystem) -> Result<String, String> {
    match files.look(path) {
        Found::Missing => Err("does not exist".to_owned()),
        Found::Unknown(why) => Err(format!("cannot be looked at ({why})")),
        Found::NotAFile => Err("is not a file".to_owned()),
        Found::NotExecutable => Err("is not executable".to_owned()),
        Found::Program { real_path } => Ok(real_path),
    }
}

pub(super) fn refusal_of(name: &str) -> String {
    format!("is no bash, zsh or POSIX shell ({name})")
}

/// What a program speaks, by the name that it is started with and the name of the file behind it.
///
/// A shell that is started as `sh` speaks POSIX, whatever it is: bash and zsh then leave their own ways off.
pub(super) fn kind_of(name: &str, real_name: &str) -> Option<ShellKind> {
    match (family(name), family(real_name)) {
        (_, Some(Family::Other)) | (Some(Family::Other), _) => None,
        (Some(Family::Posix), _) => Some(ShellKind::Sh),
        // Started under a foreign name, a multi-call program does not know which of its programs is meant.
        (None, Some(Family::MultiCall) | None) | (Some(Family::MultiCall), _) => None,
        (_, Some(Family::Posix | Family::MultiCall)) => Some(ShellKind::Sh),
        (Some(Family::Bash), Some(Family::Bash) | None) | (None, Some(Family::Bash)) => Some(ShellKind::Bash),
        (Some(Family::Zsh), Some(Family::Zsh) | None) | (None, Some(Family::Zsh)) => Some(ShellKind::Zsh),
        // One that poses as the other: what both can.
        (Some(Family::Bash), Some(Family::Zsh)) | (Some(Family::Zsh), Some(Family::Bash)) => Some(ShellKind::Sh),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Bash,
    Zsh,
    Posix,
    MultiCall,
    Other,
}

/// The family that a file name tells; `bash-5.2`, `zsh5` and `bash.exe` count, `bashful` does not.
fn family(name: &str) -> Option<Family> {
    const FAMILIES: &[(&str, Family)] = &[
        ("bash", Family::Bash),
        ("zsh", Family::Zsh),
        ("sh", Family::Posix),
        ("dash", Family::Posix),
        ("ash", Family::Posix),
        ("ksh", Family::Posix),
        ("mksh", Family::Posix),
        ("oksh", Family::Posix),
        ("yash", Family::Posix),
        ("posh", Family::Posix),
        ("busybox", Family::MultiCall),
        ("toybox", Family::MultiCall),
        ("fish", Family::Other),
        ("nu", Family::Other),
        ("csh", Family::Other),
        ("tcsh", Family::Other),
        ("elvish", Family::Other),
        ("xonsh", Family::Other),
        ("pwsh", Family::Other),
        ("powershell", Family::Other),
        ("cmd", Family::Other),
    ];
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    FAMILIES.iter().find_map(|(prefix, family)| {
        let rest = name.strip_prefix(prefix)?;
        rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '_')).then_some(*family)
    })
}
