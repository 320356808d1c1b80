//! What operations on notes and on failures answer.

use idetic_core::Time;
use serde::Serialize;

use crate::{EventNumber, NoteRow};

/// What is shown of a note wherever it is recalled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoteSeen {
    /// Its id.
    pub note: String,
    /// Its title.
    pub title: String,
    /// How far it has come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// How sure it says it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated: Option<String>,
    /// How sure it is after what was tried: low, medium or high.
    pub confidence: &'static str,
    /// The same as a number from 0 to 1.
    pub standing: f64,
    /// How often it worked.
    pub worked: u64,
    /// How often it did not.
    pub failed: u64,
    /// The note to use instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
}

/// A note was written.
#[derive(Debug, Clone, Serialize)]
pub struct NoteSaved {
    /// The event's number; none where nothing had to be written.
    pub seq: Option<u64>,
    /// The event.
    pub id: String,
    /// The note.
    pub note: String,
    /// What was done, in a word.
    pub done: &'static str,
}

/// A note as its file has it.
#[derive(Debug, Clone, Serialize)]
pub struct NoteShown {
    /// The note in a list.
    #[serde(flatten)]
    pub line: NoteLine,
    /// The notes that lead to it.
    pub linked_from: Vec<String>,
    /// Which way this version came in.
    pub origin: String,
    /// The whole text.
    pub text: String,
}

/// A note in a list.
#[derive(Debug, Clone, Serialize)]
pub struct NoteLine {
    /// What it is and how sure.
    #[serde(flatten)]
    pub seen: NoteSeen,
    /// When it was made.
    pub created: Option<String>,
    /// When it was last changed.
    pub updated: Option<String>,
    /// Who wrote this version.
    pub author: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// What sort of note it is.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The notes it leads to.
    pub links: Vec<String>,
    /// The traces it came from.
    pub traces: Vec<String>,
    /// The event that holds it.
    pub id: String,
    /// The number of that event.
    pub seq: u64,
    /// What it was ranked by, where it was searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl NoteLine {
    /// A note and how often it was tried.
    pub fn of(row: NoteRow, tried: crate::Tried) -> Self {
        Self {
            seen: NoteSeen::of(&row, tried),
            created: row.created,
            updated: row.updated,
            author: row.author,
            source: row.source,
            kind: row.kind,
            tags: row.tags,
            links: row.links,
            traces: row.traces,
            id: row.event,
            seq: row.seq,
            score: None,
        }
    }
}

/// One version of a note.
#[derive(Debug, Clone, Serialize)]
pub struct NoteVersion {
    /// The note.
    pub note: String,
    /// The event that holds it.
    pub id: String,
    /// The number of that event.
    pub seq: u64,
    /// When it was written.
    pub recorded_at: Time,
    /// Who wrote it.
    pub author: Option<String>,
    /// Its origin.
    pub origin: String,
    /// Whether it was taken away.
    pub deleted: bool,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: Option<String>,
    /// How sure it said it was.
    pub confidence: Option<String>,
    /// What changed since the version before: lines behind `-` and `+`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<Vec<String>>,
}

/// A note that another leads to, over some steps.
#[derive(Debug, Clone, Serialize)]
pub struct NoteRelated {
    /// The note.
    pub note: String,
    /// How many links away.
    pub distance: usize,
    /// The note on the way to it.
    pub via: String,
    /// Its title; none where there is no such note.
    pub title: Option<String>,
    /// Whether a link leads to it and there is no such note.
    pub dangling: bool,
}

/// Something a check of a note found.
#[derive(Debug, Clone, Serialize)]
pub struct NoteFinding {
    /// The note.
    pub note: String,
    /// Whether it must be repaired; else it is worth a look.
    pub wrong: bool,
    /// What was found.
    pub found: String,
}

/// Failures that resemble each other.
#[derive(Debug, Clone, Serialize)]
pub struct FailureGroup {
    /// How many.
    pub count: usize,
    /// When the first of them happened.
    pub first: Time,
    /// When the last of them happened.
    pub last: Time,
    /// What the last of them says.
    pub example: String,
    /// The last of them.
    #[serde(flatten)]
    pub place: EventNumber,
    /// Its id.
    pub id: String,
    /// Their kinds.
    pub kinds: Vec<String>,
    /// Their traces, the latest first.
    pub traces: Vec<String>,
}

/// What is known about a failure.
#[derive(Debug, Clone, Serialize)]
pub struct Advice {
    /// Whether there is a note that is likely to solve it, or something that helped before.
    pub known: bool,
    /// What was done until a failure like it was gone, the likest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<Fix>,
    /// Notes that solved it, the surest first.
    pub notes: Vec<Advised>,
    /// Failures like it.
    pub failures: Vec<PastFailure>,
    /// What was done after them in the same traces.
    pub tried: Vec<Attempt>,
}

/// What was done until something worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// The steps, in order: what was run or changed.
    pub steps: Vec<String>,
    /// What the agent said of it when it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

/// A note that is likely to solve a failure.
#[derive(Debug, Clone, Serialize)]
pub struct Advised {
    /// The note.
    #[serde(flatten)]
    pub seen: NoteSeen,
    /// The event that holds it.
    pub id: String,
    /// How sure it is that it solves this failure, from 0 to 1.
    pub sure: f64,
    /// The same as a word: low, medium or high.
    pub how_sure: &'static str,
    /// Why it is named.
    pub because: String,
    /// The events that say so.
    pub causes: Vec<String>,
    /// Which way the note came in.
    pub origin: String,
    /// Its text.
    pub text: String,
}

/// A failure like the one that was asked about.
#[derive(Debug, Clone, Serialize)]
pub struct PastFailure {
    /// Its number.
    #[serde(flatten)]
    pub place: EventNumber,
    /// Its id.
    pub id: String,
    /// When it happened.
    pub ts: Time,
    /// The workflow it was part of.
    pub trace_id: Option<String>,
    /// How alike, from 0 to 1.
    pub alike: f64,
    /// What it says.
    pub text: String,
}

/// Something that was done after a failure.
#[derive(Debug, Clone, Serialize)]
pub struct Attempt {
    /// Its number.
    #[serde(flatten)]
    pub place: EventNumber,
    /// Its id.
    pub id: String,
    /// When it happened.
    pub ts: Time,
    /// The workflow.
    pub trace_id: String,
    /// What kind of thing it was.
    pub kind: String,
    /// How it went.
    pub status: Option<&'static str>,
    /// What it says.
    pub text: String,
}
