//! What must never be kept: secrets by their name or shape, and what its author marks as private.

use super::doubt::starts;
use super::linear::{Linear, Mark, marks, of_words};
use super::mask::{MASK, is_to_be_masked};
use super::token::{Token, tokens};
use super::words::Words;

/// What secrets are called.
const SECRET_NAMES: Words = Words(include_str!("../data/private/secret_names.txt"));

/// Words after such a name that make it something else ("password manager").
const HARMLESS: Words = Words(include_str!("../data/private/harmless.txt"));

/// What joins the name of a secret to its value.
const JOINS: Words = Words("is|'s|are|:|=|was|to");

/// How far behind its name the value of a secret may begin, in words.
const NAME_TO_VALUE_MAX_WORDS: usize = 6;

/// Phrases that mark a whole text as private.
const PRIVATE: Words = Words(include_str!("../data/private/private.txt"));

/// Marks in brackets that make a whole text private, in lower case.
const PRIVATE_MARKS: Words = Words(include_str!("../data/private/private_marks.txt"));

/// A feature and its weight for a request that a text be not kept. `cargo xtask train private` makes it from labelled prompts:
/// people ask in words that no list foresees, and "do not store this value twice" is about a program.
const WEIGHTS: Linear = Linear(include_str!("../data/private/weights.tsv"));

/// From this likelihood on a text asks that it be not kept.
const THRESHOLD: f64 = 0.5;

/// Most words of a text that are weighed, from either end.
const WEIGHED_WORDS: usize = 150;
/// How far apart two words are that are weighed as a pair.
const APART: std::ops::Range<usize> = 2..5;

/// The tags around what is never kept.
const BLOCK: [&str; 2] = ["<private>", "</private>"];

/// What may be kept of what somebody says: without its private blocks, and nothing where its author asks for that.
pub fn kept_of(text: &str) -> Option<String> {
    let kept = without_blocks(text);
    let is_all_private = kept.trim().is_empty() && !text.trim().is_empty();
    (!is_all_private && !asks_not_to_keep(&kept)).then(|| kept.trim().to_owned())
}

/// A text without its private blocks. One that is never closed goes to the end, one that was never opened begins at the beginning.
fn without_blocks(text: &str) -> String {
    // The lengths of both spellings are the same: ASCII alone is folded.
    let small = text.to_ascii_lowercase();
    let mut marks: Vec<(usize, bool)> = small.match_indices(BLOCK[0]).map(|(at, _)| (at, true)).collect();
    marks.extend(small.match_indices(BLOCK[1]).map(|(at, _)| (at, false)));
    marks.sort_unstable();
    let (mut kept, mut depth, mut from) = (String::new(), 0_usize, 0);
    for (at, opens) in marks {
        match (opens, depth) {
            (true, 0) => kept += &text[from..at],
            (false, 0) => kept.clear(),
            _ => {}
        }
        depth = if opens { depth + 1 } else { depth.saturating_sub(1) };
        if depth == 0 {
            from = at + BLOCK[1].len();
        }
    }
    if depth == 0 {
        kept += &text[from..];
    }
    kept
}

/// Whether a text asks that it be not kept.
fn asks_not_to_keep(text: &str) -> bool {
    let marked = text.trim_start().to_lowercase();
    PRIVATE_MARKS.iter().any(|mark| marked.starts_with(mark))
        || WEIGHTS.likely::<1>(&request_features(text))[0] >= THRESHOLD
}

/// What a text is weighed by: its words alone, in pairs and in threes, and pairs a little apart.
pub fn request_features(text: &str) -> Vec<String> {
    // What is told is no part of the request: that somebody names a password does not say that it is not to be kept.
    let is_told = |mark: &Mark| {
        SECRET_NAMES.contains(&mark.word) || mark.word == "masked" || mark.word.chars().any(|c| c.is_ascii_digit())
    };
    let mut words: Vec<Mark> = marks(text);
    words.retain(|mark| !is_told(mark));
    if words.len() > 2 * WEIGHED_WORDS {
        words.drain(WEIGHED_WORDS..words.len() - WEIGHED_WORDS);
    }
    let mut features = of_words(&words);
    for (at, first) in words.iter().enumerate() {
        let behind = words.iter().skip(at + APART.start).take(APART.len());
        features.extend(behind.map(|second| format!("s {} {}", first.word, second.word)));
    }
    features.push("always".to_owned());
    features.sort_unstable();
    features.dedup();
    features
}

/// Whether a text holds a secret: a password, key, token, card or account number, by its name or by its shape.
pub fn holds_secret(text: &str) -> bool {
    // What was masked says no more than that there was a secret.
    text.contains(MASK)
        || is_to_be_masked(text)
        || text.lines().any(|line| {
            let words = tokens(line, 0..line.len());
            (0..words.len()).any(|at| names_secret(&words, at))
        })
}

fn names_secret(words: &[Token], at: usize) -> bool {
    let ends = SECRET_NAMES.iter().filter_map(|name| starts(words, at, name)).max();
    let Some(end) = ends else { return false };
    if words.get(end).is_some_and(|next| HARMLESS.contains(next.lower.as_str())) {
        return false;
    }
    let rest = &words[end..words.len().min(end + NAME_TO_VALUE_MAX_WORDS)];
    rest.iter().any(|word| JOINS.contains(word.lower.as_str()) || word.lower.chars().any(|c| c.is_ascii_digit()))
}

/// Whether its author marks a text as private.
pub fn is_marked_private(text: &str) -> bool {
    let lower = text.to_lowercase();
    if PRIVATE_MARKS.iter().any(|mark| lower.contains(mark)) {
        return true;
    }
    text.lines().any(|line| {
        let words: Vec<Token> = tokens(line, 0..line.len()).into_iter().filter(|t| t.word).collect();
        (0..words.len()).any(|at| PRIVATE.iter().any(|phrase| starts(&words, at, phrase).is_some()))
    })
}
