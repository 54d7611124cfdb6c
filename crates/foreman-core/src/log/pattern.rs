//! What a pattern means: it is asked of one line at a time.
//!
//! Searching a block of many lines at once is several times faster than asking line by line, but a pattern could then
//! match across a line end (`\s`, `[^x]`), or not match where a line ends (`\z`). So the pattern is rewritten, not the
//! text: nothing in it can match a newline, and its anchors hold at each line. Searching a block with the result finds
//! exactly the lines that the pattern matches on their own.

use regex_automata::meta::{BuildError, Regex};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};
use regex_syntax::hir::{Dot, Repetition};

use crate::error::{Error, ErrorKind, Result};

/// Bounds what one pattern may take once compiled; `\w{1000}{1000}` is refused by it.
const MAX_COMPILED_BYTES: usize = 10 * 1024 * 1024;

/// Bounds the states that a search keeps. With less, a search with many states falls back on a much slower engine.
const MAX_STATE_CACHE_BYTES: usize = 8 * 1024 * 1024;

/// How much of a bad pattern its error repeats.
const QUOTED_CHARACTERS: usize = 200;

/// Parses a pattern and makes it one that is asked of one line.
pub(super) fn parse(pattern: &str) -> Result<Hir> {
    let parsed = ParserBuilder::new().utf8(false).build().parse(pattern).map_err(|error| {
        use regex_syntax::Error as E;
        let (reason, at_byte) = match &error {
            E::Parse(error) => (error.kind().to_string(), Some(error.span().start.offset)),
            E::Translate(error) => (error.kind().to_string(), Some(error.span().start.offset)),
            other => (other.to_string(), None),
        };
        let place = at_byte
            .and_then(|at| pattern.get(..at))
            .map_or_else(String::new, |before| format!(" at character {}", before.chars().count() + 1));
        bad_pattern(pattern, &format!("{reason}{place}"))
    })?;
    Ok(without_idle_ends(within_line(&parsed)))
}

/// Compiles what [`parse`] gave.
pub(super) fn compile(pattern: &str, hir: &Hir) -> Result<Regex> {
    let config = Regex::config()
        .utf8_empty(false)
        .nfa_size_limit(Some(MAX_COMPILED_BYTES))
        .hybrid_cache_capacity(MAX_STATE_CACHE_BYTES);
    Regex::builder().configure(config).build_from_hir(hir).map_err(|error: BuildError| {
        let reason = match error.size_limit() {
            Some(_) => format!("it is too big, it would take more than {} MiB", MAX_COMPILED_BYTES / 1024 / 1024),
            None => error.to_string(),
        };
        bad_pattern(pattern, &reason)
    })
}

/// The pattern without its Unicode word boundaries, if it has any: it matches each line that the pattern matches, and
/// maybe more.
///
/// The fast engine cannot decide such a boundary next to a character beyond ASCII and leaves the whole search to one that
/// is some fifty times slower. Searching with this first leaves it only the lines in question.
pub(super) fn without_word_boundaries(hir: &Hir) -> Option<Hir> {
    hir.properties().look_set().contains_word_unicode().then(|| without_idle_ends(without_boundaries(hir)))
}

fn bad_pattern(pattern: &str, reason: &str) -> Error {
    let quoted = match pattern.char_indices().nth(QUOTED_CHARACTERS) {
        Some((end, _)) => format!("{}…", &pattern[..end]),
        None => pattern.to_owned(),
    };
    Error::new(ErrorKind::BadPattern, format!("use the filter `{quoted}` as a regular expression: {reason}"))
}

/// The expression with nothing that could match a newline, and with anchors that hold at each line.
fn within_line(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Hir::fail(),
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut class = class.clone();
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Look(Look::Start) => Hir::look(Look::StartLF),
        HirKind::Look(Look::End) => Hir::look(Look::EndLF),
        _ => rebuilt(hir, within_line),
    }
}

fn without_boundaries(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(_) if hir.properties().look_set().contains_word_unicode() => Hir::empty(),
        _ => rebuilt(hir, without_boundaries),
    }
}

/// The expression with `change` applied to its parts, without capture groups.
fn rebuilt(hir: &Hir, change: fn(&Hir) -> Hir) -> Hir {
    match hir.kind() {
        HirKind::Repetition(repetition) => {
            Hir::repetition(Repetition { sub: Box::new(change(&repetition.sub)), ..*repetition })
        }
        HirKind::Capture(capture) => change(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(change).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(change).collect()),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => hir.clone(),
    }
}

/// The expression without what cannot change *whether* a line matches: `.*error.*` asks the same as `error`, `\d+ms` the
/// same as `\dms`. What is left often is a plain text, which is found many times faster.
fn without_idle_ends(hir: Hir) -> Hir {
    let mut parts = match hir.into_kind() {
        HirKind::Concat(parts) => parts,
        kind => vec![Hir::concat(vec![restored(kind)])],
    };
    let any = Hir::dot(Dot::AnyCharExceptLF);
    shorten_end(&mut parts, &any, Look::StartLF, End::Front);
    shorten_end(&mut parts, &any, Look::EndLF, End::Back);
    Hir::concat(parts)
}

#[derive(Clone, Copy)]
enum End {
    Front,
    Back,
}

fn shorten_end(parts: &mut Vec<Hir>, any: &Hir, anchor: Look, end: End) {
    let nth = |parts: &Vec<Hir>, n: usize| match end {
        End::Front => (n < parts.len()).then_some(n),
        End::Back => parts.len().checked_sub(n + 1),
    };
    while let Some(outer) = nth(parts, 0) {
        match parts[outer].kind() {
            // `^.*` and `.*$` hold everywhere: text between a place and the end of its line is always there.
            HirKind::Look(look) if *look == anchor => match nth(parts, 1) {
                Some(inner) if is_any_times(&parts[inner], any) => {
                    parts.remove(outer.max(inner));
                    parts.remove(outer.min(inner));
                }
                _ => return,
            },
            HirKind::Repetition(repetition) if repetition.min == 0 => {
                parts.remove(outer);
            }
            HirKind::Repetition(repetition) => {
                let fewest = Repetition { max: Some(repetition.min), ..repetition.clone() };
                parts[outer] = Hir::repetition(fewest);
                return;
            }
            _ => return,
        }
    }
}

fn is_any_times(hir: &Hir, any: &Hir) -> bool {
    matches!(hir.kind(), HirKind::Repetition(r) if r.min == 0 && r.max.is_none() && *r.sub == *any)
}

/// An expression of its kind; `Hir` gives its kind away but cannot be made of one.
fn restored(kind: HirKind) -> Hir {
    match kind {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => Hir::repetition(repetition),
        HirKind::Capture(capture) => Hir::capture(capture),
        HirKind::Concat(parts) => Hir::concat(parts),
        HirKind::Alternation(parts) => Hir::alternation(parts),
    }
}
