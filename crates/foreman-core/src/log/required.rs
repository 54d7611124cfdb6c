//! What can be told of a pattern that makes it cheaper to search.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// A shorter text is in too many lines to tell anything.
const MIN_REQUIRED_BYTES: usize = 3;

/// Bounds the texts of which each matching line holds one; more of them are searched no faster than the pattern.
const MAX_ALTERNATIVES: usize = 16;

/// An expression that is a plain text, or a choice of some, and that is in each line that the pattern matches.
///
/// `^2026.*ERROR` can match only where `ERROR` is. Finding that is bound by memory; asking the pattern takes a step of an
/// automaton for each byte. `None` when there is no such text, or when it is all of the pattern.
pub(super) fn required_text(hir: &Hir) -> Option<Hir> {
    if hir.properties().is_alternation_literal() {
        return None;
    }
    let texts = required(hir)?;
    Some(Hir::alternation(texts.into_iter().map(Hir::literal).collect()))
}

/// The texts of which a match holds at least one: the best set that the expression gives.
fn required(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        HirKind::Literal(literal) => {
            let is_plain = literal.0.is_ascii() && !literal.0.contains(&b'\r');
            (is_plain && literal.0.len() >= MIN_REQUIRED_BYTES).then(|| vec![literal.0.to_vec()])
        }
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Concat(parts) => {
            let shortest = |texts: &Vec<Vec<u8>>| texts.iter().map(Vec::len).min();
            parts.iter().filter_map(required).max_by_key(|texts| (std::cmp::Reverse(texts.len()), shortest(texts)))
        }
        HirKind::Alternation(parts) => {
            let texts: Vec<_> = parts.iter().map(required).collect::<Option<Vec<_>>>()?.concat();
            (texts.len() <= MAX_ALTERNATIVES).then_some(texts)
        }
        _ => None,
    }
}

/// Whether the expression finds the same lines in the bytes of a file as in the text that is made of them, where what is no
/// UTF-8 is no text: nothing in it can match a carriage return, a replacement character or a byte that is no UTF-8, nor looks
/// for the end of a line.
pub(super) fn means_the_same_in_bytes(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty => true,
        HirKind::Literal(literal) => {
            std::str::from_utf8(&literal.0).is_ok_and(|text| !text.contains(['\r', '\u{fffd}']))
        }
        HirKind::Class(Class::Unicode(class)) => {
            let has = |wanted: char| class.iter().any(|range| (range.start()..=range.end()).contains(&wanted));
            !has('\r') && !has('\u{fffd}')
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.is_ascii() && !class.iter().any(|range| (range.start()..=range.end()).contains(&b'\r'))
        }
        HirKind::Look(look) => *look == Look::StartLF,
        HirKind::Repetition(repetition) => means_the_same_in_bytes(&repetition.sub),
        HirKind::Capture(capture) => means_the_same_in_bytes(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().all(means_the_same_in_bytes),
    }
}
