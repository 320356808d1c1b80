//! Why a configuration file cannot be edited, and where.

use std::fmt;

/// What is wrong with a text, with the place counted from one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

impl Fault {
    /// Something wrong at a byte of a text.
    pub fn at(text: &str, byte: usize, what: impl Into<String>) -> Self {
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let before = &text[..byte];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        Self { line, column: before[line_start..].chars().count() + 1, what: what.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl std::error::Error for Fault {}
