//! Every step is taken from a handle of the folder above, never by path again, and follows no link: nobody can put
//! something else in place between the look and the use.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, RawMode};
use rustix::io::Errno;

use crate::error::{Error, ErrorKind, Result};

const FOLDER_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
const FOLDER_FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::RDONLY);

/// The variable that moves the folder of temporary files.
pub(super) const TEMPORARY: &str = "TMPDIR";

/// A folder that belongs to this user, is closed to all others, and is held by its handle.
#[derive(Debug)]
pub struct OutputFolder {
    handle: OwnedFd,
    path: String,
}

impl AsFd for OutputFolder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl OutputFolder {
    /// Opens `base` and the folders below it, making what is missing.
    pub(super) fn open_exactly(base: &str, folders: &[&str]) -> Result<(Self, Self)> {
        let base = Self { handle: open_ours(CWD, base, base)?, path: base.to_owned() };
        let mut folder = base.try_clone()?;
        for name in folders {
            folder = folder.open_below(name)?;
        }
        Ok((base, folder))
    }

    fn try_clone(&self) -> Result<Self> {
        let handle = self
            .handle
            .try_clone()
            .map_err(|e| Error::io(ErrorKind::OutputUnwritable, format!("cannot keep folder {} open", self.path), e))?;
        Ok(Self { handle, path: self.path.clone() })
    }

    /// Another folder below the same base, for what belongs to all sessions.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_below(&self, name: &str) -> Result<Self> {
        let path = format!("{}/{name}", self.path);
        Ok(Self { handle: open_ours(self.handle.as_fd(), name, &path)?, path })
    }

    /// Makes a new empty file for appending, readable by this user only.
    ///
    /// # Errors
    /// `OUTPUT_UNWRITABLE`; a name that exists already, even as a link to nowhere, is refused.
    pub fn create_file(&self, name: &str) -> Result<(File, String)> {
        let path = format!("{}/{name}", self.path);
        let flags =
            OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(&self.handle, name, flags, FILE_MODE)
            .map_err(|e| Error::io(ErrorKind::OutputUnwritable, format!("cannot make output file {path}"), e))?;
        Ok((handle.into(), path))
    }

    /// Opens a file of this folder for reading, following no link.
    pub(crate) fn open_file(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        Ok(rustix::fs::openat(&self.handle, name, flags, Mode::empty())?.into())
    }

    /// Time since a file of this folder was last written.
    pub(crate) fn age_of(&self, name: &str) -> Option<Duration> {
        self.open_file(name).ok()?.metadata().ok()?.modified().ok()?.elapsed().ok()
    }

    /// Makes sure that `name` is a link to `target`.
    pub(crate) fn ensure_link(&self, name: &str, target: &str) -> io::Result<()> {
        let is_there = || {
            rustix::fs::readlinkat(&self.handle, name, Vec::new())
                .is_ok_and(|found| found.as_bytes() == target.as_bytes())
        };
        if is_there() {
            return Ok(());
        }
        match rustix::fs::symlinkat(target, &self.handle, name) {
            // Another supervisor may have made it in the meantime.
            Err(Errno::EXIST) if is_there() => Ok(()),
            other => Ok(other?),
        }
    }

    /// Removes a file of this folder; one that is gone already is fine.
    pub(crate) fn remove_file(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Err(Errno::NOENT) => Ok(()),
            other => Ok(other?),
        }
    }

    /// Names of the plain files in this folder.
    pub(crate) fn file_names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().to_str()
                && entry.file_type() != FileType::Directory
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Absolute path.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// The per-user folder beside `base`.
pub(super) fn own_base(base: &str) -> String {
    format!("{base}-{}", rustix::process::geteuid().as_raw())
}

fn open_ours(above: impl AsFd, name: &str, path: &str) -> Result<OwnedFd> {
    let refuse = |what: String| Error::new(ErrorKind::OutputUnwritable, format!("{path} {what}"));
    let open = || rustix::fs::openat(&above, name, FOLDER_FLAGS, Mode::empty());
    let opened = match open() {
        Err(Errno::NOENT) => match rustix::fs::mkdirat(&above, name, FOLDER_MODE) {
            Ok(()) | Err(Errno::EXIST) => open(),
            Err(e) => return Err(Error::io(ErrorKind::OutputUnwritable, format!("cannot make folder {path}"), e)),
        },
        other => other,
    };
    let handle = opened.map_err(|e| match e {
        Errno::LOOP | Errno::NOTDIR => refuse("is not a folder, or is a link to one".into()),
        e => Error::io(ErrorKind::OutputUnwritable, format!("cannot open folder {path}"), e),
    })?;
    let stat = rustix::fs::fstat(&handle)
        .map_err(|e| Error::io(ErrorKind::OutputUnwritable, format!("cannot look at folder {path}"), e))?;
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(refuse(format!("belongs to user {}", stat.st_uid)));
    }
    let open_to_others = RawMode::try_from(stat.st_mode).unwrap_or_default() & 0o077 != 0;
    if open_to_others {
        rustix::fs::fchmod(&handle, FOLDER_MODE)
            .map_err(|e| Error::io(ErrorKind::OutputUnwritable, format!("cannot close folder {path} to others"), e))?;
    }
    Ok(handle)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &str) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    // faults: log-world-readable
    #[test]
    fn other_users_can_read_neither_folder_nor_file() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().join("base").display().to_string();
        fs::create_dir(&base).unwrap();
        fs::set_permissions(&base, fs::Permissions::from_mode(0o755)).unwrap();
        let folder = OutputFolder::open(&base, &["session", "tasks"]).unwrap();
        let (_file, path) = folder.create_file("x.output").unwrap();
        assert_eq!(path, format!("{base}/session/tasks/x.output"));
        assert_eq!((mode(&base), mode(folder.path()), mode(&path)), (0o700, 0o700, 0o600));
    }

    // faults: predictable-log-symlink
    #[test]
    fn a_link_in_place_of_the_base_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let victim = dir.path().join("victim");
        fs::create_dir(&victim).unwrap();
        let base = dir.path().join("base").display().to_string();
        symlink(&victim, &base).unwrap();
        let folder = OutputFolder::open(&base, &["s"]).unwrap();
        assert_eq!(folder.path(), format!("{}/s", own_base(&base)));
        assert_eq!(fs::read_dir(victim).unwrap().count(), 0);
    }

    #[test]
    fn a_link_on_the_way_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let victim = dir.path().join("victim");
        fs::create_dir(&victim).unwrap();
        let base = dir.path().join("base").display().to_string();
        fs::create_dir(&base).unwrap();
        symlink(&victim, format!("{base}/s")).unwrap();
        assert_eq!(OutputFolder::open(&base, &["s", "tasks"]).unwrap().path(), format!("{}/s/tasks", own_base(&base)));
        assert_eq!(fs::read_dir(victim).unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_exists_is_never_written_to() {
        let dir = tempfile::tempdir().unwrap();
        let folder = OutputFolder::open(&dir.path().join("base").display().to_string(), &[]).unwrap();
        let victim = dir.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        symlink(&victim, format!("{}/x.output", folder.path())).unwrap();
        let error = folder.create_file("x.output").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutputUnwritable);
        assert_eq!(fs::read_to_string(victim).unwrap(), "precious");
    }

    #[test]
    fn a_base_that_cannot_be_made_is_named_with_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let blocker = dir.path().join("file");
        fs::write(&blocker, "").unwrap();
        let error = OutputFolder::open(&blocker.join("base").display().to_string(), &[]).unwrap_err();
        assert!(error.to_string().contains("TMPDIR"), "{error}");
    }
}
