//! Which lines of a block are wanted.

use std::borrow::Cow;
use std::ops::Range;

use regex_automata::Input;
use regex_automata::meta::{Cache, Regex};

use super::code_page::HAS_CODE_PAGE;
use super::text::{line_text, text_of};
use super::{pattern, required};
use crate::error::Result;

/// One wrong candidate in so many bytes: then nearly each line is searched twice, and searching once costs less.
const MIN_BYTES_PER_WRONG_CANDIDATE: usize = 256;

/// A regular expression that is asked of each line, and what its answer means.
pub(super) struct LineFilter {
    exact: Searcher,
    /// The exact one finds the same lines in the bytes of the file as in their text.
    exact_reads_bytes: bool,
    /// A text that each matching line holds.
    required: Option<Searcher>,
    /// Finds all matching lines and maybe more; for text that the exact one is slow at.
    beyond_ascii: Option<Searcher>,
    exclude: bool,
}

struct Searcher {
    regex: Regex,
    cache: Cache,
}

impl LineFilter {
    /// Keeps the lines that the pattern matches or, with `exclude`, the others.
    ///
    /// Errors: [`BadPattern`](crate::ErrorKind::BadPattern) with the reason.
    pub(super) fn new(pattern: &str, exclude: bool) -> Result<Self> {
        let hir = pattern::parse(pattern)?;
        let searcher = |hir| pattern::compile(pattern, &hir).map(Searcher::new);
        Ok(Self {
            exact_reads_bytes: required::means_the_same_in_bytes(&hir),
            required: required::required_text(&hir).map(searcher).transpose()?,
            beyond_ascii: pattern::without_word_boundaries(&hir).map(searcher).transpose()?,
            exact: searcher(hir)?,
            exclude,
        })
    }

    /// The wanted lines of a block, as ranges of adjacent ones; `spans` is emptied first. The ranges are those of the
    /// returned bytes, which are the block or its text: making the text of lines that nobody wants costs more than
    /// searching them.
    pub(super) fn select<'a>(&mut self, block: &'a mut [u8], spans: &mut Vec<Range<usize>>) -> Cow<'a, [u8]> {
        spans.clear();
        let searched = self.search(block, spans);
        if self.exclude {
            complement(spans, searched.len());
        }
        searched
    }

    fn search<'a>(&mut self, block: &'a mut [u8], spans: &mut Vec<Range<usize>>) -> Cow<'a, [u8]> {
        let exact = &mut self.exact;
        if let Some(required) = &mut self.required {
            let wrong = matching_lines(required, block, spans, |line| exact.matches(&line_text(line)));
            if wrong > block.len() / MIN_BYTES_PER_WRONG_CANDIDATE {
                self.required = None;
            }
            return Cow::Borrowed(block);
        }
        if self.exact_reads_bytes && bytes_are_text(block, HAS_CODE_PAGE) {
            matching_lines(exact, block, spans, |_| true);
            return Cow::Borrowed(block);
        }
        let text = text_of(block);
        match &mut self.beyond_ascii {
            Some(rough) if !text.is_ascii() => {
                matching_lines(rough, &text, spans, |line| exact.matches(&line_text(line)))
            }
            _ => matching_lines(exact, &text, spans, |_| true),
        };
        text
    }
}

/// Whether the bytes of a block that are no text of UTF-8 are no text at all. With a code page they are: `ü` of a pattern is
/// another byte in them, and a byte that looks like a letter may be the second half of a character.
fn bytes_are_text(block: &[u8], has_code_page: bool) -> bool {
    !has_code_page || std::str::from_utf8(block).is_ok()
}

impl Searcher {
    fn new(regex: Regex) -> Self {
        let cache = regex.create_cache();
        Self { regex, cache }
    }

    fn matches(&mut self, line: &[u8]) -> bool {
        self.first_end(line, 0).is_some()
    }

    /// Where the first match from `start` on is known to be one. Its start costs a second search and is not needed.
    fn first_end(&mut self, text: &[u8], start: usize) -> Option<usize> {
        let input = Input::new(text).range(start..).earliest(true);
        self.regex.search_half_with(&mut self.cache, &input).map(|half| half.offset())
    }
}

/// Searches the block for a match, then for its line, then goes on behind that line. So a line without match costs
/// nothing but its bytes, and each byte is looked at once. Gives the number of lines that `confirm` refused.
fn matching_lines(
    searcher: &mut Searcher,
    text: &[u8],
    spans: &mut Vec<Range<usize>>,
    mut confirm: impl FnMut(&[u8]) -> bool,
) -> usize {
    let (mut at, mut refused) = (0, 0);
    while at < text.len() {
        // No match holds a newline, so its end lies in its line or at the newline that ends the line.
        let Some(match_end) = searcher.first_end(text, at) else { break };
        if match_end == text.len() && text.ends_with(b"\n") {
            // An empty match behind the last line.
            break;
        }
        let start = memchr::memrchr(b'\n', &text[at..match_end]).map_or(at, |newline| at + newline + 1);
        at = memchr::memchr(b'\n', &text[match_end..]).map_or(text.len(), |newline| match_end + newline + 1);
        if !confirm(&text[start..at]) {
            refused += 1;
            continue;
        }
        match spans.last_mut() {
            Some(last) if last.end == start => last.end = at,
            _ => spans.push(start..at),
        }
    }
    refused
}

/// The ranges between the given ones.
fn complement(spans: &mut Vec<Range<usize>>, length: usize) {
    let mut from = 0;
    for span in spans.iter_mut() {
        let gap = from..span.start;
        from = span.end;
        *span = gap;
    }
    spans.push(from..length);
    spans.retain(|span| !span.is_empty());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_misses_a_word_that_was_printed_in_a_code_page() {
        let (german_850, japanese_932) = (b"f\x81r alle\n", b"\x83\x5c\n");
        for block in [&german_850[..], japanese_932] {
            assert!(!bytes_are_text(block, true));
            assert!(bytes_are_text(block, false));
        }
        assert!(bytes_are_text("f\u{fc}r alle\n".as_bytes(), true));
    }
}
