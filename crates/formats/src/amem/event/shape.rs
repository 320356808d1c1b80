//! Which of the published shapes an object of an event file has.

use crate::json::{self, Entries};

/// The shapes found in the wild, by the letters of docs/format.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// The document's own schema.
    A,
    /// `actor`, `action`, `outcome`, usually with an `event_id`.
    B,
    /// `event_type` and free keys beside it.
    C,
    /// `event_type` with a `description` or a `context`.
    D,
    /// The four kinds of usage records: query, reuse, mistake, session.
    E,
    /// `evaluation_type` instead of `event_type`.
    F,
    /// `event` instead of `event_type`.
    G,
    /// `event_type` and `data`.
    H,
    /// The summary of a whole trace.
    Trace,
    /// Written by this program.
    Own,
}

/// The usage records that the origin's scripts write.
const USAGE: [&str; 4] = ["knowledge_query", "knowledge_reuse", "mistake", "session"];

impl Shape {
    /// Its name in `metadata._amem.shape`.
    pub fn word(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
            Self::E => "E",
            Self::F => "F",
            Self::G => "G",
            Self::H => "H",
            Self::Trace => "trace",
            Self::Own => "idetic",
        }
    }

    /// The shape of an object that we did not write; `None` when it is no event.
    pub(super) fn of(entries: &Entries) -> Option<Self> {
        let has = |key: &str| json::get(entries, key).is_some();
        let word = |key: &str| json::get(entries, key).and_then(json::text).filter(|t| !t.trim().is_empty());
        if let Some(name) = word("event_type") {
            let complete = ["timestamp", "trace_id", "status", "source"].iter().all(|k| has(k));
            return Some(match () {
                () if has("schema_version") || complete => Self::A,
                () if USAGE.contains(&name.as_str()) => Self::E,
                () if has("description") || has("context") => Self::D,
                () if has("data") => Self::H,
                () => Self::C,
            });
        }
        let is_trace = has("trace_id") && (has("start_time") || has("end_time"));
        match () {
            () if word("action").is_some() => Some(Self::B),
            () if word("evaluation_type").is_some() => Some(Self::F),
            () if word("event").is_some() => Some(Self::G),
            () if is_trace => Some(Self::Trace),
            () => None,
        }
    }
}
