//! Where a text may be cut without cutting a character.

/// The last place at or before `at` where a character starts.
pub(super) fn boundary_before(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The first place at or after `at` where a character starts.
pub(super) fn boundary_from(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// Bytes at the start that may belong to a character which began earlier.
pub(super) fn leading_continuation_bytes(bytes: &[u8]) -> usize {
    bytes.iter().take(3).take_while(|byte| is_continuation(**byte)).count()
}

/// Bytes at the end that are the start of a character and nothing else; bytes that can never be one are not counted.
pub(super) fn unfinished_character_bytes(bytes: &[u8]) -> usize {
    let start = bytes.len().saturating_sub(3);
    let Some(lead) = bytes[start..].iter().rposition(|byte| !is_continuation(*byte)) else { return 0 };
    let character = &bytes[start + lead..];
    match std::str::from_utf8(character) {
        // Too short, and not wrong so far.
        Err(error) if error.error_len().is_none() => character.len(),
        _ => 0,
    }
}

const fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_start_of_a_character_counts_as_unfinished() {
        let (three, four) = ("ab\u{4f60}".as_bytes(), "a\u{1f600}".as_bytes());
        for (bytes, unfinished) in [
            (&b""[..], 0),
            (b"abc", 0),
            (three, 0),
            (&three[..4], 2),
            (&three[..3], 1),
            (four, 0),
            (&four[..4], 3),
            (b"a\xff", 0),
            (b"a\xe4\x28", 0),
            (b"\x80\x80\x80\x80", 0),
        ] {
            assert_eq!(unfinished_character_bytes(bytes), unfinished, "{bytes:?}");
        }
    }

    #[test]
    fn a_cut_moves_to_the_nearest_character() {
        let text = "a\u{4f60}b";
        let moved: Vec<_> = (0..=text.len()).map(|at| (boundary_before(text, at), boundary_from(text, at))).collect();
        assert_eq!(moved, [(0, 0), (1, 1), (1, 4), (1, 4), (4, 4), (5, 5)]);
    }
}
