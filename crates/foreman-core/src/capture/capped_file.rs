//! A file with a byte budget that never fails its writer.

use std::fs::File;
use std::io::{self, Write};

use crate::limits::CAP_MARKER;
use crate::outcome::CaptureError;

/// An append-only file that takes `cap` bytes, then one marker line, then nothing. Trouble is remembered, not returned.
#[derive(Debug)]
pub struct CappedFile {
    file: Option<File>,
    path: String,
    budget_left: u64,
    capped: bool,
    written: u64,
    error: Option<CaptureError>,
}

impl CappedFile {
    /// Takes over an empty file that was opened for appending.
    pub const fn new(file: File, path: String, cap_bytes: u64) -> Self {
        Self { file: Some(file), path, budget_left: cap_bytes, capped: false, written: 0, error: None }
    }

    /// A file that could not be made: everything is lost, and counted.
    pub const fn missing(error: CaptureError) -> Self {
        Self { file: None, path: String::new(), budget_left: u64::MAX, capped: false, written: 0, error: Some(error) }
    }

    /// Appends what fits; drops the rest once the cap is reached. What the system refuses is lost, and takes up no room.
    pub fn write(&mut self, bytes: &[u8]) {
        let fits = bytes.len().min(usize::try_from(self.budget_left).unwrap_or(usize::MAX));
        let appended = self.append(&bytes[..fits]);
        self.budget_left -= appended as u64;
        if self.budget_left > 0 {
            self.lose(bytes.len() - appended);
        } else if appended < bytes.len() && !self.capped {
            self.capped = true;
            self.append(CAP_MARKER);
        }
    }

    /// The first trouble, with all that was lost since. Also looks whether the file still has a name.
    pub fn error(&self) -> Option<CaptureError> {
        if let Some(error) = &self.error {
            return Some(error.clone());
        }
        if self.written > 0 && self.file.as_ref().is_some_and(|file| has_no_name(file, &self.path)) {
            return Some(CaptureError { code: "ENOENT".into(), path: self.path.clone(), bytes_lost: self.written });
        }
        None
    }

    /// How many bytes the system took.
    fn append(&mut self, bytes: &[u8]) -> usize {
        let Some(file) = &mut self.file else { return 0 };
        let mut appended = 0;
        while appended < bytes.len() {
            match file.write(&bytes[appended..]) {
                Ok(n) if n > 0 => {
                    self.written += n as u64;
                    appended += n;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                refused => {
                    let e = refused.err().unwrap_or_else(|| io::ErrorKind::WriteZero.into());
                    let error = &mut self.error;
                    error.get_or_insert_with(|| CaptureError {
                        code: errno_name(&e),
                        path: self.path.clone(),
                        bytes_lost: 0,
                    });
                    // Space can come back; nothing else does.
                    if !matches!(e.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
                        self.file = None;
                    }
                    return appended;
                }
            }
        }
        appended
    }

    fn lose(&mut self, bytes: usize) {
        if let Some(error) = &mut self.error {
            error.bytes_lost += bytes as u64;
        }
    }
}

#[cfg(unix)]
fn has_no_name(file: &File, _: &str) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    file.metadata().is_ok_and(|m| m.nlink() == 0)
}

#[cfg(windows)]
use super::output_folder::has_no_name;

/// The symbolic name of an operating system error, as people search for it.
pub(crate) fn errno_name(error: &io::Error) -> String {
    let name = match error.kind() {
        io::ErrorKind::StorageFull => "ENOSPC",
        io::ErrorKind::QuotaExceeded => "EDQUOT",
        io::ErrorKind::FileTooLarge => "EFBIG",
        io::ErrorKind::ReadOnlyFilesystem => "EROFS",
        io::ErrorKind::PermissionDenied => "EACCES",
        io::ErrorKind::NotFound => "ENOENT",
        io::ErrorKind::AlreadyExists => "EEXIST",
        io::ErrorKind::NotADirectory => "ENOTDIR",
        _ => return error.raw_os_error().map_or_else(|| error.kind().to_string(), |n| format!("errno {n}")),
    };
    name.into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn capped(cap: u64) -> (tempfile::TempDir, std::path::PathBuf, CappedFile) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.output");
        let file = CappedFile::new(File::create_new(&path).unwrap(), path.display().to_string(), cap);
        (dir, path, file)
    }

    // faults: log-fills-disk
    #[test]
    fn the_byte_over_the_cap_is_not_written_and_the_marker_comes_once() {
        let (_dir, path, mut file) = capped(10);
        for part in [&b"12345"[..], b"67890", b"x", b"y"] {
            file.write(part);
        }
        assert_eq!(fs::read(path).unwrap(), [b"1234567890", CAP_MARKER].concat());
        assert_eq!(file.error(), None);
    }

    #[test]
    fn a_file_that_is_filled_exactly_gets_no_marker() {
        let (_dir, path, mut file) = capped(4);
        file.write(b"1234");
        assert_eq!(fs::read(path).unwrap(), b"1234");
    }

    // faults: log-write-error-crashes-host, empty-output-on-capture-fault
    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_told_with_every_byte_that_it_cost() {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut file = CappedFile::new(full, "/dev/full".into(), 1_000);
        file.write(b"12345");
        file.write(b"678");
        let error = file.error().unwrap();
        assert_eq!((error.code.as_str(), error.bytes_lost), ("ENOSPC", 8));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_log_is_called_full_by_bytes_that_a_full_disk_refused() {
        let (_dir, path, mut file) = capped(10);
        let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        file.write(b"1234");
        let room = file.file.replace(full());
        file.write(b"lost lost lost");
        let full = std::mem::replace(&mut file.file, room);
        file.write(b"567890");
        assert_eq!(fs::read(&path).unwrap(), b"1234567890");
        // The marker is ours, and no loss.
        let room = std::mem::replace(&mut file.file, full);
        file.write(b"over");
        file.file = room;
        assert_eq!(file.error().unwrap().bytes_lost, 14);
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_was_removed_is_told() {
        let (_dir, path, mut file) = capped(100);
        file.write(b"123");
        fs::remove_file(path).unwrap();
        assert_eq!(file.error().map(|e| (e.code, e.bytes_lost)), Some(("ENOENT".into(), 3)));
    }
}
