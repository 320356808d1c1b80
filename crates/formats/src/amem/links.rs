//! `knowledge/links.json`: which notes lead where. Three published shapes are read, the document's is written.

use std::collections::{BTreeMap, BTreeSet};

use super::Problem;
use crate::json::{self, Entries, Writer};

/// One note among the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Linked {
    /// Notes it leads to.
    pub outgoing: BTreeSet<String>,
    /// Those among them that do not exist yet.
    pub missing: BTreeSet<String>,
    /// Notes that lead to it.
    pub incoming: BTreeSet<String>,
    /// How much it is part of the whole, in hundredths; not every shape says.
    pub strength: Option<u8>,
}

/// Notes that belong together.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cluster {
    /// What they have in common.
    pub name: String,
    /// Their ids, sorted.
    pub notes: BTreeSet<String>,
}

/// The whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    /// Every note by its id.
    pub notes: BTreeMap<String, Linked>,
    /// Communities of notes.
    pub clusters: Vec<Cluster>,
}

impl Links {
    /// Reads any of the published shapes: a list of notes with or without strengths and clusters, or a map from file
    /// name to file names with `backlinks` beside it. What cannot be read is told.
    pub fn read(text: &str) -> (Self, Vec<Problem>) {
        let (mut links, mut problems) = (Self::default(), Vec::new());
        let text = text.trim_start_matches('\u{feff}');
        let whole = match json::entries(text) {
            Ok(whole) => whole,
            Err(reason) => return (links, vec![Problem::new(1, reason, text.as_bytes())]),
        };
        let mut wrong = |what: &str, raw: &str| problems.push(Problem::new(1, what.to_owned(), raw.as_bytes()));
        match json::get(&whole, "notes") {
            Some(notes) if notes.get().starts_with('{') => links.read_map(&whole, &mut wrong),
            Some(notes) => match serde_json::from_str::<Vec<&serde_json::value::RawValue>>(notes.get()) {
                Ok(list) => list.iter().for_each(|note| links.read_note(note.get(), &mut wrong)),
                Err(_) => wrong("notes is neither a list nor a map", notes.get()),
            },
            None => wrong("there is no key 'notes'", text),
        }
        if let Some(clusters) = json::get(&whole, "clusters") {
            match serde_json::from_str::<Vec<&serde_json::value::RawValue>>(clusters.get()) {
                Ok(list) => list.iter().for_each(|cluster| links.read_cluster(cluster.get(), &mut wrong)),
                Err(_) => wrong("clusters is not a list", clusters.get()),
            }
        }
        (links, problems)
    }

    fn read_map(&mut self, whole: &Entries, wrong: &mut dyn FnMut(&str, &str)) {
        for key in ["notes", "backlinks"] {
            for (file, value) in json::get(whole, key).and_then(json::object).unwrap_or_default() {
                let Some(targets) = json::strings(value) else {
                    wrong(&format!("{key} of '{file}' is not a list"), value.get());
                    continue;
                };
                let note = self.notes.entry(note_id(&file)).or_default();
                let side = if key == "notes" { &mut note.outgoing } else { &mut note.incoming };
                side.extend(targets.iter().map(|t| note_id(t)));
            }
        }
    }

    fn read_note(&mut self, raw: &str, wrong: &mut dyn FnMut(&str, &str)) {
        let entries = json::entries(raw).unwrap_or_default();
        let Some(id) = json::get(&entries, "id").and_then(json::text).filter(|id| !id.is_empty()) else {
            return wrong("a note without an id", raw);
        };
        let side = |key: &str| -> BTreeSet<String> {
            let list = json::get(&entries, key).and_then(json::strings).unwrap_or_default();
            list.iter().map(|t| note_id(t)).collect()
        };
        let strength = json::get(&entries, "strength").and_then(|s| hundredths(s.get()));
        let note = self.notes.entry(note_id(&id)).or_default();
        note.outgoing.extend(side("outgoing_links"));
        note.incoming.extend(side("incoming_links"));
        note.missing.extend(side("missing_links"));
        note.strength = strength.or(note.strength);
    }

    fn read_cluster(&mut self, raw: &str, wrong: &mut dyn FnMut(&str, &str)) {
        let entries = json::entries(raw).unwrap_or_default();
        let name = json::get(&entries, "name").and_then(json::text);
        let notes = json::get(&entries, "notes").and_then(json::strings);
        match (name, notes) {
            (Some(name), Some(notes)) => {
                self.clusters.push(Cluster { name, notes: notes.iter().map(|n| note_id(n)).collect() });
            }
            _ => wrong("a cluster needs a name and a list of notes", raw),
        }
    }

    /// The document's shape, over many lines, everything sorted.
    pub fn write(&self) -> String {
        let notes: Vec<String> = self.notes.iter().map(|(id, note)| write_note(id, note)).collect();
        let mut clusters: Vec<&Cluster> = self.clusters.iter().collect();
        clusters.sort();
        let clusters: Vec<String> = clusters.into_iter().map(write_cluster).collect();
        json::pretty(&format!("{{\"notes\":[{}],\"clusters\":[{}]}}", notes.join(","), clusters.join(",")))
    }
}

fn write_note(id: &str, note: &Linked) -> String {
    let list = |ids: &BTreeSet<String>| json::list(&ids.iter().collect::<Vec<_>>());
    let mut out = Writer::default();
    out.text("id", id);
    out.raw("outgoing_links", &list(&note.outgoing));
    if !note.missing.is_empty() {
        out.raw("missing_links", &list(&note.missing));
    }
    out.raw("incoming_links", &list(&note.incoming));
    if let Some(strength) = note.strength {
        out.raw("strength", &decimal(strength));
    }
    out.finish()
}

fn write_cluster(cluster: &Cluster) -> String {
    let mut out = Writer::default();
    out.text("name", &cluster.name);
    out.raw("notes", &json::list(&cluster.notes.iter().collect::<Vec<_>>()));
    out.finish()
}

/// `80` as `0.8`: the shortest way to write it that still has a point.
fn decimal(hundredths: u8) -> String {
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    if rest.is_multiple_of(10) { format!("{whole}.{}", rest / 10) } else { format!("{whole}.{rest:02}") }
}

/// `0.8` as 80; `None` for what is not between 0 and 1.
fn hundredths(json: &str) -> Option<u8> {
    let number: f64 = json.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
    (0.0..=1.0).contains(&number).then(|| (number * 100.0).round() as u8)
}

/// The id in a link: without brackets, alias, heading, folder and `.md`.
pub fn note_id(link: &str) -> String {
    let link = link.trim();
    let link = link.strip_prefix("[[").unwrap_or(link);
    let link = link.split("]]").next().unwrap_or(link);
    let link = link.split('|').next().unwrap_or(link);
    let link = link.split('#').next().unwrap_or(link).trim();
    let link = link.rsplit('/').next().unwrap_or(link);
    link.strip_suffix(".md").unwrap_or(link).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_shapes_are_read_and_the_document_s_is_written() {
        let seed = r#"{"notes":[{"id":"b","outgoing_links":["a"],"incoming_links":[],"strength":0.8},{"id":"a","outgoing_links":[],"incoming_links":["b"],"strength":0.85}],"clusters":[{"name":"c","notes":["b","a"]}]}"#;
        let (links, problems) = Links::read(seed);
        assert!(problems.is_empty());
        let text = links.write();
        assert!(text.starts_with("{\n  \"notes\": [\n    {\n      \"id\": \"a\",\n      \"outgoing_links\": [],\n"));
        assert!(text.contains("\"strength\": 0.8\n") && text.contains("\"strength\": 0.85\n") && text.ends_with("}\n"));
        assert_eq!(Links::read(&text), (links.clone(), vec![]));

        let code = r#"{"notes":[{"id":"b","outgoing_links":["a"],"incoming_links":[]},{"id":"a","outgoing_links":[],"incoming_links":["b"]}]}"#;
        let published =
            r#"{"notes":{"b.md":["a.md"],"a.md":[]},"backlinks":{"a.md":["b.md"]},"total_notes":2,"total_links":1}"#;
        assert_eq!(Links::read(code), Links::read(published));
        assert_eq!(Links::read(code).0.notes["a"].incoming, links.notes["a"].incoming);
    }

    #[test]
    fn what_is_wrong_is_told_and_the_rest_is_read() {
        let (links, problems) =
            Links::read(r#"{"notes":[{"id":"a","strength":7},{"x":1},5],"clusters":[{"name":"c"}]}"#);
        assert_eq!((links.notes.len(), problems.len()), (1, 3));
        assert_eq!(links.notes["a"].strength, None);
        for bad in ["", "[]", "{}", r#"{"notes":5}"#] {
            assert_eq!(Links::read(bad).1.len(), 1, "{bad}");
        }
    }

    #[test]
    fn a_link_is_an_id_however_it_is_written() {
        for link in ["a-b", "[[a-b]]", "a-b.md", "notes/a-b.md", "[[a-b|the fix]]", "[[a-b#Solution]]", " [[ a-b ]] "] {
            assert_eq!(note_id(link), "a-b", "{link}");
        }
        assert_eq!((decimal(0), decimal(5), decimal(100)), ("0.0".to_owned(), "0.05".to_owned(), "1.0".to_owned()));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,60}|\\{\"notes\":[\\[\\]{}\",:a0-9.]{0,40}\\}") {
            let (links, _) = Links::read(&text);
            prop_assert_eq!(Links::read(&links.write()).0.write(), links.write());
        }
    }
}
