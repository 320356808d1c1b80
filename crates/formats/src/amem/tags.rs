//! `knowledge/tags.json`: which notes have which tag. Three published shapes are read, the document's is written.

use std::collections::{BTreeMap, BTreeSet};

use super::Problem;
use super::links::note_id;
use crate::json::{self, Writer};

/// Tags, and the ids of the notes that have each, both sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags(pub BTreeMap<String, BTreeSet<String>>);

impl Tags {
    /// Notes a tag of a note.
    pub fn add(&mut self, tag: &str, note: &str) {
        self.0.entry(tag.to_owned()).or_default().insert(note.to_owned());
    }

    /// Reads `{"tags": {t: {"notes": […]}}}`, `{"tags": {t: […]}}` or `{t: […]}`. What cannot be read is told.
    pub fn read(text: &str) -> (Self, Vec<Problem>) {
        let (mut tags, mut problems) = (Self::default(), Vec::new());
        let text = text.trim_start_matches('\u{feff}');
        let whole = match json::entries(text) {
            Ok(whole) => whole,
            Err(reason) => return (tags, vec![Problem::new(1, reason, text.as_bytes())]),
        };
        let inner = json::get(&whole, "tags").and_then(json::object);
        for (tag, value) in inner.as_ref().unwrap_or(&whole) {
            let nested = json::object(value);
            let list =
                nested.as_ref().and_then(|o| json::get(o, "notes")).or_else(|| nested.is_none().then_some(*value));
            match list.and_then(json::strings) {
                Some(notes) => {
                    let ids = notes.iter().map(|n| note_id(n)).filter(|n| !n.is_empty());
                    tags.0.entry(tag.clone()).or_default().extend(ids);
                }
                None => {
                    problems.push(Problem::new(1, format!("tag '{tag}' has no list of notes"), value.get().as_bytes()))
                }
            }
        }
        (tags, problems)
    }

    /// The document's shape, over many lines, sorted.
    pub fn write(&self) -> String {
        let mut all = Writer::default();
        for (tag, notes) in &self.0 {
            let mut one = Writer::default();
            one.raw("note_count", &notes.len().to_string());
            one.raw("notes", &json::list(&notes.iter().collect::<Vec<_>>()));
            all.raw(tag, &one.finish());
        }
        let mut file = Writer::default();
        file.raw("tags", &all.finish());
        json::pretty(&file.finish())
    }
}

/// The one spelling of a tag: small letters, hyphens instead of blanks and underscores, no `#` in front.
pub fn normal(tag: &str) -> String {
    let mut normal = String::with_capacity(tag.len());
    let tag = tag.trim_start_matches(|c: char| c == '#' || is_gap(c));
    for c in tag.chars().flat_map(char::to_lowercase) {
        match is_gap(c) {
            false => normal.push(c),
            true if normal.is_empty() || normal.ends_with('-') => {}
            true => normal.push('-'),
        }
    }
    normal.truncate(normal.trim_end_matches('-').len());
    normal
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || c.is_control() || ['_', '-', ','].contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_shapes_say_the_same() {
        let seed = r#"{"tags":{"backend":{"note_count":2,"notes":["b","a"]}}}"#;
        let code = r#"{"backend":["a","b"]}"#;
        let published = r#"{"tags":{"backend":["a.md","notes/b.md"]},"notes":{"a.md":["backend"]},"total_tags":1}"#;
        for text in [seed, code, published] {
            let (tags, problems) = Tags::read(text);
            assert_eq!(
                tags.write(),
                "{\n  \"tags\": {\n    \"backend\": {\n      \"note_count\": 2,\n      \"notes\": [\n        \"a\",\n        \"b\"\n      ]\n    }\n  }\n}\n",
                "{text}"
            );
            assert!(problems.is_empty());
        }
        assert_eq!(Tags::default().write(), "{\n  \"tags\": {}\n}\n");
        let (tags, problems) = Tags::read(r#"{"tags":{"a":5,"b":["x"]}}"#);
        assert_eq!((tags.0.len(), problems.len()), (1, 1));
        assert_eq!(Tags::read("[").1.len(), 1);
    }

    #[test]
    fn a_tag_has_one_spelling() {
        for (tag, wanted) in [
            ("Backend", "backend"),
            (" backend issues ", "backend-issues"),
            ("#L3_Criterion", "l3-criterion"),
            ("sap:evaluation", "sap:evaluation"),
            ("--", ""),
        ] {
            assert_eq!(normal(tag), wanted);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_what_is_written_reads_back(text in "\\PC{0,40}", tags in prop::collection::btree_map("\\PC{1,6}", prop::collection::btree_set("[a-z]{1,5}", 0..4), 0..4)) {
            let _ = Tags::read(&text);
            let tags = Tags(tags);
            prop_assert_eq!(Tags::read(&tags.write()), (tags.clone(), vec![]));
            prop_assert_eq!(normal(&normal(&text)), normal(&text));
        }
    }
}
