//! Every folder on the way is held open without the right to be renamed or removed, so its path stays what it was when it
//! was looked at: nobody can put something else in place between the look and the use.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::windows::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::os::windows::io::AsRawHandle as _;
use std::sync::Arc;
use std::time::Duration;

use windows_sys::Win32::Foundation::ERROR_SHARING_VIOLATION;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_LIST_DIRECTORY, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_STANDARD_INFO, FileStandardInfo,
    GetFileInformationByHandleEx, READ_CONTROL, SYNCHRONIZE,
};

use super::owner;
use crate::error::{Error, ErrorKind, Result};

/// Who removes a folder that has just become empty holds it for a moment, and then it is gone.
const SHARING_TRIES: u32 = 20;
const SHARING_PAUSE: Duration = Duration::from_millis(5);

/// The variable that moves the folder of temporary files.
pub(super) const TEMPORARY: &str = "TEMP";

/// A folder that belongs to this user, held so that it stays where it is.
///
/// Who else may read it is inherited from the folder above: `%TEMP%` is closed to other users unless somebody opened it.
#[derive(Debug, Clone)]
pub struct OutputFolder {
    /// It, and those above it down from the base.
    held: Vec<Arc<File>>,
    path: String,
}

impl OutputFolder {
    /// Opens `base` and the folders below it, making what is missing.
    pub(super) fn open_exactly(base: &str, folders: &[&str]) -> Result<(Self, Self)> {
        let base = base.replace('/', "\\");
        let base = Self { held: vec![Arc::new(open_ours(&base)?)], path: base };
        let mut folder = base.clone();
        for name in folders {
            folder = folder.open_below(name)?;
        }
        Ok((base, folder))
    }

    /// Another folder below the same base, for what belongs to all sessions.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_below(&self, name: &str) -> Result<Self> {
        let path = self.path_of(name);
        let mut held = self.held.clone();
        held.push(Arc::new(open_ours(&path)?));
        Ok(Self { held, path })
    }

    /// Makes a new empty file for appending.
    ///
    /// # Errors
    /// `OUTPUT_UNWRITABLE`; a name that exists already, even as a link to nowhere, is refused.
    pub fn create_file(&self, name: &str) -> Result<(File, String)> {
        let path = self.path_of(name);
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
            .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
            .open(&path)
            .map_err(|e| Error::io(ErrorKind::OutputUnwritable, format!("cannot make output file {path}"), e))?;
        Ok((file, path))
    }

    /// Opens a file of this folder for reading, following no link.
    pub(crate) fn open_file(&self, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let file = options.read(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(self.path_of(name))?;
        if file.metadata()?.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT == 0 {
            return Ok(file);
        }
        Err(io::Error::other("it is a link"))
    }

    /// Time since a file of this folder was last written.
    pub(crate) fn age_of(&self, name: &str) -> Option<Duration> {
        self.open_file(name).ok()?.metadata().ok()?.modified().ok()?.elapsed().ok()
    }

    /// Removes a file of this folder; one that is gone already is fine.
    pub(crate) fn remove_file(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.path_of(name)) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Names of the plain files in this folder.
    pub(crate) fn file_names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().into_string()
                && !entry.file_type()?.is_dir()
            {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Absolute path.
    pub fn path(&self) -> &str {
        &self.path
    }

    fn path_of(&self, name: &str) -> String {
        format!("{}\\{name}", self.path)
    }
}

/// The per-user folder beside `base`.
pub(super) fn own_base(base: &str) -> String {
    match owner::name_of_this_user() {
        Some(user) => format!("{base}-{user}"),
        None => format!("{base}-own"),
    }
}

/// Whether nobody can open the file by name any more.
pub(crate) fn has_no_name(file: &File, path: &str) -> bool {
    if matches!(fs::symlink_metadata(path), Err(e) if e.kind() == io::ErrorKind::NotFound) {
        return true;
    }
    let mut info = FILE_STANDARD_INFO::default();
    // SAFETY: the file is open, and the structure is the one of this class.
    let ok = unsafe {
        GetFileInformationByHandleEx(
            file.as_raw_handle(),
            FileStandardInfo,
            (&raw mut info).cast(),
            size_of::<FILE_STANDARD_INFO>() as u32,
        )
    };
    ok != 0 && (info.DeletePending || info.NumberOfLinks == 0)
}

fn open_ours(path: &str) -> Result<File> {
    let refuse = |what: &str| Error::new(ErrorKind::OutputUnwritable, format!("{path} {what}"));
    let opened = match hold(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => match fs::create_dir(path) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Error::io(ErrorKind::OutputUnwritable, format!("cannot make folder {path}"), e));
            }
            _ => hold(path),
        },
        other => other,
    };
    let folder = opened.map_err(|e| Error::io(ErrorKind::OutputUnwritable, format!("cannot open folder {path}"), e))?;
    let attributes = folder
        .metadata()
        .map_err(|e| Error::io(ErrorKind::OutputUnwritable, format!("cannot look at folder {path}"), e))?
        .file_attributes();
    if attributes & FILE_ATTRIBUTE_DIRECTORY == 0 || attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        return Err(refuse("is not a folder, or is a link to one"));
    }
    if owner::is_somebody_else(&folder) {
        return Err(refuse("belongs to another user"));
    }
    Ok(folder)
}

/// Opens a folder, itself and not what it may link to, so that nobody can rename or remove it meanwhile.
fn hold(path: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options
        .access_mode(FILE_LIST_DIRECTORY | READ_CONTROL | SYNCHRONIZE)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    let mut tries = 0;
    loop {
        match options.open(path) {
            Err(e) if e.raw_os_error() == Some(ERROR_SHARING_VIOLATION.cast_signed()) && tries < SHARING_TRIES => {
                tries += 1;
                std::thread::sleep(SHARING_PAUSE);
            }
            other => return other,
        }
    }
}
