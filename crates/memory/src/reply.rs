//! Everything an operation can answer. Closed, so that each face can decide how to show each of them.

use idetic_core::{Event, Hash, Time, Trace};
use serde::Serialize;

use crate::Setting;

/// One answer.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Reply {
    /// An event is on disk.
    Ack(Ack),
    /// The events of a batch are on disk: a line each.
    Acks(Vec<Ack>),
    /// An event.
    Event(Box<Event>),
    /// A workflow.
    Trace(Trace),
    /// A workflow in a list of them.
    TraceLine(TraceLine),
    /// Counts.
    Stats(Stats),
    /// How a space stands.
    Status(Box<Status>),
    /// A space in a list of them.
    SpaceLine(SpaceLine),
    /// What a check of a log found.
    Verdict(Verdict),
    /// What the checks of an installation found.
    Checkup(Checkup),
    /// What the views hold.
    Digest(DigestReply),
    /// The settings.
    Settings(Settings),
    /// A line that is written as it is.
    Raw(RawLine),
    /// Something was done.
    Done(Done),
    /// An operation in a list of them.
    OperationLine(OperationLine),
}

/// Declares the answers that are wrapped in an enum variant of the same name.
macro_rules! replies {
    ($($variant:ident($type:ty)),+ $(,)?) => {
        $(impl From<$type> for Reply {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        })+
    };
}
replies!(
    Ack(Ack),
    Acks(Vec<Ack>),
    Event(Event),
    Trace(Trace),
    TraceLine(TraceLine),
    Stats(Stats),
    Status(Status),
    SpaceLine(SpaceLine),
    Verdict(Verdict),
    Checkup(Checkup),
    Digest(DigestReply),
    Settings(Settings),
    Raw(RawLine),
    Done(Done),
    OperationLine(OperationLine),
);

impl From<idetic_store::Ack> for Ack {
    fn from(ack: idetic_store::Ack) -> Self {
        Self { seq: ack.seq, id: ack.id }
    }
}

/// The acknowledgement of one event.
#[derive(Debug, Clone, Serialize)]
pub struct Ack {
    /// Its number.
    pub seq: u64,
    /// Its id.
    pub id: String,
}

/// A workflow in a list.
#[derive(Debug, Clone, Serialize)]
pub struct TraceLine {
    /// Which workflow.
    pub trace_id: String,
    /// How many events.
    pub events: i64,
    /// How many of them failed or timed out.
    pub failures: i64,
    /// When it began.
    pub started: Time,
    /// When its last event happened.
    pub ended: Time,
    /// From one to the other.
    pub total_ms: i64,
}

/// Counts of events.
#[derive(Debug, Clone, Serialize)]
pub struct Stats {
    /// As of which seq.
    pub as_of: u64,
    /// All that were counted.
    pub events: i64,
    /// By kind, the most frequent first.
    pub by_kind: Vec<StatLine>,
    /// By status.
    pub by_status: Vec<StatLine>,
    /// By source.
    pub by_source: Vec<StatLine>,
    /// By agent.
    pub by_agent: Vec<StatLine>,
    /// By day, in order.
    pub by_day: Vec<StatLine>,
}

/// How many events have a value, and how long they took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatLine {
    /// The value.
    pub value: String,
    /// How many.
    pub count: i64,
    /// The mean of those that say how long they took.
    pub mean_duration_ms: Option<i64>,
}

/// How a space stands.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// The home.
    pub home: String,
    /// How it was found.
    pub home_found_by: String,
    /// The space.
    pub space: String,
    /// The id its chain starts from.
    pub space_id: String,
    /// How many events it has.
    pub events: u64,
    /// The hash of the last: note it down to prove later that nothing was cut.
    pub head: Hash,
    /// When the last was written.
    pub last_recorded_at: Option<Time>,
    /// How far each view has come.
    pub views: Vec<ViewLine>,
    /// The files it is kept in.
    pub files: Vec<FileLine>,
}

/// A view and how far it has come.
#[derive(Debug, Clone, Serialize)]
pub struct ViewLine {
    /// The view.
    pub view: String,
    /// The last event folded.
    pub seq: u64,
    /// How many are still to be folded; the next reader does it.
    pub behind: u64,
}

/// A file and its size.
#[derive(Debug, Clone, Serialize)]
pub struct FileLine {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// A space in a list.
#[derive(Debug, Clone, Serialize)]
pub struct SpaceLine {
    /// Its name.
    pub space: String,
    /// How many events it has; missing when it cannot be opened.
    pub events: Option<u64>,
}

/// What a check of a log found.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
    /// Whether all is well.
    pub ok: bool,
    /// How many events were checked.
    pub events: u64,
    /// How many of them were erased.
    pub erased: u64,
    /// The hash of the last event that is sound.
    pub head: Hash,
    /// The first event that is not sound.
    pub first_bad_seq: Option<u64>,
    /// What was found.
    pub problems: Vec<ProblemLine>,
}

/// Something a check found.
#[derive(Debug, Clone, Serialize)]
pub struct ProblemLine {
    /// The first event concerned.
    pub seq: Option<u64>,
    /// What is wrong.
    pub message: String,
}

/// What the checks of an installation found.
#[derive(Debug, Clone, Serialize)]
pub struct Checkup {
    /// Whether all is well.
    pub ok: bool,
    /// Each check.
    pub checks: Vec<CheckLine>,
}

/// One check of an installation.
#[derive(Debug, Clone, Serialize)]
pub struct CheckLine {
    /// What was checked.
    pub check: &'static str,
    /// Whether it is well.
    pub ok: bool,
    /// What was found.
    pub found: String,
    /// What to do about it.
    pub fix: String,
}

/// What the views hold.
#[derive(Debug, Clone, Serialize)]
pub struct DigestReply {
    /// The last event.
    pub seq: u64,
    /// Its hash.
    pub head: Hash,
    /// Each view.
    pub views: Vec<DigestLine>,
}

/// What one view holds.
#[derive(Debug, Clone, Serialize)]
pub struct DigestLine {
    /// The view.
    pub view: &'static str,
    /// The version of its rules.
    pub version: u32,
    /// How many rows.
    pub rows: u64,
    /// The hash of all of them.
    pub digest: Hash,
}

/// The settings in force.
#[derive(Debug, Clone, Serialize)]
pub struct Settings {
    /// The home.
    pub home: String,
    /// How it was found.
    pub home_found_by: String,
    /// Each value and where it came from.
    pub settings: Vec<Setting>,
}

/// A line of JSON that is written as it is.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct RawLine(pub Box<serde_json::value::RawValue>);

/// Something was done.
#[derive(Debug, Clone, Serialize)]
pub struct Done {
    /// What, in a few words.
    pub done: String,
    /// How many events it concerned.
    pub events: u64,
    /// The head after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Hash>,
}

/// An operation in a list.
#[derive(Debug, Clone, Serialize)]
pub struct OperationLine {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The right it needs.
    pub rights: String,
    /// Whether it can lose something.
    pub destructive: bool,
    /// The schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<serde_json::Value>,
}
