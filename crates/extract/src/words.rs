//! Lists of words as one text each, so that a list reads like a line of a dictionary.

/// Words or phrases, with `|` between them.
#[derive(Debug, Clone, Copy)]
pub struct Words(pub &'static str);

impl Words {
    /// Whether a word is one of them.
    pub fn contains(self, word: &str) -> bool {
        self.iter().any(|known| known == word)
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split('|')
    }
}
