//! How an output file is opened for reading.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};

/// Opens a regular file and gives its size at this moment.
///
/// A link in the place of the file is refused: whoever can write to the folder could point it at any file of ours. So is
/// a pipe or a device, which could block the reader for ever.
pub(super) fn open_output(path: &Path) -> Result<(File, u64)> {
    let file = no_follow().open(path).map_err(|source| unreadable(path, source))?;
    let metadata = file.metadata().map_err(|source| unreadable(path, source))?;
    if !metadata.is_file() {
        return Err(Error::new(
            ErrorKind::OutputUnreadable,
            format!("read the output file {}: it is not a regular file", path.display()),
        ));
    }
    Ok((file, metadata.len()))
}

/// The error of everything that goes wrong with an output file.
pub(super) fn unreadable(path: &Path, source: io::Error) -> Error {
    Error::io(ErrorKind::OutputUnreadable, format!("read the output file {}", path.display()), source)
}

#[cfg(unix)]
fn no_follow() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;

    let mut options = OpenOptions::new();
    // O_NONBLOCK: opening a named pipe would otherwise wait for a writer. It changes nothing for a regular file.
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY);
    options
}

#[cfg(windows)]
fn no_follow() -> OpenOptions {
    use std::os::windows::fs::OpenOptionsExt;

    /// Opens a link itself, which then is no regular file (CreateFileW, dwFlagsAndAttributes).
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;

    let mut options = OpenOptions::new();
    options.read(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    options
}
