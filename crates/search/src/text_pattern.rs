//! Words that are searched for however they are written: in capitals, in another form of the same letters, with characters
//! that nobody sees, broken over lines, inside of markup, escaped in JSON.

mod reading;
mod spelling;

use std::borrow::Cow;

use idetic_core::Invalid;
use unicode_normalization::char::canonical_combining_class;

use self::reading::{entities_read, percent_decoded, rejoined, separated, unescaped, without_markup};
pub use self::spelling::plain;

/// Fewest letters of a text that is searched for: fewer would be found in nearly everything.
const LEAST_LETTERS: usize = 3;
/// How often a text that is escaped stands in one that is, and is looked into.
const NESTED: usize = 4;
/// Characters of a long text that are looked at together to find where it says something.
const WINDOW_CHARS: usize = 4096;
/// How many characters one letter may take in a text that is escaped.
const SPREAD: usize = 12;
/// Characters shown before and behind the words that were found.
const AROUND_CHARS: usize = 60;

/// A text to be found.
#[derive(Debug, Clone)]
pub struct TextPattern {
    /// As it is.
    plain: String,
    /// Whatever joins its parts.
    loose: String,
    /// A name of two words as lists have it: the last one first.
    reversed: Option<String>,
}

impl TextPattern {
    /// Takes a text to be found.
    pub fn new(text: &str) -> Result<Self, Invalid> {
        let plain = plain(text).trim().to_owned();
        let loose = loose(text).trim().to_owned();
        // What is nothing but markup would be found everywhere.
        let is_short = |said: &&String| said.chars().map(weight).sum::<usize>() < LEAST_LETTERS;
        let says_something = loose.chars().any(|c| c.is_alphanumeric() || !c.is_ascii());
        if [&plain, &loose].iter().any(is_short) || !says_something {
            return Err(Invalid::new(format!(
                "--matching takes a text of at least {LEAST_LETTERS} characters, without markup"
            ))
            .hint("name one event with --event, or a conversation with --conversation"));
        }
        let reversed = match loose.split(' ').collect::<Vec<_>>()[..] {
            [first, last] if is_word(first) && is_word(last) => Some(format!("{last}, {first}")),
            _ => None,
        };
        Ok(Self { plain, loose, reversed })
    }

    /// Whether they stand in a text: as it is, without its markup, or as it is read where it is escaped, in JSON, a URL or
    /// HTML, once or several times.
    pub fn matches(&self, text: &str) -> bool {
        let mut text = Cow::Borrowed(text);
        for _ in 0..=NESTED {
            if self.stands_in(&text) {
                return true;
            }
            let mut next = None;
            for read in [percent_decoded, entities_read, unescaped] {
                let Some(read) = read(next.as_deref().unwrap_or(&text)) else { continue };
                if self.stands_in(&read) {
                    return true;
                }
                next = Some(read);
            }
            match next {
                Some(next) => text = next.into(),
                None => return false,
            }
        }
        false
    }

    fn stands_in(&self, text: &str) -> bool {
        let loosely = |text: &str| {
            let text = loose(text);
            stand_in(&self.loose, &text) || self.reversed.as_ref().is_some_and(|words| is_listed_in(words, &text))
        };
        stand_in(&self.plain, &plain(text))
            || loosely(text)
            || self.loose.contains(' ') && separated(text).is_some_and(|text| stand_in(&self.loose, &loose(&text)))
            || rejoined(text).is_some_and(|text| loosely(&text))
            || self.reversed.as_ref().is_some_and(|words| is_listed_in_sentence(words, text))
    }

    /// What stands around them in a text, on one line; none where they are not in it.
    pub fn passage(&self, text: &str) -> Option<String> {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        // Each window reaches into the next one, so that no words lie in neither, however they are written.
        let reach = self.plain.chars().count() * SPREAD + AROUND_CHARS;
        let windows = (0..places.len()).step_by(WINDOW_CHARS);
        let mut windows = windows.map(|from| &places[from..places.len().min(from + WINDOW_CHARS + reach)]);
        let window = windows.find(|window| self.matches(&text[window[0]..window[window.len() - 1]])).unwrap_or(&places);
        let (first, last) = (window[0], window[window.len() - 1]);
        if !self.matches(&text[first..last]) {
            return None;
        }
        // The shortest beginning that has them, and of that the shortest end.
        let end = window[window.partition_point(|end| !self.matches(&text[first..*end])).min(window.len() - 1)];
        let from = window.partition_point(|start| *start < end && self.matches(&text[*start..end]));
        Some(excerpt(text, window[from.saturating_sub(1)]..end))
    }
}

/// Whether a text has words, both in one spelling. A letter with an accent is another letter.
fn stand_in(words: &str, text: &str) -> bool {
    let mut from = 0;
    while let Some(at) = text[from..].find(words) {
        let end = from + at + words.len();
        if text[end..].chars().next().is_none_or(|next| canonical_combining_class(next) == 0) {
            return true;
        }
        from += at + text[from + at..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// Whether a text lists a name with its last word first. In "Peter Quill, Ann Smith" there are two others.
fn is_listed_in(name: &str, text: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let is_word = |part: &str| part.starts_with(char::is_alphabetic);
        let goes_on = is_word(behind) || behind.starts_with(|c| canonical_combining_class(c) != 0);
        let has_first_name = before.strip_suffix(' ').is_some_and(|before| before.ends_with(char::is_alphabetic));
        let has_last_name = behind.strip_prefix(' ').is_some_and(is_word);
        let is_of_others = has_first_name && has_last_name;
        !(goes_on || is_of_others || before.ends_with(char::is_alphabetic))
    })
}

/// The same inside of a sentence, where only capitals tell "see Quill, Ann today" from two others' names.
fn is_listed_in_sentence(name: &str, text: &str) -> bool {
    let Some((last, first)) = name.split_once(", ").filter(|_| text.contains(',')) else { return false };
    let mut words: Vec<(usize, &str)> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphabetic()) {
        match words.last_mut() {
            Some((start, word)) if *start + word.len() == at => *word = &text[*start..at + c.len_utf8()],
            _ => words.push((at, &text[at..at + c.len_utf8()])),
        }
    }
    let between = |one: usize| &text[words[one].0 + words[one].1.len()..words[one + 1].0];
    let is_name = |at: usize| words[at].1.starts_with(char::is_uppercase);
    (1..words.len()).any(|at| {
        let is_it = between(at - 1).trim() == "," && plain(words[at].1) == first && plain(words[at - 1].1) == last;
        let has_first_name = || at >= 2 && between(at - 2) == " " && is_name(at - 2);
        let has_last_name = || at + 1 < words.len() && between(at) == " " && is_name(at + 1);
        is_it && !(has_first_name() && has_last_name())
    })
}

/// A text in one spelling, without its markup, in which a blank stands for whatever joins words; nothing joins the characters of
/// scripts that have no blanks.
fn loose(text: &str) -> String {
    let plain = plain(&without_markup(text));
    let mut loose = String::with_capacity(plain.len());
    let mut rest = plain.chars();
    while let Some(c) = rest.next() {
        // Between letters alone: between digits it makes another number.
        let next = || rest.clone().next().is_some_and(char::is_alphabetic);
        let is_inner_dot = c == '.' && loose.ends_with(char::is_alphabetic) && next();
        let is_joint = c.is_whitespace() || matches!(c, '-' | '_') || is_inner_dot;
        match loose.chars().next_back() {
            Some(' ') if is_joint => {}
            Some(' ') if has_no_blanks(c) && loose.chars().rev().nth(1).is_some_and(has_no_blanks) => {
                loose.pop();
                loose.push(c);
            }
            _ => loose.push(if is_joint { ' ' } else { c }),
        }
    }
    loose
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(char::is_alphabetic)
}

/// Whether a character is of Chinese or Japanese, where a line may break anywhere.
fn has_no_blanks(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// How much a character narrows a search: a name in Chinese, Japanese or Korean may have two.
fn weight(c: char) -> usize {
    match c {
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' => 2,
        '\u{20000}'..='\u{3ffff}' => 2,
        _ => 1,
    }
}

/// A part of a text with a little of what stands around it, on one line.
pub fn excerpt(text: &str, part: std::ops::Range<usize>) -> String {
    let before = text[..part.start].char_indices().rev().nth(AROUND_CHARS - 1).map_or(0, |(at, _)| at);
    let behind = text[part.end..].char_indices().nth(AROUND_CHARS).map_or(text.len(), |(at, _)| part.end + at);
    let words: Vec<&str> = text[before..behind].split_whitespace().collect();
    let (left, right) = (if before > 0 { "…" } else { "" }, if behind < text.len() { "…" } else { "" });
    format!("{left}{}{right}", words.join(" "))
}

#[cfg(test)]
mod tests;
