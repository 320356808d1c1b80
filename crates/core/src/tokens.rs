//! How many tokens a text costs a language model, about: an estimate that errs on the high side for English.

/// Bytes of a word that make one token.
const WORD_BYTES: usize = 4;

/// An estimate of the tokens of a text: a token for every four letters of a word, each mark of punctuation, and each
/// character of a script without spaces.
pub fn estimate(text: &str) -> usize {
    let mut count = Count::default();
    text.chars().for_each(|c| count.add(c));
    count.tokens()
}

/// The same while a text grows character by character.
#[derive(Debug, Clone, Default)]
pub struct Count {
    tokens: usize,
    word: usize,
}

impl Count {
    /// Adds the next character.
    pub fn add(&mut self, c: char) {
        if c.is_ascii_alphanumeric() {
            self.word += 1;
            return;
        }
        self.tokens += word_tokens(std::mem::take(&mut self.word));
        if !c.is_whitespace() {
            self.tokens += 1;
        }
    }

    /// The tokens so far.
    pub fn tokens(&self) -> usize {
        self.tokens + word_tokens(self.word)
    }
}

fn word_tokens(bytes: usize) -> usize {
    bytes.div_ceil(WORD_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_marks_and_characters_count() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("The build needs Node 20."), 1 + 2 + 2 + 1 + 1 + 1);
        assert_eq!(estimate("墨水 ink"), 3);
    }
}
