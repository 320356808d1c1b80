//! Notes: each as it stands, and how often what it says was tried and worked.
//!
//! A note is the whole text that was last written under its id. Whoever writes it says in the event's metadata what its
//! frontmatter means, so that folding needs no parser and replay gives the same rows for ever.

use serde::Deserialize;

use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::words::Trust;
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
        "rank",
        "trust",
    ],
    indexes: &[],
    places: &[("seq", 1)],
};

/// The note that each event wrote or took away, whether or not that is how it stands now.
pub static NOTE_EVENTS: Table =
    Table { name: "note_events", shape: Shape::Set, columns: &["note"], indexes: &[&["note"]], places: &[] };

/// How often a note was tried.
pub static OUTCOMES: Table = Table {
    name: "outcomes",
    shape: Shape::Entity { key: 1 },
    columns: &["note", "worked", "failed", "last_seq"],
    indexes: &[],
    places: &[("last_seq", 1)],
};

pub const VIEW: View =
    View { name: "notes", version: 3, tables: &[&NOTES, &NOTE_EVENTS, &OUTCOMES], apart: None, fold };

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
    supersedes: Option<String>,
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
        // How a note did is for those to say who tried it.
        (NOTE_OUTCOME, Some(_)) if event.trust() > Trust::Agent => Vec::new(),
        (NOTE_OUTCOME, Some(worked)) => vec![Change::Put(&OUTCOMES, outcome(&note, worked, event, live))],
        (NOTE_OUTCOME, None) => Vec::new(),
        _ => {
            let mut changes = vec![Change::Insert(&NOTE_EVENTS, vec![note.as_str().into()])];
            let before = live(&NOTES, &[note.as_str().into()]);
            let is_deletion = kind == NOTE_DELETED;
            if let Some(rank) = rank(event, is_deletion, said.supersedes.as_deref(), before.as_deref()) {
                let new = if is_deletion {
                    before.map(|row| deleted(row, event, rank))
                } else {
                    Some(row(note, said, fields, event, rank))
                };
                changes.extend(new.map(|row| Change::Put(&NOTES, row)));
            }
            changes
        }
    }
}

/// The rank of a version that is to stand now; none for one that has to stand back. What takes the place of the version that
/// is there always stands. Of two that were written without knowing of each other a text stands before a deletion, and the
/// later one before the earlier, so that every space that has both comes to the same whichever it heard of first.
fn rank(event: &Event, is_deletion: bool, supersedes: Option<&str>, before: Option<&[Value]>) -> Option<i64> {
    let own = event.ts().0;
    let Some(before) = before else { return Some(own) };
    let cell = |name: &str| NOTES.columns.iter().position(|own| *own == name).and_then(|at| before.get(at));
    let (id, rank) = (cell("event").and_then(Value::text), cell("rank").map_or(0, Value::int));
    let was_deletion = cell("deleted").is_some_and(|deleted| deleted.int() != 0);
    let standing = cell("trust").and_then(Value::text).and_then(|word| Trust::parse(word).ok());
    // What is trusted less changes nothing.
    if standing.is_some_and(|standing| !event.trust().may_change(standing)) {
        return None;
    }
    if supersedes.is_none() || supersedes == id {
        return Some(own.max(rank.saturating_add(1)));
    }
    let stands = (!is_deletion, own, Some(event.header.id.as_str())) > (!was_deletion, rank, id);
    stands.then_some(own)
}

/// The row of an event that writes a note.
fn row(note: String, said: Said, fields: &Fields, event: &Event, rank: i64) -> Vec<Value> {
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
        rank.into(),
        event.trust().word().into(),
    ]
}

/// A note that is taken away keeps its last row, marked, so that its history is found.
fn deleted(mut row: Vec<Value>, event: &Event, rank: i64) -> Vec<Value> {
    let column = |name: &str| NOTES.columns.iter().position(|own| *own == name);
    for (name, value) in [
        ("deleted", Value::Int(1)),
        ("event", event.header.id.as_str().into()),
        ("seq", event.seq().into()),
        ("rank", rank.into()),
        ("trust", event.trust().word().into()),
    ] {
        if let Some(cell) = column(name).and_then(|at| row.get_mut(at)) {
            *cell = value;
        }
    }
    row
}

/// The row of one version of a note by itself, as its event has it.
pub fn note_version(event: &Event) -> Option<Vec<Value>> {
    let fields = event.fields.as_ref()?;
    let said: Said = serde_json::from_str(fields.metadata.as_ref()?.get()).ok()?;
    let written = row(said.note.clone()?, said, fields, event, event.ts().0);
    Some(if event.header.kind == NOTE_DELETED { deleted(written, event, event.ts().0) } else { written })
}

fn outcome(note: &str, worked: bool, event: &Event, live: Live) -> Vec<Value> {
    let before = live(&OUTCOMES, &[note.into()]);
    let number = |column: usize| before.as_ref().map_or(0, |row| row[column].int());
    let (good, bad) = (number(1) + i64::from(worked), number(2) + i64::from(!worked));
    vec![note.into(), good.into(), bad.into(), event.seq().into()]
}
