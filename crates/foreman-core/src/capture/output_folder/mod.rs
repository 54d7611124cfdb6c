//! The folder of all output: made if missing, and only used when it is ours all the way down.

#[cfg(windows)]
mod owner;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::OutputFolder;
#[cfg(unix)]
use unix::TEMPORARY;
#[cfg(unix)]
use unix::own_base;
#[cfg(windows)]
pub use windows::OutputFolder;
#[cfg(windows)]
use windows::TEMPORARY;
#[cfg(windows)]
pub(crate) use windows::has_no_name;
#[cfg(windows)]
use windows::own_base;

use crate::error::{Error, ErrorKind, Result};

/// The folders that may hold the output of this user: `base`, and the one that [`OutputFolder::open`] takes when `base` is
/// not ours. Neither has to be there.
pub fn output_bases(base: &str) -> [String; 2] {
    [base.to_owned(), own_base(base)]
}

impl OutputFolder {
    /// Opens `base/folders…`, making what is missing. When the base, or a folder on the way, is not ours or is a link,
    /// `base-<user>` is used in its place.
    ///
    /// # Errors
    /// `OUTPUT_UNWRITABLE`, naming the folder and what is wrong with it.
    pub fn open(base: &str, folders: &[&str]) -> Result<Self> {
        Self::open_with_base(base, folders).map(|(_, folder)| folder)
    }

    /// The base that was used, and the folder of [`Self::open`].
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with_base(base: &str, folders: &[&str]) -> Result<(Self, Self)> {
        Self::open_exactly(base, folders).or_else(|first| {
            let own = own_base(base);
            Self::open_exactly(&own, folders).map_err(|second| {
                Error::new(
                    ErrorKind::OutputUnwritable,
                    format!(
                        "no folder for output: {first}; {second}. Set {TEMPORARY} to a folder that you may write to"
                    ),
                )
            })
        })
    }
}
