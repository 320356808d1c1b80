//! Everything an operation can answer. Closed, so that each face can decide how to show each of them.

use std::collections::BTreeMap;

use idetic_core::event::Seen;
use idetic_core::stm::{StmEntry, StmHit};
use idetic_core::{Event, Hash, Time, Trace};
use serde::Serialize;

use crate::amem::FolderReport;
use crate::context::Packed;
use crate::embedding::Coverage;
use crate::graph::reply::{GraphDrawing, GraphPart};
use crate::markdown::{MdAppended, MdBoot, MdEvent, MdEventLine, MdHandoff, MdReport, MdTask, MdText};
use crate::notes::reply::{
    Advice, FailureGroup, NoteFinding, NoteLine, NoteRelated, NoteSaved, NoteSeen, NoteShown, NoteVersion,
};
use crate::viewpoint::Shown;
use crate::{Error, QueryLine, Retained, Rows, Setting};

mod agents;

pub use agents::{AgentProfile, ProfileLine, SessionEnded, SessionShown, SessionStarted};

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
    /// A loop as short-term memory holds it.
    Loop(StmEntry),
    /// A loop that was found in short-term memory.
    LoopHit(StmHit),
    /// An event as a persona sees it.
    Seen(Box<Seen>),
    /// What was recalled for a question.
    Recalled(Recalled),
    /// Why one of many questions has no answer.
    Unanswered(Unanswered),
    /// What is put before a model.
    Packed(Packed),
    /// An entry of long-term memory.
    Entry(Entry),
    /// What a dream did.
    Dreamt(Dreamt),
    /// How well questions were answered.
    Scores(Scores),
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
    /// What an agent can do, prefers and has learned.
    Profile(Box<AgentProfile>),
    /// An agent in a list of them.
    ProfileLine(ProfileLine),
    /// A session began.
    SessionStarted(SessionStarted),
    /// What a session holds.
    Session(Box<SessionShown>),
    /// A session ended.
    SessionEnded(SessionEnded),
    /// What became of a folder.
    Folder(FolderReport),
    /// A line that is written as it is.
    Raw(RawLine),
    /// What was done for the sake of retention.
    Retained(Retained),
    /// What a query found.
    Rows(Rows),
    /// A query in a list of them.
    QueryLine(QueryLine),
    /// A part of the graph.
    Graph(GraphPart),
    /// A part of the graph in another language.
    GraphDrawing(GraphDrawing),
    /// What became of a project's files.
    Md(MdReport),
    /// An event was appended to a changelog.
    MdAppended(MdAppended),
    /// What an agent needs when it begins.
    MdBoot(Box<MdBoot>),
    /// Work that was handed over.
    MdHandoff(Box<MdHandoff>),
    /// An event of a changelog, whole.
    MdEvent(Box<MdEvent>),
    /// An event of a changelog in a list.
    MdEventLine(Box<MdEventLine>),
    /// A task.
    MdTask(MdTask),
    /// A text, as it is.
    MdText(MdText),
    /// Something was done.
    Done(Done),
    /// An operation in a list of them.
    OperationLine(OperationLine),
    /// A note was written.
    NoteSaved(NoteSaved),
    /// A note, whole.
    NoteShown(Box<NoteShown>),
    /// A note in a list of them.
    NoteLine(Box<NoteLine>),
    /// A version of a note.
    NoteVersion(NoteVersion),
    /// A note near another.
    NoteRelated(NoteRelated),
    /// What a check of a note found.
    NoteFinding(NoteFinding),
    /// Failures that resemble each other.
    FailureGroup(FailureGroup),
    /// What is known about a failure.
    Advice(Advice),
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
    Md(MdReport),
    MdAppended(MdAppended),
    MdBoot(MdBoot),
    MdHandoff(MdHandoff),
    MdEvent(MdEvent),
    MdEventLine(MdEventLine),
    MdTask(MdTask),
    MdText(MdText),
    Event(Event),
    Trace(Trace),
    TraceLine(TraceLine),
    Loop(StmEntry),
    LoopHit(StmHit),
    Seen(Seen),
    Recalled(Recalled),
    Unanswered(Unanswered),
    Packed(Packed),
    Entry(Entry),
    Dreamt(Dreamt),
    Scores(Scores),
    Stats(Stats),
    Status(Status),
    SpaceLine(SpaceLine),
    Verdict(Verdict),
    Checkup(Checkup),
    Digest(DigestReply),
    Settings(Settings),
    Profile(AgentProfile),
    ProfileLine(ProfileLine),
    SessionStarted(SessionStarted),
    Session(SessionShown),
    SessionEnded(SessionEnded),
    Folder(FolderReport),
    Raw(RawLine),
    Retained(Retained),
    Rows(Rows),
    QueryLine(QueryLine),
    Graph(GraphPart),
    GraphDrawing(GraphDrawing),
    Done(Done),
    OperationLine(OperationLine),
    NoteSaved(NoteSaved),
    NoteShown(NoteShown),
    NoteLine(NoteLine),
    NoteVersion(NoteVersion),
    NoteRelated(NoteRelated),
    NoteFinding(NoteFinding),
    FailureGroup(FailureGroup),
    Advice(Advice),
);

impl From<Shown> for Reply {
    fn from(shown: Shown) -> Self {
        match shown {
            Shown::Whole(event) => Self::Event(event),
            Shown::Seen(seen) => Self::Seen(seen),
        }
    }
}

impl From<(Place, String)> for Ack {
    fn from((place, id): (Place, String)) -> Self {
        Self { place, id }
    }
}

/// The number under which a reader knows an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// The log's number, for the owner.
    Seq(u64),
    /// Its number among what a persona's view can see.
    Pos(u64),
}

impl Place {
    /// The number.
    pub fn number(self) -> u64 {
        match self {
            Self::Seq(number) | Self::Pos(number) => number,
        }
    }
}

/// The acknowledgement of one event.
#[derive(Debug, Clone, Serialize)]
pub struct Ack {
    /// Its number.
    #[serde(flatten)]
    pub place: Place,
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
    /// The model that makes its vectors.
    pub model: Option<String>,
    /// How its documents stand with it.
    pub coverage: Option<Coverage>,
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
    /// How many of them are in archive files.
    pub archived: u64,
    /// How many of those had their content dropped.
    pub dropped: u64,
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

/// The hits for one question, the best first.
#[derive(Debug, Clone, Serialize)]
pub struct Recalled {
    /// Which question, when several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qid: Option<serde_json::Value>,
    /// The hits.
    pub hits: Vec<RecallHit>,
}

/// One of many questions that could not be answered; the others are.
#[derive(Debug, Clone, Serialize)]
pub struct Unanswered {
    /// Which question, if it says so.
    pub qid: Option<serde_json::Value>,
    /// What is wrong with it.
    pub error: Error,
}

/// Something recalled.
#[derive(Debug, Clone, Serialize)]
pub struct RecallHit {
    /// Its number.
    #[serde(flatten)]
    pub place: Place,
    /// Its id.
    pub id: String,
    /// What the hits are ordered by.
    pub score: f64,
    /// What it says.
    pub text: String,
    /// When it happened.
    pub ts: Time,
    /// What kind of thing it was.
    pub kind: String,
    /// Who said or did it.
    pub author: Option<String>,
    /// The conversation it was part of.
    pub conversation_id: Option<String>,
    /// Anything else.
    pub metadata: Option<Box<serde_json::value::RawValue>>,
    /// The ids of the events it derives from: itself, and what that was derived from.
    pub causes: Vec<String>,
    /// Which note it is and how sure, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<NoteSeen>,
    /// What each part adds to the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<BTreeMap<&'static str, f64>>,
    /// Its share of the question's words, and how close its meaning is.
    #[serde(skip)]
    pub(crate) standing: (f64, Option<f64>),
}

/// An entry of long-term memory: there is one for each event.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// The event's number.
    #[serde(flatten)]
    pub place: Place,
    /// The event's id.
    pub id: String,
    /// When it happened.
    pub ts: Time,
    /// The name of the lane it belongs to.
    pub collection: String,
    /// What kind of thing it was.
    pub kind: String,
    /// The loop it was part of.
    pub loop_id: Option<String>,
    /// Its summary, or its text.
    pub summary: String,
    /// How much it matters, from 0 to 1.
    pub importance: f32,
    /// `pending`, `embedded` or `retry`; `quiet` for what is never embedded, `off` where no model is configured.
    pub status: &'static str,
    /// Why it is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What a dream did.
#[derive(Debug, Clone, Serialize)]
pub struct Dreamt {
    /// How many events the log had.
    pub events: u64,
    /// Documents that got their vectors.
    pub embedded: u64,
    /// Of those the ones that had failed before.
    pub retried: u64,
    /// Documents that failed.
    pub failed: u64,
    /// Documents graded anew.
    pub regraded: u64,
    /// Whether index files were joined.
    pub joined: bool,
    /// The model.
    pub model: Option<String>,
    /// How the documents stand with it now.
    pub coverage: Option<Coverage>,
    /// Why not everything could be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
    /// The event that records it; none where nothing changed.
    pub recorded: Option<String>,
}

/// How well questions were answered, by category.
#[derive(Debug, Clone, Serialize)]
pub struct Scores {
    /// The folder of conversations.
    pub set: String,
    /// Which category, or which of them together.
    pub category: String,
    /// How many questions.
    pub questions: usize,
    /// Mean share of the evidence among the first 5, 10, 20 and 50.
    pub r5: f64,
    /// See above.
    pub r10: f64,
    /// See above.
    pub r20: f64,
    /// See above.
    pub r50: f64,
    /// Share of questions with any evidence among the first 10.
    pub hit10: f64,
    /// Share of questions with all evidence among the first 10.
    pub all10: f64,
    /// Mean of one over the rank of the first evidence.
    pub mrr: f64,
    /// Discounted gain of the first 10.
    pub ndcg10: f64,
}
