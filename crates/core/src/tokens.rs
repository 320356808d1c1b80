//! How many tokens a text costs a language model, about: an estimate that errs on the high side for English.

/// Bytes of a word that make one token.
const WORD_BYTES: usize = 4;

/// An estimate of the tokens of a text: a token for every four letters of a word, each mark of punctuation, and each
/// character of a script without spaces.
pub fn estimate(text: &str) -> usize {
    let mut tokens = 0;
    let mut word = 0;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            word += 1;
            continue;
        }
        tokens += word_tokens(word);
        word = 0;
        if !c.is_whitespace() {
            tokens += 1;
        }
    }
    tokens + word_tokens(word)
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
