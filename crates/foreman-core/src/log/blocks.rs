//! How a file becomes blocks of whole lines.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::characters::unfinished_character_bytes;

/// Size of a usual block. Small enough to stay in the second-level cache while it is searched several times, large enough
/// that system calls do not count.
pub(super) const BLOCK_BYTES: usize = 128 * 1024;

/// Bounds the buffer. A longer line comes in pieces of at most this size, each as if it were a line: holding it until its
/// end would take as much memory as the line is long, and reading it again at each look as much time.
pub(super) const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// The lines of a part of a file, a block at a time.
pub(super) struct LineBlocks {
    file: File,
    /// Bytes of the part that were not read yet.
    unread_bytes: u64,
    buffer: Vec<u8>,
    /// End of what was read into the buffer.
    filled: usize,
    /// End of the block that was given out last; what follows it in the buffer is the start of the next one.
    given: usize,
    /// Whether a last line without newline counts.
    is_final: bool,
    cursor: u64,
}

impl LineBlocks {
    /// The lines from `cursor` on, as the file is now: `size` bytes long.
    pub(super) fn new(mut file: File, cursor: u64, size: u64, is_final: bool) -> io::Result<Self> {
        file.seek(SeekFrom::Start(cursor))?;
        let unread_bytes = size - cursor;
        let first = usize::try_from(unread_bytes).unwrap_or(BLOCK_BYTES).clamp(1, BLOCK_BYTES);
        Ok(Self { file, unread_bytes, buffer: vec![0; first], filled: 0, given: 0, is_final, cursor })
    }

    /// Where the next look should start: after the last block that was given out.
    pub(super) const fn cursor(&self) -> u64 {
        self.cursor
    }

    /// The next lines, each with its end; only a last line or a piece of a long one has none.
    pub(super) fn next_block(&mut self) -> io::Result<Option<&mut [u8]>> {
        self.buffer.copy_within(self.given..self.filled, 0);
        self.filled -= self.given;
        self.given = 0;

        let Some(end) = self.fill()? else { return Ok(None) };
        self.given = end;
        self.cursor += end as u64;
        Ok(Some(&mut self.buffer[..end]))
    }

    /// Reads until the buffer holds the end of a line, and tells where the last one is.
    fn fill(&mut self) -> io::Result<Option<usize>> {
        loop {
            if self.filled == self.buffer.len() {
                if self.filled >= MAX_LINE_BYTES {
                    return Ok(Some(self.filled - unfinished_character_bytes(&self.buffer)));
                }
                self.buffer.resize((self.filled * 2).clamp(BLOCK_BYTES, MAX_LINE_BYTES), 0);
            }
            let room = u64::try_from(self.buffer.len() - self.filled).unwrap_or(u64::MAX).min(self.unread_bytes);
            let read_bytes = self.read_some(room as usize)?;
            if read_bytes == 0 {
                return Ok((self.is_final && self.filled > 0).then_some(self.filled));
            }
            let fresh = &self.buffer[self.filled..self.filled + read_bytes];
            let newline = memchr::memrchr(b'\n', fresh).map(|at| self.filled + at + 1);
            self.filled += read_bytes;
            if newline.is_some() {
                return Ok(newline);
            }
        }
    }

    fn read_some(&mut self, room: usize) -> io::Result<usize> {
        if room == 0 {
            return Ok(0);
        }
        loop {
            match self.file.read(&mut self.buffer[self.filled..self.filled + room]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(read_bytes) => {
                    // Nothing, though the file was longer: it was cut meanwhile. What is there is what there is.
                    self.unread_bytes = if read_bytes == 0 { 0 } else { self.unread_bytes - read_bytes as u64 };
                    return Ok(read_bytes);
                }
            }
        }
    }
}
