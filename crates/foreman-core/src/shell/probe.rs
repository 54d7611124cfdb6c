//! The file-system side of the choice: what this machine has.

use std::fs;
use std::io;
use std::path::Path;

use super::choose::{FileSystem, Found, Platform, ShellChoice, ShellRequest, choose};

/// Chooses the shell for a request on this machine, by the environment of this process.
///
/// Reads file attributes (on Windows also the registry) and starts nothing.
pub fn choose_shell(request: &ShellRequest) -> ShellChoice {
    let platform = if cfg!(windows) { Platform::Windows } else { Platform::Unix };
    choose(request, &|name| std::env::var(name).ok(), platform, &ThisMachine)
}

struct ThisMachine;

impl FileSystem for ThisMachine {
    fn look(&self, path: &str) -> Found {
        let path = Path::new(path);
        match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => Found::NotAFile,
            Ok(_) if !may_execute(path) => Found::NotExecutable,
            Ok(_) => match fs::canonicalize(path) {
                Ok(real_path) => Found::Program { real_path: real_path.to_string_lossy().into_owned() },
                Err(error) => Found::Unknown(error.to_string()),
            },
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Found::Missing
            }
            Err(error) => Found::Unknown(error.to_string()),
        }
    }

    fn real_folder(&self, path: &str) -> Option<String> {
        fs::canonicalize(path).ok().map(|path| path.to_string_lossy().into_owned())
    }

    fn git_install_paths(&self) -> Vec<String> {
        git_install_paths()
    }
}

#[cfg(unix)]
fn may_execute(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
const fn may_execute(_: &Path) -> bool {
    true
}

#[cfg(not(windows))]
const fn git_install_paths() -> Vec<String> {
    Vec::new()
}

#[cfg(windows)]
fn git_install_paths() -> Vec<String> {
    use windows_sys::Win32::System::Registry::{
        HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE, RRF_SUBKEY_WOW6432KEY, RRF_SUBKEY_WOW6464KEY,
    };

    // A 32-bit Git is registered in the other view of the machine's part.
    [
        (HKEY_LOCAL_MACHINE, RRF_SUBKEY_WOW6464KEY),
        (HKEY_LOCAL_MACHINE, RRF_SUBKEY_WOW6432KEY),
        (HKEY_CURRENT_USER, RRF_SUBKEY_WOW6464KEY),
    ]
    .into_iter()
    .filter_map(|(root, view)| install_path(root, view))
    .collect()
}

#[cfg(windows)]
fn install_path(root: windows_sys::Win32::System::Registry::HKEY, view: u32) -> Option<String> {
    use windows_sys::Win32::Foundation::ERROR_SUCCESS;
    use windows_sys::Win32::System::Registry::{RRF_RT_REG_SZ, RegGetValueW};

    /// Bounds the value: the longest path that Windows takes.
    const MAX_PATH_UNITS: usize = 32_768;

    let wide = |text: &str| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
    let (key, value) = (wide(r"SOFTWARE\GitForWindows"), wide("InstallPath"));
    let mut path = vec![0_u16; MAX_PATH_UNITS];
    let mut size_bytes = (MAX_PATH_UNITS * size_of::<u16>()) as u32;
    // SAFETY: both names end with a zero and outlive the call; `path` is ours, writable and `size_bytes` long, and the call
    // writes no more than that.
    let status = unsafe {
        RegGetValueW(
            root,
            key.as_ptr(),
            value.as_ptr(),
            RRF_RT_REG_SZ | view,
            std::ptr::null_mut(),
            path.as_mut_ptr().cast(),
            &raw mut size_bytes,
        )
    };
    if status != ERROR_SUCCESS {
        return None;
    }
    let units = path.iter().position(|unit| *unit == 0)?;
    String::from_utf16(&path[..units]).ok().filter(|path| !path.is_empty())
}
