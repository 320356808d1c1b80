//! Lists of words as one text each: a file of `data/` with one entry a line, or a few in place.

/// Words or phrases, one a line or with `|` between them.
#[derive(Debug, Clone, Copy)]
pub struct Words(pub &'static str);

impl Words {
    /// Whether a word is one of them.
    pub fn contains(self, word: &str) -> bool {
        self.iter().any(|known| known == word)
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.strip_suffix('\n').unwrap_or(self.0).split(['\n', '|'])
    }
}
