//! New lines of a file come once each, whole, and the cursor says where to go on.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that is not as it says")]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use foreman_core::ErrorKind;
use foreman_core::log::{ReadOptions, ReadResult, read};
use tempfile::TempDir;

struct Log {
    path: PathBuf,
    _folder: TempDir,
}

impl Log {
    fn new(bytes: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.output");
        fs::write(&path, bytes).unwrap();
        Self { path, _folder: folder }
    }

    fn append(&self, bytes: impl AsRef<[u8]>) {
        OpenOptions::new().append(true).open(&self.path).unwrap().write_all(bytes.as_ref()).unwrap();
    }

    fn read(&self, cursor: u64, options: ReadOptions<'_>) -> ReadResult {
        read(&self.path, cursor, &options).unwrap()
    }
}

const FINAL: ReadOptions<'static> = ReadOptions { filter: None, exclude: false, max_bytes: 16 * 1024, is_final: true };

// faults.md filter-on-fragments
#[test]
fn an_excluded_line_does_not_leak_when_it_is_read_half_written() {
    let options = ReadOptions { filter: Some("^wait"), exclude: true, ..Default::default() };
    let log = Log::new("wait");
    let first = log.read(0, options);
    assert_eq!((first.lines.len(), first.cursor), (0, 0));
    log.append("…)\nOK\n");
    let second = log.read(first.cursor, options);
    assert_eq!(second.lines, ["OK"]);
    assert_eq!(log.read(second.cursor, options).lines.len(), 0);
}

#[test]
fn a_last_line_without_newline_comes_at_the_end_and_once() {
    let log = Log::new("one\ntwo");
    let first = log.read(0, ReadOptions::default());
    assert_eq!((first.lines, first.cursor), (vec!["one".to_owned()], 4));
    let last = log.read(4, FINAL);
    assert_eq!((last.lines, last.cursor), (vec!["two".to_owned()], 7));
    assert_eq!(log.read(7, FINAL).lines.len(), 0);
}

#[test]
fn an_empty_line_is_a_line_and_no_line_is_none() {
    assert_eq!(Log::new("\n\na\n\n").read(0, FINAL).lines, ["", "", "a", ""]);
    assert_eq!(Log::new("").read(0, FINAL).lines.len(), 0);
    assert_eq!(Log::new("a\n").read(0, FINAL).lines, ["a"]);
}

#[test]
fn a_windows_line_end_is_one_line_end_even_when_its_halves_come_apart() {
    let log = Log::new("a\r");
    assert_eq!(log.read(0, ReadOptions::default()).cursor, 0);
    log.append("\nb\rc\r\r\n");
    let got = log.read(0, ReadOptions::default());
    assert_eq!((got.lines, got.cursor), (vec!["a".to_owned(), "b\rc".to_owned()], 9));
}

// faults.md invalid-bytes-crash, encoding-locked-by-first-chunk
#[test]
#[cfg_attr(windows, ignore = "there the bytes are text of the console's code page")]
fn bytes_that_are_no_text_do_not_move_the_cursor_wrongly() {
    let log = Log::new(b"ascii\n\xc4\xe3\xba\xc3\nok\xff\xfe\0end\n");
    let got = log.read(0, ReadOptions::default());
    assert_eq!(got.lines, ["ascii", "\u{fffd}\u{fffd}\u{fffd}", "ok\u{fffd}\u{fffd}\0end"]);
    assert_eq!(got.cursor, fs::metadata(&log.path).unwrap().len());
    // A place in the bytes, not in the text: reading on from there misses and repeats nothing.
    log.append("next\n");
    assert_eq!(log.read(got.cursor, ReadOptions::default()).lines, ["next"]);
}

#[test]
fn a_character_written_in_two_parts_is_read_whole() {
    let text = "你好\n".as_bytes();
    for cut in 0..text.len() {
        let log = Log::new(&text[..cut]);
        let first = log.read(0, ReadOptions::default());
        assert_eq!((first.lines.len(), first.cursor), (0, 0));
        log.append(&text[cut..]);
        assert_eq!(log.read(0, ReadOptions::default()).lines, ["你好"]);
    }
}

#[test]
fn any_cut_of_the_writes_gives_the_same_lines() {
    let bytes: Vec<u8> =
        (0..100).flat_map(|n| format!("line {n} é{}", ["\n", "\r\n", "\n\n"][n % 3]).into_bytes()).collect();
    let whole = Log::new(&bytes).read(0, ReadOptions { max_bytes: 1 << 20, ..FINAL }).lines;
    for step in [1, 2, 3, 7, 64, 1000] {
        let log = Log::new("");
        let mut cursor = 0;
        let mut lines = Vec::new();
        for part in bytes.chunks(step) {
            log.append(part);
            let got = log.read(cursor, ReadOptions::default());
            lines.extend(got.lines);
            cursor = got.cursor;
        }
        lines.extend(log.read(cursor, FINAL).lines);
        assert_eq!(lines, whole, "written {step} bytes at a time");
    }
}

// faults.md tail-with-error-dropped
#[test]
fn the_error_at_the_end_of_long_output_is_there_and_the_missing_lines_are_counted() {
    let text: String = (1..=100_000).map(|n| format!("{n}\n")).chain(["FATAL\n".to_owned()]).collect();
    let log = Log::new(&text);
    for max_bytes in [0, 1, 7, 64, 1000, 16 * 1024, 200_000, text.len() - 1, text.len()] {
        let got = log.read(0, ReadOptions { max_bytes, ..Default::default() });
        assert_eq!(got.cursor, text.len() as u64);
        assert!(got.lines.iter().map(|line| line.len() + 1).sum::<usize>() <= max_bytes);
        assert_eq!(got.lines.len() as u64 + got.omitted_lines, 100_001);
        let (head, tail) = got.lines.split_at(got.lines_before_gap);
        assert!(head.iter().map(String::as_str).eq(text.lines().take(head.len())), "{max_bytes}");
        assert!(tail.iter().rev().map(String::as_str).eq(text.lines().rev().take(tail.len())), "{max_bytes}");
        assert_eq!(got.omitted_lines == 0, max_bytes == text.len());
        if max_bytes > 20 {
            assert_eq!(tail.last().map(String::as_str), Some("FATAL"));
            assert_eq!(head.first().map(String::as_str), Some("1"));
        }
    }
}

#[test]
fn only_wanted_lines_are_counted_as_missing() {
    let text: String =
        (0..50_000).map(|n| if n % 2 == 0 { format!("keep {n}\n") } else { format!("drop {n}\n") }).collect();
    let log = Log::new(text);
    for (filter, exclude) in [("^keep", false), ("^drop", true), ("keep [0-9]", false)] {
        let got = log.read(0, ReadOptions { filter: Some(filter), exclude, max_bytes: 4000, is_final: false });
        assert_eq!(got.lines.len() as u64 + got.omitted_lines, 25_000);
        assert!(got.lines.iter().all(|line| line.starts_with("keep")));
        assert_eq!(got.lines.first().map(String::as_str), Some("keep 0"));
        assert_eq!(got.lines.last().map(String::as_str), Some("keep 49998"));
    }
}

#[test]
fn a_line_that_is_too_long_alone_shows_its_start_and_its_end() {
    let line = format!("START{}é{}END", "a".repeat(99_000), "é".repeat(50_000));
    let log = Log::new(format!("{line}\n"));
    for max_bytes in [128, 1000, 1001, 1002, 16 * 1024] {
        let got = log.read(0, ReadOptions { max_bytes, ..Default::default() });
        assert_eq!((got.lines.len(), got.omitted_lines), (1, 0));
        let shown = &got.lines[0];
        assert!(shown.len() < max_bytes, "{} of {max_bytes}", shown.len());
        assert!(shown.starts_with("START") && shown.ends_with("END") && shown.contains("bytes of this line left out"));
        assert!(!shown.contains('\u{fffd}'));
    }
    let none = log.read(0, ReadOptions { max_bytes: 50, ..Default::default() });
    assert_eq!((none.lines.len(), none.omitted_lines), (0, 1));
    // What comes after it is more worth showing.
    log.append("short\n");
    let got = log.read(0, ReadOptions { max_bytes: 1000, ..Default::default() });
    assert_eq!((got.lines, got.omitted_lines), (vec!["short".to_owned()], 1));
}

#[test]
fn a_line_without_end_takes_a_bounded_buffer_and_comes_in_pieces() {
    const PIECE: usize = 8 * 1024 * 1024;
    let log = Log::new("é".repeat(PIECE / 2 - 1) + "a" + &"é".repeat(PIECE / 4));
    let got = log.read(0, ReadOptions { max_bytes: 4 * PIECE, ..Default::default() });
    // One byte less: the next character does not fit.
    assert_eq!(got.lines.iter().map(String::len).collect::<Vec<_>>(), [PIECE - 1]);
    assert_eq!(got.cursor, PIECE as u64 - 1);
    let rest = log.read(got.cursor, ReadOptions { max_bytes: 4 * PIECE, ..FINAL });
    assert_eq!(rest.lines, ["é".repeat(PIECE / 4)]);
}

#[test]
fn reading_goes_on_after_a_file_was_emptied() {
    let log = Log::new("new\n");
    let got = log.read(1000, ReadOptions::default());
    assert_eq!((got.lines, got.cursor), (vec!["new".to_owned()], 4));
}

fn assert_unreadable(path: &Path, reason: &str) {
    for error in [read(path, 0, &ReadOptions::default()).unwrap_err(), foreman_core::log::tail(path, 100).unwrap_err()]
    {
        assert_eq!(error.kind(), ErrorKind::OutputUnreadable);
        let text = error.to_string();
        assert!(text.contains(path.to_str().unwrap()) && text.contains(reason), "{text}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let log = Log::new("");
    assert_unreadable(&log.path.with_extension("gone"), "");
}

// faults.md predictable-log-symlink, read side
#[cfg(unix)]
#[test]
fn a_link_a_pipe_or_a_folder_in_the_place_of_the_log_is_refused_at_once() {
    let log = Log::new("secret\n");
    let folder = log.path.parent().unwrap();
    let link = folder.join("link.output");
    std::os::unix::fs::symlink(&log.path, &link).unwrap();
    assert_unreadable(&link, "");

    let pipe = folder.join("pipe.output");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_unreadable(&pipe, "not a regular file");
    assert_unreadable(folder, "not a regular file");
    assert_unreadable(Path::new("/dev/null"), "not a regular file");
}
