//! What is wrong with a part of a Markdown file: where, by which rule, why, and what to do about it.

use crate::amem::problem::excerpt;

/// A part of a file that is not as the protocol wants it. The file's name is the caller's to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line it begins on, counted from 1.
    pub line: u64,
    /// The rule that is broken, a short name that stays the same.
    pub rule: &'static str,
    /// What is wrong, in plain words.
    pub reason: String,
    /// What to do about it.
    pub remedy: String,
    /// The beginning of the text.
    pub raw: String,
    /// Whether something stands there that was not understood. A field too many says nothing less.
    pub loses: bool,
}

impl Problem {
    /// Something that stands in the file and is thereby lost to the reader.
    pub fn new(line: u64, rule: &'static str, reason: impl Into<String>, remedy: impl Into<String>, raw: &str) -> Self {
        let raw = excerpt(raw.as_bytes());
        Self { line, rule, reason: reason.into(), remedy: remedy.into(), raw, loses: true }
    }

    /// Something that breaks a rule, yet what was meant is known.
    #[must_use]
    pub fn harmless(self) -> Self {
        Self { loses: false, ..self }
    }
}
