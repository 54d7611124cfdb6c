//! What the bytes of a file mean as text: one rule for the filter and for what is returned.
//!
//! Bytes that are no UTF-8 become U+FFFD, and carriage returns before a newline belong to the line end (two of them come
//! from programs that translate line ends twice). Neither changes the number of lines.

use std::borrow::Cow;

use super::to_utf8;

/// A block of lines as text, changed in place where it can be.
pub(super) fn text_of(block: &mut [u8]) -> Cow<'_, [u8]> {
    let length = fold_line_ends(block);
    to_utf8(&block[..length])
}

/// One line as text, without its end.
pub(super) fn line_text(line: &[u8]) -> Cow<'_, [u8]> {
    let Some(mut line) = line.strip_suffix(b"\n") else { return to_utf8(line) };
    while let Some(shorter) = line.strip_suffix(b"\r") {
        line = shorter;
    }
    to_utf8(line)
}

/// Drops the carriage returns before each newline and gives the new length.
fn fold_line_ends(bytes: &mut [u8]) -> usize {
    let (mut from, mut to) = (0, 0);
    while let Some(found) = memchr::memmem::find(&bytes[from..], b"\r\n") {
        let newline = from + found + 1;
        let mut end = newline;
        while end > from && bytes[end - 1] == b'\r' {
            end -= 1;
        }
        bytes.copy_within(from..end, to);
        to += end - from;
        from = newline;
    }
    if from == 0 {
        return bytes.len();
    }
    bytes.copy_within(from.., to);
    to + bytes.len() - from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_carriage_returns_before_a_newline_go() {
        for (raw, text) in [
            ("", ""),
            ("\n", "\n"),
            ("a\n", "a\n"),
            ("a\rb\n", "a\rb\n"),
            ("\r", "\r"),
            ("\n\r", "\n\r"),
            ("\n\r\n", "\n\n"),
            ("\r\n", "\n"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("\r\r\n\r\n\n", "\n\n\n"),
            ("a\r\n\r\nb\r", "a\n\nb\r"),
        ] {
            let mut block = raw.as_bytes().to_vec();
            assert_eq!(text_of(&mut block), text.as_bytes(), "{raw:?}");
            let lines: Vec<u8> =
                raw.split_inclusive('\n').flat_map(|line| line_text(line.as_bytes()).into_owned()).collect();
            assert_eq!(lines, text.replace('\n', "").as_bytes(), "{raw:?}");
        }
    }
}
