//! Whether a record says some words: in what it was given, not in the names that its own fields have.

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::TextPattern;

/// Names of fields of other formats that the same records have.
const FOREIGN: [&str; 6] = ["event_id", "event_type", "timestamp", "schema_version", "data", "_idetic"];

/// Whether a record, or a line of a file of events, has the words. "Kin" is not in a field called `kind`.
pub fn says(words: &TextPattern, record: &str) -> bool {
    if !words.matches(record) {
        return false;
    }
    match without_field_names(record) {
        Some(said) => words.matches(&said),
        None => true,
    }
}

/// What stands in an object, a line for each field; the names of fields that anybody may choose are a part of it.
fn without_field_names(record: &str) -> Option<String> {
    let mut reader = serde_json::Deserializer::from_str(record);
    let said = reader.deserialize_map(Said).ok()?;
    reader.end().ok()?;
    Some(said)
}

struct Said;

impl<'de> Visitor<'de> for Said {
    type Value = String;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
        let mut said = String::new();
        while let Some(name) = map.next_key::<String>()? {
            if !is_field(&name) {
                said.push_str(&name);
                said.push(' ');
            }
            said.push_str(map.next_value::<&RawValue>()?.get());
            said.push('\n');
        }
        Ok(said)
    }
}

fn is_field(name: &str) -> bool {
    FOREIGN.contains(&name) || idetic_core::fields::KNOWN.split(", ").any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_says_what_it_was_given_and_not_what_its_fields_are_called() {
        let record =
            r#"{"kind":"user_input","content":"plain words","metadata":{"Otto":1,"n":"Zo\u00eb"},"trust":"user"}"#;
        for (words, is_said) in [
            ("Kin", false),
            ("content", false),
            ("tru", false),
            ("metadata", false),
            ("plain words", true),
            ("Otto", true),
            ("zoë", true),
            ("user_input", true),
        ] {
            assert_eq!(says(&TextPattern::new(words).expect("long enough"), record), is_said, "{words}");
        }
        let otto = TextPattern::new("Otto").expect("long enough");
        assert!(says(&otto, r#"{"otto":"x"}"#), "a field of somebody's own");
        assert!(says(&otto, r#"{"content":"Otto","content":"x"}"#), "said twice");
        assert!(says(&otto, r#"{"content":"Otto""#), "what is damaged is taken as it is");
        assert!(!says(&TextPattern::new("Tim").expect("long enough"), r#"{"timestamp":"2026","event_type":"a.b"}"#));
    }
}
