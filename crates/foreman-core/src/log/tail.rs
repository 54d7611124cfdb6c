//! The end of an output file.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::characters::{boundary_from, leading_continuation_bytes, unfinished_character_bytes};
use super::open::{open_output, unreadable};
use super::to_utf8;
use crate::error::Result;

/// Bounds the memory of one tail. Far above anything that fits into a result for a model.
pub const MAX_TAIL_BYTES: usize = 64 * 1024 * 1024;

/// The end of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    /// The last bytes as text; at most as many as were asked for, counted in UTF-8.
    pub text: String,
    /// Size of the whole file.
    pub total_bytes: u64,
    /// The text starts at the start of a line.
    pub from_line_start: bool,
}

/// The last `max_bytes` of a file as text.
///
/// The text starts at a line when that costs at most half of what could be shown, and at a character otherwise. A
/// character whose last bytes are not written yet is left out. Other bytes that are no UTF-8 become U+FFFD; as that is
/// longer than what it stands for, less of such a file fits.
///
/// Units: `max_bytes` in bytes, at most [`MAX_TAIL_BYTES`].
///
/// Errors: [`OutputUnreadable`](crate::ErrorKind::OutputUnreadable) when the path is missing, a link or no regular file.
pub fn tail(path: &Path, max_bytes: usize) -> Result<Tail> {
    let max_bytes = max_bytes.min(MAX_TAIL_BYTES);
    let (mut file, total_bytes) = open_output(path)?;

    // One byte more tells whether the cut is at a line; three more make a cut character whole or known to be cut.
    let wanted = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(4).min(total_bytes);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(total_bytes - wanted)).map_err(|source| unreadable(path, source))?;
    file.take(wanted).read_to_end(&mut bytes).map_err(|source| unreadable(path, source))?;

    let reaches_file_start = wanted == total_bytes;
    let first = if reaches_file_start { 0 } else { leading_continuation_bytes(&bytes) };
    let end = bytes.len() - unfinished_character_bytes(&bytes);
    let text = to_utf8(bytes.get(first..end).unwrap_or_default());
    let text = String::from_utf8_lossy(&text);

    let start = cut_point(&text, max_bytes);
    let from_line_start = match start {
        0 => reaches_file_start,
        _ => text.as_bytes()[start - 1] == b'\n',
    };
    Ok(Tail { text: text[start..].to_owned(), total_bytes, from_line_start })
}

/// Where a text must start so that at most `max_bytes` of it are left.
fn cut_point(text: &str, max_bytes: usize) -> usize {
    if text.len() <= max_bytes {
        return 0;
    }
    let at_character = boundary_from(text, text.len() - max_bytes);
    if text.as_bytes()[at_character - 1] == b'\n' {
        return at_character;
    }
    let half = at_character + (text.len() - at_character) / 2;
    match memchr::memchr(b'\n', &text.as_bytes()[at_character..half]) {
        Some(newline) => at_character + newline + 1,
        None => at_character,
    }
}
