//! The end of a file, cut where a reader can start.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that is not as it says")]

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

use foreman_core::log::{Tail, tail};

fn tail_of(bytes: impl AsRef<[u8]>, max_bytes: usize) -> Tail {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.output");
    fs::write(&path, bytes).unwrap();
    tail(&path, max_bytes).unwrap()
}

#[test]
fn a_short_file_is_shown_whole() {
    for text in ["", "a", "a\n", "\n", "a\nb", "é\n"] {
        let got = tail_of(text, 100);
        assert_eq!(got, Tail { text: text.to_owned(), total_bytes: text.len() as u64, from_line_start: true });
        assert_eq!(tail_of(text, text.len()).text, text);
    }
}

#[test]
fn a_cut_starts_at_a_line_and_says_so() {
    let text: String = (0..1000).map(|n| format!("line {n}\n")).collect();
    for max_bytes in 20..200 {
        let got = tail_of(&text, max_bytes);
        assert!(text.ends_with(&got.text) && got.text.len() <= max_bytes && got.text.len() > max_bytes - 10);
        assert!(got.from_line_start && got.text.starts_with("line "), "{got:?}");
        assert_eq!(got.total_bytes, text.len() as u64);
    }
}

#[test]
fn a_long_last_line_is_not_dropped_for_the_sake_of_a_line_start() {
    let text = format!("{}\nok\n", "x".repeat(5000));
    let got = tail_of(&text, 1000);
    assert_eq!((got.text.len(), got.from_line_start), (1000, false));
    let got = tail_of(&text, 3);
    assert_eq!((got.text.as_str(), got.from_line_start), ("ok\n", true));
}

// faults.md utf8-cut-at-limit
#[test]
fn a_cut_never_falls_within_a_character() {
    for text in ["你".repeat(20_000), "é".repeat(20_000), "\u{1f600}".repeat(20_000)] {
        let width = text.chars().next().unwrap().len_utf8();
        for max_bytes in 29_990..30_000 {
            let got = tail_of(&text, max_bytes);
            assert!(!got.text.contains('\u{fffd}'));
            assert_eq!(got.text.len(), max_bytes - max_bytes % width);
            assert!(!got.from_line_start);
        }
    }
}

#[test]
fn a_character_that_is_still_being_written_is_left_out() {
    let text = "ok 你".as_bytes();
    assert_eq!(tail_of(&text[..4], 100).text, "ok ");
    assert_eq!(tail_of(&text[..5], 100).text, "ok ");
    assert_eq!(tail_of(text, 100).text, "ok 你");
}

// faults.md invalid-bytes-crash
#[test]
#[cfg_attr(windows, ignore = "there the bytes are text of the console's code page")]
fn binary_output_is_shown_within_the_limit() {
    let mut bytes = vec![0xff; 10_000];
    bytes.extend(b"ok\xff\xfe\0end");
    let got = tail_of(&bytes, 300);
    assert!(got.text.len() <= 300 && got.text.ends_with("ok\u{fffd}\u{fffd}\0end"), "{:?}", got.text);
    assert_eq!(tail_of([0x80; 50], 10).text.len(), 9);
}

#[test]
fn a_limit_of_nothing_gives_nothing() {
    for text in ["", "a\n", "abc", "é"] {
        assert_eq!(tail_of(text, 0).text, "");
    }
}

#[test]
fn the_tail_of_a_huge_file_costs_as_little_as_that_of_a_small_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.output");
    let mut file = File::create(&path).unwrap();
    // A hole: takes no disk, and would take seconds to read through.
    file.seek(SeekFrom::Start(1 << 40)).unwrap();
    file.write_all(b"\nFATAL\n").unwrap();
    let start = Instant::now();
    let got = tail(&path, 7).unwrap();
    assert_eq!((got.text.as_str(), got.from_line_start), ("FATAL\n", true));
    assert_eq!(got.total_bytes, (1 << 40) + 7);
    assert!(start.elapsed() < Duration::from_secs(2));
}
