//! Words that are searched for however they are written: in small letters or capitals, broken over lines, escaped in JSON.

use unicode_normalization::UnicodeNormalization;

use crate::{Error, Result};

/// Fewest characters of a text that is searched for: fewer would be found in nearly everything.
const LEAST_CHARS: usize = 3;
/// How often JSON stands in a text of JSON that is looked into.
const NESTED: usize = 4;

/// A text to be found.
#[derive(Debug, Clone)]
pub(crate) struct Words(String);

impl Words {
    /// Takes a text to be found.
    pub fn new(text: &str) -> Result<Self> {
        let plain = plain(text).trim().to_owned();
        if plain.chars().count() < LEAST_CHARS {
            return Err(Error::invalid(format!("--matching takes a text of at least {LEAST_CHARS} characters"))
                .hint("name one event with --event, or a conversation with --conversation"));
        }
        Ok(Self(plain))
    }

    /// Whether they stand in a text, as it is or as it is read where it is JSON.
    pub fn are_in(&self, text: &str) -> bool {
        let mut text = std::borrow::Cow::Borrowed(text);
        for _ in 0..=NESTED {
            if plain(&text).contains(&self.0) {
                return true;
            }
            match unescaped(&text) {
                Some(read) => text = read.into(),
                None => return false,
            }
        }
        false
    }
}

/// Small letters in one spelling, and one blank for any number of them.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.nfkc() {
        if !character.is_whitespace() {
            plain.extend(character.to_lowercase());
        } else if !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    plain
}

/// A text with its escapes read once; none where it has none.
fn unescaped(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        read.push_str(&rest[..at]);
        let escaped = &rest[at + 1..];
        let mut behind = escaped.chars();
        match behind.next() {
            Some('u') => match unit(escaped) {
                Some((character, length)) => {
                    read.push(character);
                    behind = escaped[length..].chars();
                }
                None => read.push('u'),
            },
            Some('n' | 't' | 'r' | 'b' | 'f') => read.push(' '),
            Some(other) => read.push(other),
            None => {}
        }
        rest = behind.as_str();
    }
    read.push_str(rest);
    Some(read)
}

/// The character of `uXXXX`, or of two of them, and how many bytes that takes.
fn unit(text: &str) -> Option<(char, usize)> {
    let code = |text: &str| u32::from_str_radix(text.get(1..5)?, 16).ok();
    let first = code(text)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 5));
    }
    let second = code(text.get(5..)?.strip_prefix('\\').filter(|rest| rest.starts_with('u'))?)?;
    let joined = 0x1_0000 + ((first.checked_sub(0xd800)? & 0x3ff) << 10) + (second.checked_sub(0xdc00)? & 0x3ff);
    char::from_u32(joined).map(|character| (character, 11))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_they_are_written() {
        let words = Words::new(" Zoë  Quill \u{1f98a}").expect("long enough");
        for text in [
            "zoë quill \u{1f98a}",
            "said ZOË\n\t QUILL \u{1f98a}!",
            "Zoe\u{308} Quill \u{1f98a}",
            r#"{"content":"Zo\u00eb Quill \ud83e\udd8a"}"#,
            r#"{"raw":"{\"content\":\"Zo\\u00eb\\nQuill \\ud83e\\udd8a\"}"}"#,
        ] {
            assert!(words.are_in(text), "{text}");
        }
        for text in ["zoequill", "Zoë", r#"{"a":"Zo\u00e Quill"}"#, "\\", "\\u12", "\\ud83e\\u0041"] {
            assert!(!words.are_in(text), "{text}");
        }
        assert!(Words::new(" a\n ").is_err());
    }
}
