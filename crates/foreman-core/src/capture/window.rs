//! The first and the last bytes of a stream, in bounded memory.

use crate::outcome::StreamWindow;

/// Keeps `half` bytes of the start and `half` bytes of the end of whatever is pushed, and counts all of it.
#[derive(Debug)]
pub struct Window {
    half: usize,
    head: Vec<u8>,
    /// A ring once it is full; `ring_start` is its oldest byte.
    tail: Vec<u8>,
    ring_start: usize,
    total_bytes: u64,
    total_lines: u64,
}

impl Window {
    /// An empty window. Memory is taken as it fills.
    pub const fn new(half: usize) -> Self {
        Self { half, head: Vec::new(), tail: Vec::new(), ring_start: 0, total_bytes: 0, total_lines: 0 }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total_bytes += bytes.len() as u64;
        self.total_lines += bytecount::count(bytes, b'\n') as u64;
        let to_head = bytes.len().min(self.half - self.head.len());
        self.head.extend_from_slice(&bytes[..to_head]);
        self.push_tail(&bytes[to_head..]);
    }

    fn push_tail(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.half)..];
        if bytes.len() == self.half {
            self.tail.clear();
            self.ring_start = 0;
        }
        let to_grow = bytes.len().min(self.half - self.tail.len());
        self.tail.extend_from_slice(&bytes[..to_grow]);
        let mut rest = &bytes[to_grow..];
        while !rest.is_empty() {
            let n = rest.len().min(self.half - self.ring_start);
            self.tail[self.ring_start..self.ring_start + n].copy_from_slice(&rest[..n]);
            self.ring_start = (self.ring_start + n) % self.half;
            rest = &rest[n..];
        }
    }

    /// A copy of what is kept.
    pub fn snapshot(&self) -> StreamWindow {
        let (newer, older) = self.tail.split_at(self.ring_start);
        StreamWindow {
            head: self.head.clone(),
            tail: [older, newer].concat(),
            total_bytes: self.total_bytes,
            total_lines: self.total_lines,
        }
    }

    /// Bytes pushed so far.
    pub const fn total_bytes(&self) -> u64 {
        self.total_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pushes `text` in chunks of `chunk` bytes.
    fn window_of(text: &[u8], half: usize, chunk: usize) -> StreamWindow {
        let mut window = Window::new(half);
        for part in text.chunks(chunk) {
            window.push(part);
        }
        window.snapshot()
    }

    #[test]
    fn head_and_tail_are_exact_whatever_the_chunks() {
        let text: Vec<u8> = (0..=255).cycle().take(1_000).collect();
        for half in [1, 7, 64, 499, 500, 501, 2_000] {
            for chunk in [1, 3, 63, 64, 65, 500, 1_000] {
                for length in [0, 1, half.min(1_000), (2 * half).min(1_000), 1_000] {
                    let text = &text[..length];
                    let got = window_of(text, half, chunk);
                    let head = &text[..length.min(half)];
                    let rest = &text[head.len()..];
                    assert_eq!(got.head, head, "half {half}, chunk {chunk}, length {length}");
                    assert_eq!(got.tail, &rest[rest.len().saturating_sub(half)..], "half {half}, chunk {chunk}");
                    assert_eq!(got.total_bytes, length as u64);
                }
            }
        }
    }

    #[test]
    fn lines_are_counted_where_the_bytes_are_not_kept() {
        assert_eq!(window_of(&b"a\n".repeat(1_000), 8, 5).total_lines, 1_000);
    }
}
