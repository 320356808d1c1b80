//! One event of an event file: every published shape is read into a record of the log, and events are written as schema v1.0.

use std::collections::HashMap;

use idetic_core::{Hash, Record, hash, json::string};

use super::Problem;
use crate::json::{self, Entries};

mod content;
mod normal;
mod shape;
mod when;
mod written;

pub use shape::Shape;
pub use written::{Exported, write};

/// Where an object was found.
#[derive(Debug, Clone, Copy)]
pub struct SourcePosition {
    /// Its first line, counted from 1.
    pub line: u64,
    /// The how-manieth it is among equal objects of its file, counted from 1: [`Occurrences`] counts.
    pub occurrence: u64,
}

/// An event that was read, as a record the log takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// Its id: as it says itself if we wrote it, else made from its text.
    pub id: String,
    /// The record, one line of JSON with the names of docs/format.md; the log accepts it.
    pub record: String,
    /// How it was written.
    pub shape: Shape,
    /// What had to be assumed, in plain words.
    pub remarks: Vec<String>,
}

/// Reads one object of an event file. The same text is the same record, whichever file it stands in: the origin writes
/// every event into two files.
pub fn read(raw: &str, place: &SourcePosition) -> Result<Incoming, Problem> {
    let wrong = |reason: String| Problem::new(place.line, reason, raw.as_bytes());
    let entries = json::entries(raw).map_err(wrong)?;
    if let Some(own) = written::own_part(&entries) {
        return written::read(&entries, own).map_err(wrong);
    }
    let shape = Shape::of(&entries).ok_or_else(|| {
        wrong("not an event: it has none of event_type, event, action, evaluation_type or a trace's start".to_owned())
    })?;
    let id = identity(raw, place.occurrence);
    if shape == Shape::A
        && let Some(incoming) = normal::exact(&entries, &id)
    {
        return Ok(incoming);
    }
    normal::foreign(raw, &entries, shape, id).map_err(wrong)
}

/// The id of an event that has none of ours: from its text without the blanks between its tokens, so that reading it
/// again adds nothing, however it is laid out; equal events of one file are told apart by their number.
pub fn identity(raw: &str, occurrence: u64) -> String {
    let sum = hash::hex(&fingerprint(raw));
    if occurrence > 1 { format!("amem-{sum}-{occurrence}") } else { format!("amem-{sum}") }
}

/// What tells one object from another, however it is laid out.
pub fn fingerprint(raw: &str) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&Hash::of(json::squeezed(raw).as_bytes()).0[..16]);
    short
}

/// Counts equal objects within one file.
#[derive(Debug, Default)]
pub struct Occurrences(HashMap<[u8; 16], u64>);

impl Occurrences {
    /// Goes on behind objects that were counted before.
    pub fn after(known: impl IntoIterator<Item = [u8; 16]>) -> Self {
        let mut counts = HashMap::new();
        known.into_iter().for_each(|fingerprint| *counts.entry(fingerprint).or_insert(0) += 1);
        Self(counts)
    }

    /// The how-manieth this object is, counted from 1.
    pub fn next(&mut self, raw: &str) -> u64 {
        let count = self.0.entry(fingerprint(raw)).or_insert(0);
        *count += 1;
        *count
    }
}

/// The fields of a record, in the order of the wire.
const WIRE: [&str; 22] = [
    "id",
    "ts",
    "kind",
    "status",
    "agent_id",
    "persona",
    "visibility",
    "author",
    "source",
    "trace_id",
    "loop_id",
    "conversation_id",
    "scope",
    "summary",
    "content",
    "refs",
    "tags",
    "metadata",
    "trust",
    "causes",
    "origin",
    "schema_version",
];

/// A record in the order of the wire, so that the same fields are the same text, checked as the log will check it.
fn checked(fields: &[(&str, String)]) -> Result<String, String> {
    let mut record = json::Writer::default();
    for name in WIRE {
        for (_, value) in fields.iter().filter(|(key, _)| *key == name) {
            record.raw(name, value);
        }
    }
    let record = record.finish();
    match Record::parse(record.as_bytes()) {
        Ok(parsed) => Ok(parsed.body),
        Err(e) => Err(e.message),
    }
}

/// The text under the first of these keys that has one.
fn first_text<'k>(entries: &Entries, keys: &[&'k str]) -> Option<(&'k str, String)> {
    keys.iter().find_map(|key| {
        let value = json::get(entries, key)?;
        let text = string(value.get())?.into_owned();
        (!text.trim().is_empty()).then_some((*key, text))
    })
}

#[cfg(test)]
mod tests;
