//! JSON as text: objects in the order they were written, numbers as they were written, spaces where we want them.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The keys and values of an object in the order received.
pub(crate) type Entries<'a> = Vec<(String, &'a RawValue)>;

/// Reads an object without losing the order of its keys. A key that stands twice anywhere in it is refused, as the log
/// does: two readers would see two things.
pub(crate) fn entries(text: &str) -> Result<Entries<'_>, String> {
    let Ordered(entries) = serde_json::from_str(text).map_err(|e| format!("not a JSON object: {e}"))?;
    idetic_core::json::depth(text).map_err(|e| e.message)?;
    Ok(entries)
}

/// The value under a key.
pub(crate) fn get<'a>(entries: &Entries<'a>, key: &str) -> Option<&'a RawValue> {
    entries.iter().find(|(k, _)| k == key).map(|(_, value)| *value).filter(|v| v.get() != "null")
}

/// The text of a string value.
pub(crate) fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// A list of strings.
pub(crate) fn strings(value: &RawValue) -> Option<Vec<String>> {
    serde_json::from_str(value.get()).ok()
}

/// The object behind a value, in order; `None` when it is something else.
pub(crate) fn object(value: &RawValue) -> Option<Entries<'_>> {
    if value.get().starts_with('{') { entries(value.get()).ok() } else { None }
}

/// A text as a JSON string.
pub fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Strings as a JSON list.
pub(crate) fn list<S: AsRef<str>>(items: &[S]) -> String {
    let quoted: Vec<String> = items.iter().map(|i| quote(i.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}

/// An object that is written key by key, with `": "` and `", "`.
#[derive(Debug, Default)]
pub struct Writer(String);

impl Writer {
    /// Adds a value that is JSON already.
    pub fn raw(&mut self, key: &str, json: &str) {
        self.0.push_str(if self.0.is_empty() { "" } else { ", " });
        self.0.push_str(&quote(key));
        self.0.push_str(": ");
        self.0.push_str(&spaced(json));
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, key: &str, text: &str) {
        self.raw(key, &quote(text));
    }

    /// Adds a list of texts unless it is empty.
    pub(crate) fn list<S: AsRef<str>>(&mut self, key: &str, items: &[S]) {
        if !items.is_empty() {
            self.raw(key, &list(items));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The object.
    pub fn finish(self) -> String {
        format!("{{{}}}", self.0)
    }
}

/// The same JSON on one line, with a space behind every colon and comma: the document's own `grep` looks for that.
pub(crate) fn spaced(json: &str) -> String {
    respace(json, ", ", ": ")
}

/// The same JSON without any space between its tokens, so that two layouts of one object are one text.
pub(crate) fn squeezed(json: &str) -> String {
    respace(json, ",", ":")
}

fn respace(json: &str, comma: &str, colon: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 8);
    for token in Tokens(json) {
        match token {
            "," => out.push_str(comma),
            ":" => out.push_str(colon),
            other => out.push_str(other),
        }
    }
    out
}

/// The same JSON over many lines, two spaces a level, as people keep it in git.
pub(crate) fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut level = 0_usize;
    let mut tokens = Tokens(json).peekable();
    let line = |out: &mut String, level: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
    };
    while let Some(token) = tokens.next() {
        match token {
            "{" | "[" => {
                out.push_str(token);
                if let Some(close @ ("}" | "]")) = tokens.peek().copied() {
                    out.push_str(close);
                    tokens.next();
                } else {
                    level += 1;
                    line(&mut out, level);
                }
            }
            "}" | "]" => {
                level = level.saturating_sub(1);
                line(&mut out, level);
                out.push_str(token);
            }
            "," => {
                out.push(',');
                line(&mut out, level);
            }
            ":" => out.push_str(": "),
            other => out.push_str(other),
        }
    }
    out.push('\n');
    out
}

/// The tokens of a JSON text: punctuation, strings with their quotes, and everything else between blanks.
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start_matches([' ', '\t', '\r', '\n']);
        let bytes = rest.as_bytes();
        let end = match bytes.first()? {
            b'"' => string_end(bytes),
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            _ => bytes.iter().position(|b| b"{}[],:\" \t\r\n".contains(b)).unwrap_or(bytes.len()),
        };
        let (token, behind) = rest.split_at(end);
        self.0 = behind;
        Some(token)
    }
}

/// The place behind the closing quote of the string that opens at the beginning. Only ASCII is looked for, so it is
/// never inside a character.
fn string_end(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii) => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// An object in the order received.
struct Ordered<'a>(Entries<'a>);

impl<'de> Deserialize<'de> for Ordered<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Ordered<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<'de>, A::Error> {
                let mut entries = Vec::with_capacity(12);
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Ordered(entries))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spaces_stand_behind_colons_and_commas_and_nowhere_else() {
        let json = "{ \"a\" :1,\"b\":[ 1 ,2.50,\"x, y: \\\" z\"],\n\"c\":{ },\"d\":1e400}";
        assert_eq!(spaced(json), r#"{"a": 1, "b": [1, 2.50, "x, y: \" z"], "c": {}, "d": 1e400}"#);
        assert_eq!(squeezed(json), r#"{"a":1,"b":[1,2.50,"x, y: \" z"],"c":{},"d":1e400}"#);
        assert_eq!(
            pretty(r#"{"a":[],"b":[1,{"c":2}]}"#),
            "{\n  \"a\": [],\n  \"b\": [\n    1,\n    {\n      \"c\": 2\n    }\n  ]\n}\n"
        );
    }

    #[test]
    fn an_object_keeps_its_order_and_refuses_a_key_twice() {
        let read = entries(r#"{"b":1,"a":{"z":1,"y":2}}"#).expect("an object");
        assert_eq!(read.iter().map(|(k, _)| k.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        for bad in [r#"{"a":1,"a":2}"#, r#"{"x":{"a":1,"a":2}}"#, "[1]", "1", "", r#"{"a":NaN}"#] {
            assert!(entries(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_cut_into_tokens_without_a_panic(text in "\\PC{0,40}|[\\[\\]{}\",:\\\\ a1é]{0,40}") {
            let once = spaced(&text);
            prop_assert_eq!(spaced(&once), once.clone());
            let _ = pretty(&text);
        }
    }
}
