//! JSON with comments and trailing commas, read so that every part is known by its place in the text.

use std::ops::Range;

use super::Fault;

mod edit;

pub use edit::{cut, insert, is_bare, replace, whole};

/// Deepest nesting that is read.
const DEPTH_MAX: usize = 128;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its bytes in the text.
    pub span: Range<usize>,
    /// What it is.
    pub value: Value,
}

/// What a value is, as far as editing needs to know.
#[derive(Debug, Clone)]
pub enum Value {
    /// An object, its members in order.
    Object(Vec<Member>),
    /// A list.
    List(Vec<Node>),
    /// A text.
    Text(String),
    /// A number, `true`, `false` or `null`: as it is written.
    Other,
}

/// One member of an object.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub key: String,
    /// From its name to the end of its value.
    pub span: Range<usize>,
    /// Its value.
    pub node: Node,
}

/// A value to be written, its members in the order they are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// A text.
    Text(String),
    /// Anything without parts, as it is written.
    Raw(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A list of texts.
    pub fn texts(texts: &[String]) -> Self {
        Self::List(texts.iter().map(Self::text).collect())
    }

    /// An object.
    pub fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }
}

impl Node {
    /// The member of a name; of several the last, as every reader takes it.
    pub fn member(&self, key: &str) -> Option<&Member> {
        match &self.value {
            Value::Object(members) => members.iter().rfind(|member| member.key == key),
            _ => None,
        }
    }

    /// The value at a path of names.
    pub fn find<S: AsRef<str>>(&self, path: &[S]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.member(key.as_ref()).map(|member| &member.node))
    }

    /// The items of a list.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The text it is, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The places of its parts.
    pub fn parts(&self) -> Vec<Range<usize>> {
        match &self.value {
            Value::Object(members) => members.iter().map(|member| member.span.clone()).collect(),
            Value::List(items) => items.iter().map(|item| item.span.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// The same as a value to be written.
    pub fn to_json(&self, text: &str) -> Json {
        match &self.value {
            Value::Text(text) => Json::text(text),
            Value::Other => Json::Raw(text[self.span.clone()].to_owned()),
            Value::List(items) => Json::List(items.iter().map(|item| item.to_json(text)).collect()),
            Value::Object(members) => {
                Json::Object(members.iter().map(|member| (member.key.clone(), member.node.to_json(text))).collect())
            }
        }
    }
}

/// Reads a whole text; `None` where there is nothing in it but white space and comments.
pub fn parse(text: &str) -> Result<Option<Node>, Fault> {
    let mut reader = Reader { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } };
    reader.skip()?;
    if reader.at == text.len() {
        return Ok(None);
    }
    let node = reader.value(0)?;
    reader.skip()?;
    if reader.at < text.len() {
        return Err(reader.fault("something follows the end of the value"));
    }
    Ok(Some(node))
}

/// A place in a text that is being read.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::at(self.text, self.at, what)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Goes past white space and comments.
    fn skip(&mut self) -> Result<(), Fault> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => match comment(self.rest()) {
                    Some(length) => self.at += length,
                    None if self.rest().starts_with("/*") => return Err(self.fault("this comment has no end")),
                    None => return Err(self.fault("a value was expected, not '/'")),
                },
                _ => return Ok(()),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        if depth > DEPTH_MAX {
            return Err(self.fault(format!("nested deeper than {DEPTH_MAX}")));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => Value::Object(self.object(depth)?),
            Some(b'[') => Value::List(self.list(depth)?),
            Some(b'"') => Value::Text(self.string()?),
            _ => self.other()?,
        };
        Ok(Node { span: start..self.at, value })
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Member>, Fault> {
        let mut members = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.peek() == Some(b'}') {
                break;
            }
            if self.peek() != Some(b'"') {
                return Err(self.fault("a name in double quotes or '}' was expected"));
            }
            let start = self.at;
            let key = self.string()?;
            self.skip()?;
            if self.peek() != Some(b':') {
                return Err(self.fault("':' was expected after the name"));
            }
            self.at += 1;
            self.skip()?;
            let node = self.value(depth + 1)?;
            members.push(Member { key, span: start..self.at, node });
            if !self.comma(b'}')? {
                break;
            }
        }
        self.at += 1;
        Ok(members)
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node>, Fault> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.peek() == Some(b']') {
                break;
            }
            items.push(self.value(depth + 1)?);
            if !self.comma(b']')? {
                break;
            }
        }
        self.at += 1;
        Ok(items)
    }

    /// Goes past a comma, or says that the end is reached.
    fn comma(&mut self, end: u8) -> Result<bool, Fault> {
        self.skip()?;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == end => Ok(false),
            _ => Err(self.fault(format!("',' or '{}' was expected", char::from(end)))),
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(b'\n') | None => return Err(self.fault("this text has no end")),
                Some(_) => end += 1,
            }
        }
        let read = serde_json::from_str(&self.text[self.at..=end]);
        let text = read.map_err(|_| self.fault("this text is not valid JSON"))?;
        self.at = end + 1;
        Ok(text)
    }

    /// A number or a word.
    fn other(&mut self) -> Result<Value, Fault> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let length = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        let word = &self.rest()[..length];
        if word.is_empty() {
            return Err(self.fault("a value was expected"));
        }
        if serde_json::from_str::<serde_json::Value>(word).is_err() {
            return Err(self.fault(format!("'{}' is not a value", word.chars().take(20).collect::<String>())));
        }
        self.at += length;
        Ok(Value::Other)
    }
}

/// How long the comment at the beginning of a text is; the end of its line is not part of it.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        let line = text.find('\n').unwrap_or(text.len());
        return Some(text[..line].trim_end_matches('\r').len());
    }
    text.strip_prefix("/*")?.find("*/").map(|at| at + 4)
}
