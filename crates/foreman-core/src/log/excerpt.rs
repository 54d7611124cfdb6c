//! Which lines are kept when there are more than the caller can take: the first and the last ones.

use std::collections::VecDeque;
use std::ops::Range;

use super::characters::{boundary_before, boundary_from};
use super::text::line_text;

/// Below this a line is left out rather than cut: the mark would be most of what is left of it.
const MIN_CUT_LINE_BYTES: usize = 128;

/// The first and last lines of a stream of lines, within a budget.
///
/// The first lines get at most half of it, the last ones the rest. A line costs its bytes and one for its end. What is
/// kept does not depend on how the stream was cut into blocks.
pub(super) struct Excerpt {
    budget: usize,
    head: Vec<String>,
    head_bytes: usize,
    head_is_open: bool,
    tail: VecDeque<String>,
    tail_bytes: usize,
    omitted: u64,
}

impl Excerpt {
    /// An empty one that may grow to `budget` bytes.
    pub(super) const fn new(budget: usize) -> Self {
        Self {
            budget,
            head: Vec::new(),
            head_bytes: 0,
            head_is_open: true,
            tail: VecDeque::new(),
            tail_bytes: 0,
            omitted: 0,
        }
    }

    /// Adds the lines of a block that lie in the given ranges.
    pub(super) fn add(&mut self, text: &[u8], spans: &[Range<usize>]) {
        let mut rest = spans.iter().cloned();
        if self.head_is_open {
            while let Some(span) = rest.next() {
                let left = self.add_to_head(text, span);
                if !left.is_empty() {
                    self.add_to_tail(text, std::iter::once(left).chain(rest));
                    return;
                }
            }
            return;
        }
        self.add_to_tail(text, rest);
    }

    /// All kept lines, how many of them come before the gap, and how many lines are missing there.
    pub(super) fn into_parts(self) -> (Vec<String>, usize, u64) {
        let mut lines = self.head;
        let before_gap = lines.len();
        lines.extend(self.tail);
        (lines, before_gap, self.omitted)
    }

    /// Takes lines while they fit and gives what is left of the range.
    fn add_to_head(&mut self, text: &[u8], span: Range<usize>) -> Range<usize> {
        let mut start = span.start;
        while start < span.end {
            let end = memchr::memchr(b'\n', &text[start..span.end]).map_or(span.end, |at| start + at + 1);
            let line = line_text(&text[start..end]);
            if self.head_bytes + line.len() + 1 > self.budget / 2 {
                self.head_is_open = false;
                break;
            }
            self.head_bytes += line.len() + 1;
            self.head.push(string_of(&line));
            start = end;
        }
        start..span.end
    }

    /// Takes lines from the last one back while they fit, and only counts the others: of a big block nearly all of them
    /// would be made a string to be dropped at once.
    fn add_to_tail(&mut self, text: &[u8], spans: impl DoubleEndedIterator<Item = Range<usize>>) {
        let tail_budget = self.budget - self.head_bytes;
        let mut fresh: Vec<String> = Vec::new();
        let mut fresh_bytes = 0;
        let mut is_full = false;
        for span in spans.rev() {
            let mut end = span.end;
            while !is_full && end > span.start {
                let before_newline = end - usize::from(text[end - 1] == b'\n');
                let start = memchr::memrchr(b'\n', &text[span.start..before_newline])
                    .map_or(span.start, |at| span.start + at + 1);
                let line = line_text(&text[start..end]);
                if fresh_bytes + line.len() < tail_budget {
                    fresh_bytes += line.len() + 1;
                    fresh.push(string_of(&line));
                    end = start;
                } else {
                    is_full = true;
                    if fresh.is_empty()
                        && let Some(cut) = cut_line(&line, tail_budget)
                    {
                        fresh_bytes = tail_budget;
                        fresh.push(cut);
                        end = start;
                    }
                }
            }
            self.omitted += count_lines(&text[span.start..end]);
        }

        // When not even this block fitted, all that came earlier is in the gap.
        while let Some(oldest) = self.tail.front() {
            if !is_full && self.tail_bytes + fresh_bytes <= tail_budget {
                break;
            }
            // A cut line was the only one and filled the budget, whatever is left of it.
            self.tail_bytes = self.tail_bytes.saturating_sub(oldest.len() + 1);
            self.tail.pop_front();
            self.omitted += 1;
        }
        if self.tail.is_empty() {
            self.tail_bytes = 0;
        }
        self.tail_bytes += fresh_bytes;
        self.tail.extend(fresh.into_iter().rev());
    }
}

/// Start and end of a line that is longer than what there is room for.
fn cut_line(line: &[u8], budget: usize) -> Option<String> {
    if budget < MIN_CUT_LINE_BYTES {
        return None;
    }
    let line = String::from_utf8_lossy(line);
    let room = budget - MIN_CUT_LINE_BYTES / 2;
    let head = &line[..boundary_before(&line, room / 2)];
    let tail = &line[boundary_from(&line, line.len() - room / 2)..];
    let left_out = line.len() - head.len() - tail.len();
    Some(format!("{head}[... {left_out} bytes of this line left out ...]{tail}"))
}

fn count_lines(text: &[u8]) -> u64 {
    let last_without_newline = usize::from(text.last().is_some_and(|byte| *byte != b'\n'));
    (bytecount::count(text, b'\n') + last_without_newline) as u64
}

/// What [`line_text`] gives is UTF-8 already.
fn string_of(line: &[u8]) -> String {
    match std::str::from_utf8(line) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(line).into_owned(),
    }
}
