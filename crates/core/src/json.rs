//! What JSON allows and we do not: a key that stands twice in one object, and nesting without end.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use serde_json::value::RawValue;

use crate::{Invalid, invalid};

/// How deep a valid JSON text nests; a scalar is 0. Refuses an object, anywhere in it, in which a key stands twice: two
/// readers would see two records.
pub fn depth(text: &str) -> Result<usize, Invalid> {
    let mut deepest = 0;
    let mut objects: Vec<Option<Keys>> = Vec::new();
    let mut key_is_next = false;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                if let (true, Some(Some(keys))) = (key_is_next, objects.last_mut()) {
                    // The letter a and its escape are the same key; one that cannot be decoded is only like itself.
                    let quoted = &text[at..end];
                    let key = string(quoted).unwrap_or(Cow::Borrowed(quoted));
                    if !keys.add(key.clone()) {
                        return Err(Invalid::new(format!("key '{}' is given twice", invalid::excerpt(&key)))
                            .hint("keep one of the two: which of them counts would depend on the reader"));
                    }
                }
                key_is_next = false;
                at = end;
                continue;
            }
            b'{' => {
                objects.push(Some(Keys::default()));
                deepest = deepest.max(objects.len());
                key_is_next = true;
            }
            b'[' => {
                objects.push(None);
                deepest = deepest.max(objects.len());
                key_is_next = false;
            }
            b'}' | b']' => {
                objects.pop();
                key_is_next = false;
            }
            b',' => key_is_next = matches!(objects.last(), Some(Some(_))),
            _ => {}
        }
        at += 1;
    }
    Ok(deepest)
}

/// The keys of one object: a list while they are few, as they nearly always are.
#[derive(Default)]
struct Keys<'a> {
    few: Vec<Cow<'a, str>>,
    many: BTreeSet<Cow<'a, str>>,
}

impl<'a> Keys<'a> {
    const FEW: usize = 32;

    /// Adds a key; tells whether it is new.
    fn add(&mut self, key: Cow<'a, str>) -> bool {
        if self.few.contains(&key) {
            return false;
        }
        if self.few.len() < Self::FEW {
            self.few.push(key);
            return true;
        }
        self.many.insert(key)
    }
}

/// Whether two JSON texts say the same. Numbers are compared as they are written: as floats, long ones would be equal
/// that are not.
pub fn same(one: &str, other: &str) -> bool {
    type Object<'a> = HashMap<String, &'a RawValue>;
    let (one, other) = (one.trim(), other.trim());
    let pair = |a: &&RawValue, b: &&RawValue| same(a.get(), b.get());
    match one.as_bytes().first() {
        Some(b'{') => match (serde_json::from_str::<Object>(one), serde_json::from_str::<Object>(other)) {
            (Ok(a), Ok(b)) => a.len() == b.len() && a.iter().all(|(key, x)| b.get(key).is_some_and(|y| pair(x, y))),
            _ => false,
        },
        Some(b'[') => {
            match (serde_json::from_str::<Vec<&RawValue>>(one), serde_json::from_str::<Vec<&RawValue>>(other)) {
                (Ok(a), Ok(b)) => a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| pair(x, y)),
                _ => false,
            }
        }
        Some(b'"') => match (serde_json::from_str::<String>(one), serde_json::from_str::<String>(other)) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        },
        _ => one == other,
    }
}

/// The place after the closing quote of the string that opens at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// The text of a string in a valid JSON text; `None` for anything else, and for escapes that are no characters.
pub fn string(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    // Without escapes it is what stands between the quotes.
    if !inner.as_bytes().contains(&b'\\') {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(json).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_keys_are_found_wherever_they_hide() {
        for bad in [r#"{"a":1,"a":2}"#, r#"{"x":{"a":1,"b":2,"a":3}}"#, r#"[{"a":1,"\u0061":2}]"#] {
            assert!(depth(bad).is_err(), "{bad}");
        }
        for good in [r#"{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a,\"a\":"}"#, "[1,2]", r#""a""#, r#"{"a":["a","a"]}"#] {
            assert!(depth(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn duplicates_are_found_among_many_keys() {
        let object = |last: usize| {
            let keys: Vec<String> = (0..500).chain([last]).map(|n| format!("\"k{n}\":1")).collect();
            format!("{{{}}}", keys.join(","))
        };
        assert_eq!(depth(&object(500)), Ok(1));
        assert!(depth(&object(3)).is_err() && depth(&object(499)).is_err());
    }

    #[test]
    fn depth_counts_containers_and_not_braces_in_strings() {
        assert_eq!(depth("1"), Ok(0));
        assert_eq!(depth(r#"{"a":[{"b":"[[[["}]}"#), Ok(3));
    }
}
