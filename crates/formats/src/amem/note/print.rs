//! A new note, written strictly: the document's keys in the document's order, then the title and the text.

use super::values::{New, item, scalar};
use super::{Confidence, Note};

/// A note that is to be written. What is empty is left out, but for what the document requires.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// Its id, and the name of its file.
    pub id: String,
    /// When it was made.
    pub created: String,
    /// When it was last changed.
    pub updated: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// How sure it is.
    pub confidence: Option<Confidence>,
    /// Where it comes from.
    pub source: Option<String>,
    /// The notes it leads to.
    pub linked_to: Vec<String>,
    /// How far it has come.
    pub status: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// The traces it came from.
    pub related_traces: Vec<String>,
    /// Other keys, in order.
    pub extra: Vec<(String, New)>,
    /// Its title.
    pub title: String,
    /// Its text, without the title.
    pub body: String,
}

impl Note {
    /// Writes a new note.
    pub fn print(draft: &Draft) -> String {
        let text = |value: Option<&str>| value.filter(|v| !v.is_empty()).map(scalar);
        let some = |items: &[String]| (!items.is_empty()).then(|| list(items));
        let known = [
            ("id", Some(scalar(&draft.id))),
            ("created", Some(scalar(&draft.created))),
            ("updated", Some(scalar(&draft.updated))),
            ("tags", Some(list(&draft.tags))),
            ("confidence", text(draft.confidence.map(Confidence::word))),
            ("source", text(draft.source.as_deref())),
            ("linked_to", some(&draft.linked_to)),
            ("status", text(draft.status.as_deref())),
            ("author", text(draft.author.as_deref())),
            ("related_traces", some(&draft.related_traces)),
        ];
        let mut out = String::from("---\n");
        for (key, value) in known.iter().filter_map(|(key, value)| Some((key, value.as_ref()?))) {
            out.push_str(&format!("{key}: {value}\n"));
        }
        for (key, value) in &draft.extra {
            out.push_str(&new_line(key, value, "\n"));
        }
        out.push_str("---\n\n");
        // A text that begins with its own heading keeps it.
        if !draft.title.trim().is_empty() && !draft.body.trim_start().starts_with("# ") {
            let title: Vec<&str> = draft.title.split_whitespace().collect();
            out.push_str(&format!("# {}\n\n", title.join(" ")));
        }
        out.push_str(draft.body.trim_matches('\n'));
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }
}

/// The line of a key that was not there before.
pub(super) fn new_line(key: &str, value: &New, newline: &str) -> String {
    let value = match value {
        New::Text(text) => scalar(text),
        New::List(items) => list(items),
    };
    format!("{}: {value}{newline}", scalar(key))
}

/// A list between brackets.
pub(super) fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|text| item(text)).collect();
    format!("[{}]", items.join(", "))
}
