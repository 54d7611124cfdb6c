//! Where Git Bash may be on Windows, and which `bash.exe` is not one.
//!
//! A bash is accepted when it is of MSYS, which the library beside it tells; the text of `bash --version` does not (it says
//! cygwin since 2025), and asking a program is slow and runs it.

use super::choose::{FileSystem, Found, Shell, ShellKind, kind_of, program_at, refusal_of};
use super::windows_path::{base_name, is_inside, is_same, join, normalized, parent};

/// Parents of the launchers that start a Linux machine instead of a shell: where Windows keeps its own programs, and the
/// aliases of store apps.
const LAUNCHER_FOLDERS: [&str; 3] = ["System32", "Sysnative", "WindowsApps"];

/// Folders of Git for Windows that hold a `bin` of their own, below its root.
const INNER_ROOTS: [&str; 6] = ["mingw64", "mingw32", "clangarm64", "clang64", "ucrt64", "usr"];

/// A place to look at, and whether the current folder may hold it.
struct Candidate {
    path: String,
    /// An install folder is trusted even when the current folder is its parent: nobody clones into `C:\Program Files`.
    is_install_folder: bool,
}

/// The shell at a path, or why there is none, as the end of a sentence that starts with the path.
pub(super) fn judge(path: &str, files: &dyn FileSystem) -> Result<Shell, String> {
    let Some(path) = normalized(path) else {
        return Err("is not a full path, and is never looked up in the current folder".to_owned());
    };
    if is_launcher(&path) {
        return Err(match kind_of(base_name(&path), base_name(&path)) {
            Some(_) => "is the launcher of WSL, not a shell of this system".to_owned(),
            None => refusal_of(base_name(&path)),
        });
    }
    let real_path = normalized(&program_at(&path, files)?).unwrap_or_else(|| path.clone());
    if is_launcher(&real_path) {
        return Err("is a link to the launcher of WSL".to_owned());
    }
    let kind = kind_of(base_name(&path), base_name(&real_path)).ok_or_else(|| refusal_of(base_name(&real_path)))?;
    if ![&path, &real_path].iter().any(|path| is_msys(path, files)) {
        return Err("is no shell of Git for Windows or MSYS2 (no msys-2.0.dll beside it)".to_owned());
    }
    Ok(Shell { path, kind })
}

/// Goes through all places and falls back on `cmd.exe`.
pub(super) fn search(
    cwd: &str,
    environment: &dyn Fn(&str) -> Option<String>,
    files: &dyn FileSystem,
    warnings: &mut Vec<String>,
) -> Option<Shell> {
    let project = folders_of(cwd, files);
    let is_in_project = |path: &str| project.iter().any(|folder| is_inside(path, folder));

    let mut looked_at: Vec<String> = Vec::new();
    let mut notes = Vec::new();
    for candidate in candidates(environment, files, &is_in_project) {
        if looked_at.iter().any(|earlier| is_same(earlier, &candidate.path)) {
            continue;
        }
        let may_be_projects = !candidate.is_install_folder
            && (is_in_project(&candidate.path)
                || real_path_of(&candidate.path, files).is_some_and(|path| is_in_project(&path)));
        if may_be_projects {
            // Not noted as looked at: the same place may come again as an install folder.
            notes.push(format!("{} (it is inside the current folder)", candidate.path));
            continue;
        }
        match judge(&candidate.path, files) {
            Ok(shell) if shell.kind == ShellKind::Bash => return Some(shell),
            Ok(_) => notes.push(candidate.path.clone()),
            Err(_) if files.look(&candidate.path) == Found::Missing => notes.push(candidate.path.clone()),
            Err(reason) => notes.push(format!("{} (it {reason})", candidate.path)),
        }
        looked_at.push(candidate.path);
    }

    let fallback = command_interpreter(environment, files, &is_in_project);
    let outcome = match &fallback {
        Some(shell) => format!("commands run in {}", shell.path),
        None => "there is no shell to run commands in".to_owned(),
    };
    warnings.push(format!(
        "no Git Bash found, {outcome}. Looked for bash.exe and git.exe on PATH, the registry (SOFTWARE\\GitForWindows) and: \
         {}. To fix it, install Git for Windows (https://git-scm.com/downloads/win), or set PICC_BASH_PATH to the full \
         path of its bin\\bash.exe",
        notes.join("; ")
    ));
    fallback
}

/// All places, best first.
fn candidates(
    environment: &dyn Fn(&str) -> Option<String>,
    files: &dyn FileSystem,
    is_in_project: &dyn Fn(&str) -> bool,
) -> Vec<Candidate> {
    let folder = |name: &str| environment(name).and_then(|value| normalized(&value));
    let on_path = path_folders(environment);
    let found = |path: String| Candidate { path, is_install_folder: false };
    let installed = |path: String| Candidate { path, is_install_folder: true };

    let mut all = Vec::new();
    // Of PATH only what exists is worth a word in the warning.
    let is_there = |path: &String| files.look(path) != Found::Missing;
    all.extend(on_path.iter().map(|folder| join(folder, "bash.exe")).filter(is_there).map(found));

    let programs = [
        folder("ProgramFiles"),
        folder("ProgramFiles(x86)"),
        folder("LocalAppData").map(|folder| join(&folder, "Programs")),
    ];
    all.extend(programs.iter().flatten().map(|folder| installed(join(folder, r"Git\bin\bash.exe"))));

    for git in on_path.iter().map(|folder| join(folder, "git.exe")) {
        // A git.exe of the project must not name the shell; a link to one elsewhere is no better than the link.
        let Found::Program { real_path } = files.look(&git) else { continue };
        let real_path = normalized(&real_path);
        if is_in_project(&git) || real_path.as_deref().is_some_and(is_in_project) {
            continue;
        }
        for git in std::iter::once(git).chain(real_path) {
            all.extend(roots_of_git(&git).iter().flat_map(|root| bash_below(root)).map(found));
        }
    }

    let registered = files.git_install_paths();
    all.extend(registered.iter().filter_map(|root| normalized(root)).flat_map(|root| bash_below(&root)).map(installed));

    let scoops = [
        folder("SCOOP"),
        folder("USERPROFILE").map(|home| join(&home, "scoop")),
        folder("SCOOP_GLOBAL"),
        folder("ProgramData").map(|data| join(&data, "scoop")),
    ];
    all.extend(scoops.iter().flatten().map(|scoop| installed(join(scoop, r"apps\git\current\bin\bash.exe"))));
    all
}

/// The absolute folders of PATH. A relative one means a folder inside the current one.
fn path_folders(environment: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let path = environment("PATH").unwrap_or_default();
    path.split(';').filter_map(|folder| normalized(folder.trim().trim_matches('"'))).collect()
}

/// The folders that a `git.exe` may belong to: `Git\cmd`, `Git\bin` and `Git\mingw64\bin` hold one.
fn roots_of_git(git: &str) -> Vec<String> {
    let root = parent(parent(git));
    match INNER_ROOTS.iter().any(|inner| is_same(base_name(root), inner)) {
        true => vec![parent(root).to_owned()],
        false => vec![root.to_owned()],
    }
}

/// `bin\bash.exe` sets up the environment; a plain MSYS2 has only the other.
fn bash_below(root: &str) -> [String; 2] {
    [join(root, r"bin\bash.exe"), join(root, r"usr\bin\bash.exe")]
}

fn is_launcher(path: &str) -> bool {
    parent(path).split('\\').any(|part| LAUNCHER_FOLDERS.iter().any(|folder| is_same(part, folder)))
}

fn is_msys(path: &str, files: &dyn FileSystem) -> bool {
    let folder = parent(path);
    let libraries = [join(folder, "msys-2.0.dll"), join(parent(folder), r"usr\bin\msys-2.0.dll")];
    libraries.iter().any(|library| matches!(files.look(library), Found::Program { .. } | Found::NotExecutable))
}

fn real_path_of(path: &str, files: &dyn FileSystem) -> Option<String> {
    match files.look(path) {
        Found::Program { real_path } => normalized(&real_path),
        _ => None,
    }
}

/// The current folder as it is called and as it is.
fn folders_of(cwd: &str, files: &dyn FileSystem) -> Vec<String> {
    let named = normalized(cwd);
    let real = files.real_folder(cwd).and_then(|folder| normalized(&folder));
    named.into_iter().chain(real).collect()
}

fn command_interpreter(
    environment: &dyn Fn(&str) -> Option<String>,
    files: &dyn FileSystem,
    is_in_project: &dyn Fn(&str) -> bool,
) -> Option<Shell> {
    let named = environment("ComSpec").and_then(|path| normalized(&path));
    let named = named.filter(|path| is_same(base_name(path), "cmd.exe") && !is_in_project(path));
    let system =
        environment("SystemRoot").and_then(|root| normalized(&root)).unwrap_or_else(|| r"C:\Windows".to_owned());
    named
        .into_iter()
        .chain([join(&system, r"System32\cmd.exe")])
        .find(|path| matches!(files.look(path), Found::Program { .. }))
        .map(|path| Shell { path, kind: ShellKind::Cmd })
}
