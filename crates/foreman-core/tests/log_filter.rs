//! A filter sees one line at a time, whatever the way it is searched.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that is not as it says")]

use std::fs;

use foreman_core::ErrorKind;
use foreman_core::log::{ReadOptions, read};
use regex_automata::meta::Regex;

/// Each of these goes a different way through the search, or did once go wrong in some tool.
#[rustfmt::skip]
const PATTERNS: &[&str] = &[
    "", "a", "ab", "foo", "ERROR", "ERROR|foo", "é", "你好", "\u{fffd}", "x*", "x+", ".", ".*", "(?s).", "(?s).+a",
    "[^x]", "[^x]+foo", r"\s", r"\s+foo", r"foo\s", r"foo\s*bar", r"a\s+b", r"\S+\s", r"\W", r"\W+a", "^", "$", "^$",
    "^a", "a$", "^foo$", r"\A", r"\z", r"\Aa", r"a\z", r"^\s*$", "(?m)^a", "(?m)a$", "(?-m)^b", r"foo\n", r"\n",
    r"a\nb", r"[\n]", r"[\na]", r"\r", r"\rfoo", r"foo\r", r"\r$", r"a\r*$", ".*ERROR.*", "^.*ERROR", "ERROR.*$",
    "^.*a.*b.*$", "^a.*ERROR", "foo.*ERROR", r"\bfoo\b", r"\bERROR\b", r"\Bo", r"o\B", r"\b", r"\B", r"\bé", r"é\b",
    r"(?-u)\bfoo\b", r"(?-u:\xff)", r"\b{start}a", r"a\b{end}", "(?i)error", "(?i)foo|é", "(foo|ERROR)+b",
    "(foo|a)(bar|b)", "(a|b)*$", "(?:^a|b$)", "(?:^|x)a", "a(?:$|x)", "[a-z]{3}", "[^a-z ]{2,}", r"\d+",
    r"[[:upper:]]{5}", "a{2,}", "(?:foo)?", "(?:foo){2}", "o(o|O)*", "(?:ERROR){1,3}x?", ".ERROR", "ERROR.", "^.$",
    "^..$", r"\x00", r"[^\x00-\x7f]", "(?:a+)+$", "(?:x+x+)+y", "foo(?:bar)?ERROR", "(?:foo|(?:^ERROR))",
    r"\pL+\s\pL+", "[a&&b]",
];

#[rustfmt::skip]
const PIECES: &[&[u8]] = &[
    b"a", b"b", b"ab", b"x", b"xx", b"o", b"foo", b"foo", b"bar", b"ERROR", b"error", b" ", b" ", b"  ", b"\n", b"\n",
    b"\n", b"\n", b"\r\n", b"\r\n", b"\r", b"\r\r\n", b"\n\n", b"\t", b"0", b"42", "é".as_bytes(), "你好".as_bytes(),
    b"\xff", b"\xe4\xbd", b"\x80", b"\0",
];

/// xorshift64: the same bytes in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn bytes(&mut self, pieces: usize) -> Vec<u8> {
        (0..pieces).flat_map(|_| PIECES[self.below(PIECES.len())]).copied().collect()
    }
}

/// The lines of a file as the docs of `read` define them.
fn lines_of(bytes: &[u8], is_final: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(mut line) => {
                while let Some(shorter) = line.strip_suffix(b"\r") {
                    line = shorter;
                }
                lines.push(String::from_utf8_lossy(line).into_owned());
            }
            None if is_final => lines.push(String::from_utf8_lossy(line).into_owned()),
            None => {}
        }
    }
    lines
}

fn assert_same_as_line_by_line(bytes: &[u8], patterns: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.output");
    fs::write(&path, bytes).unwrap();
    for is_final in [false, true] {
        let lines = lines_of(bytes, is_final);
        for pattern in patterns {
            let config = Regex::config().utf8_empty(false);
            let syntax = regex_automata::util::syntax::Config::new().utf8(false);
            let naive = Regex::builder().configure(config).syntax(syntax).build(pattern).unwrap();
            for exclude in [false, true] {
                let options = ReadOptions { filter: Some(pattern), exclude, max_bytes: usize::MAX / 4, is_final };
                let got = read(&path, 0, &options).unwrap();
                let wanted: Vec<&String> = lines.iter().filter(|line| naive.is_match(*line) != exclude).collect();
                assert!(
                    got.lines.iter().eq(wanted.iter().copied()),
                    "pattern {pattern:?}, exclude {exclude}, final {is_final}: {:?} instead of {:?}",
                    first_difference(&got.lines, &wanted),
                    wanted.len()
                );
                assert_eq!(got.omitted_lines, 0);
            }
        }
    }
}

fn first_difference<'a>(got: &'a [String], wanted: &'a [&String]) -> (usize, Option<&'a String>, Option<&'a String>) {
    let at = got.iter().zip(wanted).take_while(|(a, b)| a == *b).count();
    (at, got.get(at), wanted.get(at).copied())
}

#[test]
#[cfg_attr(windows, ignore = "there the bytes are text of the console's code page")]
fn a_block_search_finds_what_a_search_of_each_line_finds() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for pieces in [5, 40, 1500] {
        assert_same_as_line_by_line(&random.bytes(pieces), PATTERNS);
    }
    let ends = ["", "a", ".", "^", "$", "^$", r"\s", r"[^x]", r"\b", r"\B", "x*", "foo$", r"\r", "^ERROR"];
    for bytes in [&b""[..], b"\n", b"\n\n", b"\r\n", b"a", b"a\n", b"\na", b"a\r", b"\r", b"foo\r\nERROR"] {
        assert_same_as_line_by_line(bytes, &ends);
    }
}

#[test]
#[cfg_attr(windows, ignore = "there the bytes are text of the console's code page")]
fn lines_across_the_ends_of_blocks_are_found_whole_and_once() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    // Blocks are 128 KiB; several of them, each end somewhere in a line, in a character or in a line end.
    let mut bytes = random.bytes(170_000);
    // A line that is longer than a block.
    bytes.extend(std::iter::repeat_n(b'x', 300_000));
    bytes.extend(b"ERROR\r\n");
    bytes.extend(random.bytes(70_000));
    let few = [
        "ERROR",
        "^a.*ERROR",
        r"\bfoo\b",
        r"\s+foo",
        "[^x]",
        "a$",
        r"\r",
        ".*",
        "xERROR$",
        "你好",
        "nosuchtext",
        r"\d+",
    ];
    assert_same_as_line_by_line(&bytes, &few);
}

#[test]
fn a_line_end_that_two_blocks_share_is_one_line_end() {
    for fill in 128 * 1024 - 4..128 * 1024 + 3 {
        let mut bytes = vec![b'y'; fill];
        bytes.extend("é\r\nfoo\r\nbar".as_bytes());
        assert_same_as_line_by_line(&bytes, &["foo", "^foo$", "é$", "y", r"\s", r"é\b", "."]);
    }
}

// faults.md: regexes run in linear time, no pattern can freeze the host.
#[test]
fn a_hostile_pattern_does_not_freeze_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.output");
    // A backtracking matcher takes 2^4000 steps here.
    fs::write(&path, format!("{}!\n", "a".repeat(4000)).repeat(20)).unwrap();
    for pattern in ["^(a+)+$", "(a*)*b", "(a|aa)+$", "(.*)*(.*)*(.*)*x", "a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaab"] {
        let got = read(&path, 0, &ReadOptions { filter: Some(pattern), ..Default::default() }).unwrap();
        assert_eq!(got.lines.len(), 0, "{pattern}");
        assert_eq!(got.cursor, 20 * 4002);
    }
}

#[test]
fn a_bad_pattern_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.output");
    fs::write(&path, "line\n").unwrap();
    for (pattern, reason) in [
        ("(", "unclosed group at character 1"),
        ("é[", "unclosed character class at character 2"),
        ("a**(?=b)", "look-around"),
        (r"\p{Nope}", "property"),
        (r"(?:\w{500}){500}", "too big"),
        (r"(a)\1", "backreferences"),
    ] {
        let error = read(&path, 0, &ReadOptions { filter: Some(pattern), ..Default::default() }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadPattern);
        let text = error.to_string();
        assert!(text.contains(&format!("`{pattern}`")) && text.contains(reason), "{text}");
        assert!(!text.contains('\n'), "{text}");
    }
    let long = format!("({}", "a".repeat(100_000));
    let error = read(&path, 0, &ReadOptions { filter: Some(&long), ..Default::default() }).unwrap_err();
    assert!(error.to_string().len() < 400);
}

#[test]
fn a_pattern_to_exclude_is_never_silently_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.output");
    fs::write(&path, "line\n").unwrap();
    let error = read(&path, 0, &ReadOptions { exclude: true, ..Default::default() }).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
}

/// The addon is built without the tables of Unicode that no filter asks for; these it must have.
#[test]
fn a_letter_beyond_ascii_is_not_seen_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.output");
    fs::write(&path, "ÄRGER\nстрока\n٤٢\na\u{2003}b\n漢字\n").unwrap();
    let found = |pattern| {
        let options = ReadOptions { filter: Some(pattern), exclude: false, max_bytes: 1_000, is_final: true };
        read(&path, 0, &options).map(|result| result.lines.join(","))
    };
    assert_eq!(found("(?i)ärger").unwrap(), "ÄRGER");
    assert_eq!(found("(?i)СТРОКА").unwrap(), "строка");
    assert_eq!(found(r"^\w+$").unwrap(), "ÄRGER,строка,٤٢,漢字");
    assert_eq!(found(r"^\d+$").unwrap(), "٤٢");
    assert_eq!(found(r"a\sb").unwrap(), "a\u{2003}b");
    assert_eq!(found(r"^\p{Lu}+$").unwrap(), "ÄRGER");
    assert_eq!(found(r"\p{Cyrillic}|\p{Han}").unwrap(), "строка,漢字");
    let refused = found(r"\p{Emoji}").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::BadPattern);
    assert!(refused.to_string().contains("property not found"), "{refused}");
}
