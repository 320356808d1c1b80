//! Follows the braces, brackets and quotes of one JSON object byte by byte, and notices at once where they break.

/// Deepest nesting that is followed: the parser behind it gives up there as well.
const DEPTH_MAX: usize = 128;

/// What one more byte did.
pub(super) enum Step {
    /// The object goes on.
    More,
    /// That was its last brace.
    Done,
    /// No object goes on like this.
    Wrong(String),
    /// It may, but not with us.
    TooDeep(String),
}

/// How far an object has come. Numbers and words are only followed, not checked.
pub(super) struct Nesting {
    open: Vec<u8>,
    next: Next,
    inside: Inside,
}

#[derive(Clone, Copy, PartialEq)]
enum Next {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Nothing,
    Word,
    Text { is_key: bool, escaped: bool },
}

impl Default for Nesting {
    fn default() -> Self {
        Self { open: Vec::new(), next: Next::Value, inside: Inside::Nothing }
    }
}

impl Nesting {
    /// Whether this byte is one of a text, and neither ends it nor begins an escape.
    pub(super) fn is_mere_text(&self, byte: u8) -> bool {
        matches!(self.inside, Inside::Text { escaped: false, .. }) && !matches!(byte, b'"' | b'\\' | b'\n')
    }

    /// How many braces and brackets are open, and how many of them are brackets.
    pub(super) fn depth(&self) -> (i64, i64) {
        let lists = self.open.iter().filter(|open| **open == b'[').count();
        (self.open.len() as i64, lists as i64)
    }

    /// Follows one byte.
    pub(super) fn step(&mut self, byte: u8) -> Step {
        match self.inside {
            Inside::Text { is_key, escaped } => return self.in_text(byte, is_key, escaped),
            Inside::Word if byte.is_ascii_alphanumeric() || b"+-.".contains(&byte) => return Step::More,
            Inside::Word => {
                self.inside = Inside::Nothing;
                self.next = Next::CommaOrEnd;
            }
            Inside::Nothing => {}
        }
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            return Step::More;
        }
        self.between(byte)
    }

    fn in_text(&mut self, byte: u8, is_key: bool, escaped: bool) -> Step {
        match byte {
            // Without this a quote that was never closed would take in all that follows.
            b'\n' => return Step::Wrong("a text is not closed on its line".to_owned()),
            _ if escaped => self.inside = Inside::Text { is_key, escaped: false },
            b'\\' => self.inside = Inside::Text { is_key, escaped: true },
            b'"' => {
                self.inside = Inside::Nothing;
                self.next = if is_key { Next::Colon } else { Next::CommaOrEnd };
            }
            _ => {}
        }
        Step::More
    }

    fn between(&mut self, byte: u8) -> Step {
        use Next::{Colon, CommaOrEnd, Key, KeyOrEnd, Value, ValueOrEnd};
        match (byte, self.next) {
            (b'{' | b'[', Value | ValueOrEnd) => {
                if self.open.len() == DEPTH_MAX {
                    return Step::TooDeep(format!("nested more than {DEPTH_MAX} deep"));
                }
                self.open.push(byte);
                self.next = if byte == b'{' { KeyOrEnd } else { ValueOrEnd };
            }
            (b'"', Value | ValueOrEnd) => self.inside = Inside::Text { is_key: false, escaped: false },
            (b'"', Key | KeyOrEnd) => self.inside = Inside::Text { is_key: true, escaped: false },
            (b'}', KeyOrEnd | CommaOrEnd) if self.open.last() == Some(&b'{') => return self.close(),
            (b']', ValueOrEnd | CommaOrEnd) if self.open.last() == Some(&b'[') => return self.close(),
            (b':', Colon) => self.next = Value,
            (b',', CommaOrEnd) => self.next = if self.open.last() == Some(&b'{') { Key } else { Value },
            (b, Value | ValueOrEnd) if b.is_ascii_alphanumeric() || b == b'-' => self.inside = Inside::Word,
            _ => return Step::Wrong(self.surprise(byte)),
        }
        Step::More
    }

    fn close(&mut self) -> Step {
        self.open.pop();
        self.next = Next::CommaOrEnd;
        if self.open.is_empty() { Step::Done } else { Step::More }
    }

    fn surprise(&self, byte: u8) -> String {
        let wanted = match self.next {
            Next::Value | Next::ValueOrEnd => "a value",
            Next::Key | Next::KeyOrEnd => "a key",
            Next::Colon => "a colon",
            Next::CommaOrEnd => "a comma or the end",
        };
        let seen = if byte.is_ascii_graphic() { char::from(byte).to_string() } else { format!("byte {byte:#04x}") };
        format!("a broken object: '{seen}' where {wanted} should be")
    }
}
