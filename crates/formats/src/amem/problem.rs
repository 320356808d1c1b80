//! What is wrong with a part of a file: where, why, and the beginning of what stands there.

/// The longest excerpt a problem carries, so that a report of a 200 MB line stays a line.
pub const EXCERPT_MAX_BYTES: usize = 200;

/// A part of a file that could not be read as it stands. The file's name is the caller's to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line it begins on, counted from 1.
    pub line: u64,
    /// What is wrong, in plain words.
    pub reason: String,
    /// The beginning of the text, at most [`EXCERPT_MAX_BYTES`]; what is not UTF-8 in it is replaced.
    pub raw: String,
    /// Whether something was said there that did not become an event. A brace too many says nothing.
    pub loses: bool,
}

impl Problem {
    /// A problem with something that is thereby lost to the reader.
    pub fn new(line: u64, reason: impl Into<String>, raw: &[u8]) -> Self {
        Self { line, reason: reason.into(), raw: excerpt(raw), loses: true }
    }

    /// A problem that costs nothing: what was meant is known.
    pub fn harmless(line: u64, reason: impl Into<String>, raw: &[u8]) -> Self {
        Self { loses: false, ..Self::new(line, reason, raw) }
    }
}

pub(crate) fn excerpt(raw: &[u8]) -> String {
    let cut = &raw[..raw.len().min(EXCERPT_MAX_BYTES)];
    let mut text = String::from_utf8_lossy(cut).into_owned();
    // A replacement character is longer than the byte it stands for.
    while text.len() > EXCERPT_MAX_BYTES {
        text.pop();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_bounded_whatever_the_bytes() {
        for byte in [b'a', 0xff, 0xe2] {
            assert!(Problem::new(1, "x", &vec![byte; 10_000]).raw.len() <= EXCERPT_MAX_BYTES);
        }
        assert!(!Problem::harmless(1, "x", b"}").loses);
    }
}
