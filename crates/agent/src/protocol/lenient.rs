//! JSON as models write it: single quotes, Python's words, comments, commas too many, quotes that were not escaped.

use serde_json::{Map, Number, Value};

/// Deepest nesting that is read.
const DEPTH_MAX: usize = 64;

/// Reads the value a text starts with, if it is proper JSON, and ignores what follows it.
pub fn strict(text: &str) -> Option<Value> {
    serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok()
}

/// Reads the value a text starts with and ignores what follows it. What is still open where the text ends is closed if
/// nothing can be missing but the closing brackets: not inside a string, not behind a comma or colon, not right behind
/// a number, which might have gone on, and not if quotes had to be guessed at.
pub fn value(text: &str) -> Result<Value, String> {
    let mut lexer = Lexer { text, at: 0, guessed: false };
    lexer.skip_blank();
    lexer.value(0)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Whether a quote was taken for part of a string.
    guessed: bool,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// White space and comments.
    fn skip_blank(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            let rest = self.rest();
            if rest.starts_with("//") || rest.starts_with('#') {
                self.take_while(|c| c != '\n');
            } else if rest.starts_with("/*") {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            } else {
                return;
            }
        }
    }

    fn unexpected(&self, wanted: &str) -> String {
        match self.peek() {
            Some(c) => format!("there is {c:?} where {wanted} should be"),
            None => format!("it ends where {wanted} should be"),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEPTH_MAX {
            return Err(format!("it is nested deeper than {DEPTH_MAX}"));
        }
        match self.peek() {
            Some('{') => self.object(depth),
            Some('[') => self.array(depth),
            Some(quote @ ('"' | '\'')) => self.string(quote).map(Value::String),
            Some(c) if c == '-' || c.is_ascii_digit() => self.number(),
            Some(c) if c.is_ascii_alphabetic() => {
                let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
                match word {
                    "true" | "True" => Ok(Value::Bool(true)),
                    "false" | "False" => Ok(Value::Bool(false)),
                    "null" | "None" => Ok(Value::Null),
                    _ => Err(format!("the text '{}' is not in quotes", idetic_core::invalid::excerpt(word))),
                }
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    fn number(&mut self) -> Result<Value, String> {
        let text = self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'));
        if self.rest().is_empty() {
            return Err("it ends in the middle of a number, perhaps".to_owned());
        }
        let number: Result<Number, _> = serde_json::from_str(text);
        number.map(Value::Number).map_err(|_| format!("'{}' is not a number", idetic_core::invalid::excerpt(text)))
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        self.bump();
        let mut map = Map::new();
        self.skip_blank();
        while self.peek() != Some('}') {
            let key = match self.peek() {
                Some(quote @ ('"' | '\'')) => self.string(quote)?,
                Some(c) if c.is_alphabetic() || c == '_' => {
                    self.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-')).to_owned()
                }
                _ => return Err(self.unexpected("a key")),
            };
            self.skip_blank();
            if self.peek() != Some(':') {
                return Err(self.unexpected("a colon"));
            }
            self.bump();
            self.skip_blank();
            map.insert(key, self.value(depth + 1)?);
            if self.ended('}')? {
                return Ok(Value::Object(map));
            }
        }
        self.bump();
        Ok(Value::Object(map))
    }

    fn array(&mut self, depth: usize) -> Result<Value, String> {
        self.bump();
        let mut list = Vec::new();
        self.skip_blank();
        while self.peek() != Some(']') {
            list.push(self.value(depth + 1)?);
            if self.ended(']')? {
                return Ok(Value::Array(list));
            }
        }
        self.bump();
        Ok(Value::Array(list))
    }

    /// Behind a member: takes a comma, or leaves the closing bracket. True if the text ends here.
    fn ended(&mut self, close: char) -> Result<bool, String> {
        self.skip_blank();
        match self.peek() {
            Some(',') => {
                self.bump();
                self.skip_blank();
                Ok(false)
            }
            Some(c) if c == close => Ok(false),
            None if !self.guessed => Ok(true),
            _ => Err(self.unexpected(&format!("a comma or '{close}'"))),
        }
    }

    /// A quote ends the string only if something follows that may follow a string: an inner quote that was not escaped
    /// does not.
    fn string(&mut self, quote: char) -> Result<String, String> {
        self.bump();
        let mut text = String::new();
        while let Some(c) = self.bump() {
            match c {
                '\\' => self.escape(&mut text),
                c if c == quote && self.string_may_end() => return Ok(text),
                c => {
                    self.guessed |= c == quote;
                    text.push(c);
                }
            }
        }
        Err("a string is not closed".to_owned())
    }

    fn string_may_end(&self) -> bool {
        let next = self.rest().trim_start();
        next.is_empty()
            || next.starts_with([',', '}', ']', ':', '#'])
            || next.starts_with("//")
            || next.starts_with("/*")
    }

    /// What stands behind a backslash. What is no escape, as in a regular expression, keeps its backslash.
    fn escape(&mut self, text: &mut String) {
        match self.bump() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some(c @ ('"' | '\'' | '\\' | '/')) => text.push(c),
            Some('u') => text.push(self.unicode()),
            Some(c) => text.extend(['\\', c]),
            None => text.push('\\'),
        }
    }

    fn unicode(&mut self) -> char {
        let Some(high) = self.hex() else { return char::REPLACEMENT_CHARACTER };
        if let Some(c) = char::from_u32(high) {
            return c;
        }
        let before = self.at;
        if self.rest().starts_with("\\u") {
            self.at += 2;
            let low = self.hex().filter(|low| (0xdc00..0xe000).contains(low) && high < 0xdc00);
            if let Some(c) = low.and_then(|low| char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))) {
                return c;
            }
        }
        self.at = before;
        char::REPLACEMENT_CHARACTER
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4)?;
        let number = digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())??;
        self.at += 4;
        Some(number)
    }
}
