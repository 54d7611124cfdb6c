//! A folder with one file: the script of a run, under the name by which the shell will call it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::{FILE_FLAG_OPEN_REPARSE_POINT, FILE_SHARE_DELETE, FILE_SHARE_READ};

use crate::capture::OutputFolder;
use crate::error::{Error, ErrorKind, Result};

/// Name of the folder below the output base that holds the folders of all scripts. See `supervise.rs`.
const SCRIPTS: &str = "shell";

/// Gone when it is dropped.
#[derive(Debug)]
pub(crate) struct ScriptFolder {
    folder: String,
    file: String,
}

impl ScriptFolder {
    /// Makes `<scripts>\<run id>\<name>`.
    pub(super) fn create(scripts: &OutputFolder, run_id: &str, name: &str, parts: &[&[u8]]) -> Result<Self> {
        let failed =
            |path: &str, e| Error::io(ErrorKind::OutputUnwritable, format!("cannot write the script {path}"), e);
        let folder = scripts.open_below(run_id)?;
        let made = Self { folder: folder.path().to_owned(), file: format!("{}\\{name}", folder.path()) };
        let mut file = create(&made.file).map_err(|e| failed(&made.file, e))?;
        for part in parts {
            file.write_all(part).map_err(|e| failed(&made.file, e))?;
        }
        Ok(made)
    }

    pub(super) fn path(&self) -> &str {
        &self.folder
    }
}

impl Drop for ScriptFolder {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
        let _ = fs::remove_dir(&self.folder);
    }
}

fn create(path: &str) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_DELETE)
        .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)
}

/// Removes what a host that ended in the middle of a run has left of its script.
pub(crate) fn forget_script(output_base: &str, run_id: &str) {
    let folder = Path::new(output_base).join(SCRIPTS).join(run_id);
    // A link in its place is removed itself by the second step; nothing behind it is looked at.
    if fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let _ = fs::remove_file(entry.path());
        }
    }
    let _ = fs::remove_dir(&folder);
}
