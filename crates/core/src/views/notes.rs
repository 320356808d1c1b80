//! Notes: each as it stands, and how often what it says was tried and worked.
//!
//! A note is the whole text that was last written under its id. Whoever writes it says in the event's metadata what its
//! frontmatter means, so that folding needs no parser and replay gives the same rows for ever.

use serde::Deserialize;

use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::{Event, Fields};

/// The kind of an event that holds the whole new text of a note.
pub const NOTE_WRITTEN: &str = "note.written";
/// The kind of an event that takes a note away.
pub const NOTE_DELETED: &str = "note.deleted";
/// The kind of an event that tells how it went to do what a note says.
pub const NOTE_OUTCOME: &str = "note.outcome";

/// One row for each note. Lists are JSON arrays of texts; `seq` is the event that holds the text.
pub static NOTES: Table = Table {
    name: "notes",
    shape: Shape::Entity { key: 1 },
    columns: &[
        "note",
        "title",
        "status",
        "confidence",
        "created",
        "updated",
        "author",
        "source",
        "type",
        "tags",
        "links",
        "traces",
        "replaced_by",
        "path",
        "deleted",
        "event",
        "seq",
    ],
    indexes: &[],
};

/// How often a note was tried.
pub static OUTCOMES: Table = Table {
    name: "outcomes",
    shape: Shape::Entity { key: 1 },
    columns: &["note", "worked", "failed", "last_seq"],
    indexes: &[],
};

pub const VIEW: View = View { name: "notes", version: 1, tables: &[&NOTES, &OUTCOMES], fold };

/// What the metadata of an event about a note says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    note: Option<String>,
    title: Option<String>,
    status: Option<String>,
    confidence: Option<String>,
    created: Option<String>,
    updated: Option<String>,
    source: Option<String>,
    r#type: Option<String>,
    tags: Vec<String>,
    links: Vec<String>,
    traces: Vec<String>,
    replaced_by: Option<String>,
    path: Option<String>,
    worked: Option<bool>,
}

fn fold(event: &Event, live: Live) -> Vec<Change> {
    let kind = event.header.kind.as_str();
    if ![NOTE_WRITTEN, NOTE_DELETED, NOTE_OUTCOME].contains(&kind) {
        return Vec::new();
    }
    // Notes are shared by all agents of a space: what one of them keeps to itself is no note.
    let Some(fields) = event.fields.as_ref().filter(|fields| fields.agent_id.is_none()) else { return Vec::new() };
    let said: Said =
        fields.metadata.as_ref().and_then(|metadata| serde_json::from_str(metadata.get()).ok()).unwrap_or_default();
    let Some(note) = said.note.clone() else { return Vec::new() };
    match (kind, said.worked) {
        (NOTE_WRITTEN, _) => vec![Change::Put(&NOTES, row(note, said, fields, event))],
        (NOTE_DELETED, _) => deleted(&note, event, live),
        (_, Some(worked)) => vec![Change::Put(&OUTCOMES, outcome(&note, worked, event, live))],
        _ => Vec::new(),
    }
}

fn row(note: String, said: Said, fields: &Fields, event: &Event) -> Vec<Value> {
    let texts = |list: Vec<String>| Value::Text(serde_json::Value::from(list).to_string());
    vec![
        Value::Text(note),
        said.title.as_deref().into(),
        said.status.as_deref().into(),
        said.confidence.as_deref().into(),
        said.created.as_deref().into(),
        said.updated.as_deref().into(),
        fields.author.as_deref().into(),
        said.source.as_deref().into(),
        said.r#type.as_deref().into(),
        texts(said.tags),
        texts(said.links),
        texts(said.traces),
        said.replaced_by.as_deref().into(),
        said.path.as_deref().into(),
        Value::Int(0),
        event.header.id.as_str().into(),
        event.seq().into(),
    ]
}

/// A note that is taken away keeps its last row, marked, so that its history is found.
fn deleted(note: &str, event: &Event, live: Live) -> Vec<Change> {
    let Some(mut row) = live(&NOTES, &[note.into()]) else { return Vec::new() };
    let column = |name: &str| NOTES.columns.iter().position(|own| *own == name);
    for (name, value) in
        [("deleted", Value::Int(1)), ("event", event.header.id.as_str().into()), ("seq", event.seq().into())]
    {
        if let Some(cell) = column(name).and_then(|at| row.get_mut(at)) {
            *cell = value;
        }
    }
    vec![Change::Put(&NOTES, row)]
}

fn outcome(note: &str, worked: bool, event: &Event, live: Live) -> Vec<Value> {
    let before = live(&OUTCOMES, &[note.into()]);
    let number = |column: usize| before.as_ref().map_or(0, |row| row[column].int());
    let (good, bad) = (number(1) + i64::from(worked), number(2) + i64::from(!worked));
    vec![note.into(), good.into(), bad.into(), event.seq().into()]
}
