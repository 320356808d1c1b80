//! What JSON allows and we do not: a key that stands twice in one object, and nesting without end.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::{Invalid, invalid};

/// Refuses an object, anywhere in a valid JSON text, in which a key stands twice: two readers would see two records.
pub fn refuse_duplicate_keys(text: &str) -> Result<(), Invalid> {
    let mut objects: Vec<Option<HashSet<Cow<str>>>> = Vec::new();
    let mut key_is_next = false;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                if let (true, Some(Some(keys))) = (key_is_next, objects.last_mut()) {
                    let key = decode(&text[at..end]);
                    if keys.contains(&key) {
                        return Err(Invalid::new(format!("key '{}' stands twice", invalid::excerpt(&key)))
                            .hint("keep one of the two: which of them counts would depend on the reader"));
                    }
                    keys.insert(key);
                }
                key_is_next = false;
                at = end;
                continue;
            }
            b'{' => {
                objects.push(Some(HashSet::new()));
                key_is_next = true;
            }
            b'[' => {
                objects.push(None);
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
    Ok(())
}

/// How deep a valid JSON text nests; a scalar is 0.
pub fn depth(text: &str) -> usize {
    let (mut deepest, mut depth, mut at) = (0, 0_usize, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    deepest
}

/// The place after the closing quote of the string that opens at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// A quoted string's text: `"a"` and `"a"` are the same key.
fn decode(quoted: &str) -> Cow<'_, str> {
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or(quoted);
    if inner.contains('\\') {
        serde_json::from_str(quoted).map_or(Cow::Borrowed(inner), Cow::Owned)
    } else {
        Cow::Borrowed(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_keys_are_found_wherever_they_hide() {
        for bad in [r#"{"a":1,"a":2}"#, r#"{"x":{"a":1,"b":2,"a":3}}"#, r#"[{"a":1,"\u0061":2}]"#] {
            assert!(refuse_duplicate_keys(bad).is_err(), "{bad}");
        }
        for good in [r#"{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a,\"a\":"}"#, "[1,2]", r#""a""#, r#"{"a":["a","a"]}"#] {
            assert_eq!(refuse_duplicate_keys(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn depth_counts_containers_and_not_braces_in_strings() {
        assert_eq!(depth("1"), 0);
        assert_eq!(depth(r#"{"a":[{"b":"[[[["}]}"#), 3);
    }
}
