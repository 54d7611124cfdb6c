//! What is new in an output file.

use std::path::Path;

use super::blocks::LineBlocks;
use super::excerpt::Excerpt;
use super::filter::LineFilter;
use super::open::{open_output, unreadable};
use crate::error::{Error, ErrorKind, Result};

/// What one read gives back unless told otherwise: as much as one row of a result for a model holds.
pub const DEFAULT_READ_BYTES: usize = 16 * 1024;

/// What to read and how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOptions<'a> {
    /// A regular expression; lines that it does not match are passed over. Absent: all lines are wanted.
    pub filter: Option<&'a str>,
    /// Lines that the filter matches are passed over instead.
    pub exclude: bool,
    /// Bounds the returned lines, each counted with one byte for its end.
    pub max_bytes: usize,
    /// The run has ended: a last line without newline counts.
    pub is_final: bool,
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        Self { filter: None, exclude: false, max_bytes: DEFAULT_READ_BYTES, is_final: false }
    }
}

/// New lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadResult {
    /// Wanted lines without their ends: all, or the first and the last ones.
    pub lines: Vec<String>,
    /// Where the next read should start, in bytes of the file.
    pub cursor: u64,
    /// Wanted lines that are missing because of `max_bytes`.
    pub omitted_lines: u64,
    /// How many of `lines` come before the missing ones.
    pub lines_before_gap: usize,
}

/// The complete lines of a file from `cursor` on, and the next cursor.
///
/// Each line is given once: the next cursor is behind the last complete line, whether or not it was wanted or fitted. A
/// last line without newline is held until its newline comes or `is_final` is set. `\n` and `\r\n` are line ends; a `\r`
/// elsewhere is a character like others. The filter sees the line as it would be returned, and never more than one line:
/// `\s` or `[^x]` does not reach into the next, and `^`, `$`, `\A`, `\z` mean the start and the end of the line.
///
/// A line that is alone too long for `max_bytes` is cut in its middle. One of more than 8 MiB comes in pieces of that size,
/// each treated as a line. A cursor behind the end of the file means that the file was emptied: reading starts again at 0.
///
/// Time is linear in the bytes read, for each pattern. Memory is bounded by `max_bytes` and a buffer for one line.
///
/// Errors: [`BadPattern`](ErrorKind::BadPattern) with the reason, [`BadRequest`](ErrorKind::BadRequest) for `exclude`
/// without filter, [`OutputUnreadable`](ErrorKind::OutputUnreadable) when the path is missing, a link or no regular file.
/// None of them moves a cursor.
pub fn read(path: &Path, cursor: u64, options: &ReadOptions<'_>) -> Result<ReadResult> {
    let mut filter = match options.filter {
        Some(pattern) => Some(LineFilter::new(pattern, options.exclude)?),
        None if options.exclude => {
            return Err(Error::new(
                ErrorKind::BadRequest,
                "exclude lines without a filter: give the pattern to exclude",
            ));
        }
        None => None,
    };

    let (file, size) = open_output(path)?;
    let start = if cursor > size { 0 } else { cursor };
    let mut blocks = LineBlocks::new(file, start, size, options.is_final).map_err(|source| unreadable(path, source))?;
    let mut excerpt = Excerpt::new(options.max_bytes);
    let mut spans = Vec::new();
    while let Some(block) = blocks.next_block().map_err(|source| unreadable(path, source))? {
        match &mut filter {
            Some(filter) => {
                let text = filter.select(block, &mut spans);
                excerpt.add(&text, &spans);
            }
            None => excerpt.add(block, std::slice::from_ref(&(0..block.len()))),
        }
    }

    let cursor = blocks.cursor();
    let (lines, lines_before_gap, omitted_lines) = excerpt.into_parts();
    Ok(ReadResult { lines, cursor, omitted_lines, lines_before_gap })
}
