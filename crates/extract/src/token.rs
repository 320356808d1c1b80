//! The words and marks of one sentence, with the places they stand at; contractions are opened.

use std::ops::Range;

use super::words::Words;

/// One word or mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Bytes of the text it was read from; the parts of a contraction share theirs.
    pub span: Range<usize>,
    /// In lower case, with a straight apostrophe.
    pub lower: String,
    /// Whether it is a word, and not a mark.
    pub word: bool,
    /// Whether its first letter is a capital one.
    pub capital: bool,
}

/// Short forms and what they stand for; the apostrophe may be left out where the short form has none here.
const CONTRACTIONS: &[(&str, &[&str])] = &[
    ("i'm", &["i", "am"]),
    ("im", &["i", "am"]),
    ("i've", &["i", "have"]),
    ("ive", &["i", "have"]),
    ("i'd", &["i", "would"]),
    ("i'll", &["i", "will"]),
    ("we're", &["we", "are"]),
    ("weve", &["we", "have"]),
    ("she's", &["she", "is"]),
    ("shes", &["she", "is"]),
    ("he's", &["he", "is"]),
    ("hes", &["he", "is"]),
    ("they're", &["they", "are"]),
    ("theyre", &["they", "are"]),
    ("they've", &["they", "have"]),
    ("you're", &["you", "are"]),
    ("youre", &["you", "are"]),
    ("haven't", &["have", "not"]),
    ("havent", &["have", "not"]),
    ("didn't", &["did", "not"]),
    ("didnt", &["did", "not"]),
    ("arent", &["are", "not"]),
    ("we've", &["we", "have"]),
    ("we'd", &["we", "would"]),
    ("we'll", &["we", "will"]),
    ("don't", &["do", "not"]),
    ("dont", &["do", "not"]),
    ("doesn't", &["does", "not"]),
    ("doesnt", &["does", "not"]),
    ("isn't", &["is", "not"]),
    ("isnt", &["is", "not"]),
    ("aren't", &["are", "not"]),
    ("can't", &["can", "not"]),
    ("cant", &["can", "not"]),
    ("cannot", &["can", "not"]),
];

/// Shortened words whose full stop belongs to them.
const WITH_STOP: Words = Words(include_str!("../data/token/with_stop.txt"));

/// Whether the full stop after this word is part of it: a known short form, or an initial.
pub fn keeps_stop(word: &str) -> bool {
    let mut chars = word.chars();
    let initial = chars.next().is_some_and(char::is_uppercase) && chars.next().is_none() && word != "I";
    // "No." ends a sentence more often than it counts.
    initial || (word != "No" && word != "no" && WITH_STOP.contains(word.to_lowercase().as_str()))
}

/// Whether it is the mark of a pause.
pub fn is_pause(token: &Token) -> bool {
    matches!(token.lower.as_str(), "," | ":" | ";" | "." | "!" | "-" | "–" | "—" | "…")
}

/// The tokens of `text[range]`.
pub fn tokens(text: &str, range: Range<usize>) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = range.start;
    for part in text[range].split_inclusive(char::is_whitespace) {
        let chunk = part.trim_end();
        if !chunk.is_empty() {
            chunk_tokens(text, at..at + chunk.len(), &mut found);
        }
        at += part.len();
    }
    found
}

/// Takes the marks off both ends of what stands between blanks.
fn chunk_tokens(text: &str, chunk: Range<usize>, found: &mut Vec<Token>) {
    let (mut start, mut end) = (chunk.start, chunk.end);
    while let Some(c) = text[start..end].chars().next().filter(|&c| opens(c)) {
        mark(text, start..start + c.len_utf8(), found);
        start += c.len_utf8();
    }
    let mut marks = Vec::new();
    // Looked at once for each run of stops: a text may be nothing else.
    let mut stops_kept = None;
    while let Some(c) = text[start..end].chars().next_back().filter(|&c| closes(c)) {
        let keeps = || keeps_stop(text[start..end].trim_end_matches('.'));
        if c != '.' {
            stops_kept = None;
        } else if *stops_kept.get_or_insert_with(keeps) {
            break;
        }
        end -= c.len_utf8();
        marks.push(end..end + c.len_utf8());
    }
    if start < end {
        word(text, start..end, found);
    }
    marks.into_iter().rev().for_each(|span| mark(text, span, found));
}

fn opens(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '/' | '~' | '@' | '.' | '#' | '-' | '+' | '$' | '_' | '<' | '`')
        || matches!(c, '–' | '—')
}

fn closes(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '/' | '+' | '#' | '%' | '_' | '>' | '*' | '`' | '°' | '€' | '$')
}

fn mark(text: &str, span: Range<usize>, found: &mut Vec<Token>) {
    found.push(Token { lower: text[span.clone()].to_owned(), span, word: false, capital: false });
}

fn word(text: &str, span: Range<usize>, found: &mut Vec<Token>) {
    let raw = &text[span.clone()];
    let lower = raw.to_lowercase().replace('’', "'");
    let capital = raw.chars().next().is_some_and(char::is_uppercase);
    let is_mark = !raw.chars().any(char::is_alphanumeric);
    if is_mark {
        return mark(text, span, found);
    }
    if let Some((_, parts)) = CONTRACTIONS.iter().find(|(short, _)| *short == lower) {
        for part in *parts {
            found.push(Token { span: span.clone(), lower: (*part).to_owned(), word: true, capital: false });
        }
        return;
    }
    if let Some(owner) = lower.strip_suffix("'s").filter(|owner| !owner.is_empty()) {
        // The apostrophe may be three bytes long in the text.
        let cut = span.end - 1 - raw[..raw.len() - 1].chars().next_back().map_or(1, char::len_utf8);
        found.push(Token { span: span.start..cut, lower: owner.to_owned(), word: true, capital });
        found.push(Token { span: cut..span.end, lower: "'s".to_owned(), word: true, capital: false });
        return;
    }
    found.push(Token { span, lower, word: true, capital });
}
