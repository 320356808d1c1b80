//! What is wrong with an input, in one line, and what to do about it, in another.

use std::fmt;

/// An input that was refused. `hint` may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// What is wrong, naming the field and the value.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Invalid {
    /// A refusal that explains itself.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: String::new() }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Invalid {}

/// The first characters of a text, for naming it in a message without flooding the reader.
pub fn excerpt(text: &str) -> String {
    const SHOWN_CHARS: usize = 60;
    let mut shown: String = text.chars().take(SHOWN_CHARS).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN_CHARS).is_some() {
        shown.push('…');
    }
    shown
}
