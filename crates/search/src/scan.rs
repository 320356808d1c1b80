//! Reading a question character by character: word boundaries and words at a position, forwards and backwards.

use super::words::{is_space, is_word_part};

/// A text whose characters are numbered, so that lower and original case share positions.
#[derive(Debug)]
pub struct Scan {
    /// The characters as written.
    pub chars: Vec<char>,
    /// The same characters with ASCII letters in lower case.
    lower: Vec<char>,
}

impl Scan {
    /// Numbers the characters of a text.
    pub fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let lower = chars.iter().map(char::to_ascii_lowercase).collect();
        Self { chars, lower }
    }

    /// How many characters there are.
    pub fn end(&self) -> usize {
        self.chars.len()
    }

    /// The text between two positions.
    pub fn text(&self, from: usize, to: usize) -> String {
        self.chars[from..to].iter().collect()
    }

    /// The character in lower case at a position.
    pub fn at(&self, at: usize) -> Option<char> {
        self.lower.get(at).copied()
    }

    /// Whether the character at a position is part of a word: a letter, a digit, a mark on one or an underscore.
    pub fn is_word(&self, at: usize) -> bool {
        self.at(at).is_some_and(|c| is_word_part(c) || c == '_')
    }

    /// Whether a word begins or ends at a position.
    pub fn is_boundary(&self, at: usize) -> bool {
        (at > 0 && self.is_word(at - 1)) != self.is_word(at)
    }

    /// Whether there is an ASCII digit at a position.
    pub fn is_digit(&self, at: usize) -> bool {
        self.at(at).is_some_and(|c| c.is_ascii_digit())
    }

    /// The end of the run of ASCII digits that begins at a position.
    pub fn digits(&self, at: usize) -> usize {
        (at..self.end()).find(|&i| !self.is_digit(i)).unwrap_or(self.end().max(at))
    }

    /// The end of the white space that begins at a position, which may be none.
    pub fn spaces(&self, at: usize) -> usize {
        (at..self.end()).find(|&i| !is_space(self.lower[i])).unwrap_or(self.end().max(at))
    }

    /// The end of the white space that begins at a position; at least one is needed.
    pub fn gap(&self, at: usize) -> Option<usize> {
        Some(self.spaces(at)).filter(|&end| end > at)
    }

    /// The start of the white space that ends at a position, which may be none.
    pub fn spaces_before(&self, end: usize) -> usize {
        (0..end).rev().find(|&i| !is_space(self.lower[i])).map_or(0, |i| i + 1)
    }

    /// The start of the white space that ends at a position; at least one is needed.
    pub fn gap_before(&self, end: usize) -> Option<usize> {
        Some(self.spaces_before(end)).filter(|&start| start < end)
    }

    /// The end of `word` (in lower case) if it stands at a position; what follows is not looked at.
    pub fn word(&self, at: usize, word: &str) -> Option<usize> {
        let mut end = at;
        for c in word.chars() {
            if self.at(end) != Some(c) {
                return None;
            }
            end += 1;
        }
        Some(end)
    }

    /// The end of `word` if it stands at a position and a word ends there.
    pub fn whole_word(&self, at: usize, word: &str) -> Option<usize> {
        self.word(at, word).filter(|&end| self.is_boundary(end))
    }

    /// The first of `words` that stands whole at a position, and its end.
    pub fn one_of<'w>(&self, at: usize, words: &[&'w str]) -> Option<(&'w str, usize)> {
        words.iter().find_map(|word| Some((*word, self.whole_word(at, word)?)))
    }

    /// The start of `word` if it ends at a position and begins a word.
    pub fn word_before(&self, end: usize, word: &str) -> Option<usize> {
        let start = end.checked_sub(word.chars().count())?;
        (self.word(start, word) == Some(end) && self.is_boundary(start)).then_some(start)
    }

    /// Every maximal word (letters, digits, underscores): where it begins and ends.
    pub fn words(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut start = None;
        for at in 0..=self.end() {
            match (self.is_word(at), start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => {
                    found.push((from, at));
                    start = None;
                }
                _ => {}
            }
        }
        found
    }
}
