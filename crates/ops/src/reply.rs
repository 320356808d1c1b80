//! Everything an operation can answer. Closed, so that each face can decide how to show each of them.

use idetic_core::event::Seen;
use idetic_core::{Event, Hash, Time, Trace};
use idetic_memory::PackedContext;
use idetic_memory::conversations::reply::{ConversationChanged, ConversationLine, ConversationShown};
use idetic_memory::episodes::reply::{Episode, EpisodeStored, EpisodesFound};
use idetic_memory::extraction::reply::Extracted;
use idetic_memory::facts::reply::{Fact, FactStored, FactVersion, FactsAtOdds, FactsFound};
use idetic_memory::graph::reply::{GraphDrawing, GraphPart};
use idetic_memory::notes::reply::{
    Advice, FailureGroup, NoteFinding, NoteLine, NoteRelated, NoteSaved, NoteShown, NoteVersion,
};
use idetic_memory::space::embedding::Coverage;
use idetic_memory::viewpoint::Shown;
use idetic_memory::{Ack, LtmEntry, Quarantined, QuotaLine, Recalled, Setting, Unanswered, Verdict};
use idetic_search::stm::{StmEntry, StmHit};
use idetic_sql::{QueryLine, Rows};
use idetic_sync::amem::FolderReport;
use idetic_sync::markdown::{MdAppended, MdBoot, MdEvent, MdEventLine, MdHandoff, MdReport, MdTask, MdText};
use idetic_sync::purge::Purged;
use serde::Serialize;

use crate::question::evaluation::Scores;
pub use crate::rule::RuleLine;

mod agents;
mod answers;
mod keys;
mod told;
mod upkeep;

pub use agents::{AgentProfile, ProfileLine, SessionEnded, SessionShown, SessionStarted};
pub use answers::{AgentAnswer, AgentPart, Learned, RememberedLine, UsageLine};
pub use keys::{KeyLine, KeyMade};
pub use told::{ShownEvent, ShownLine, StartPreview};
pub use upkeep::{MaintenanceReport, Retained};

/// One answer, by what it is about.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Reply {
    /// About events, loops and workflows.
    Event(EventReply),
    /// About questions.
    Question(QuestionReply),
    /// About facts.
    Fact(FactReply),
    /// About episodes.
    Episode(EpisodeReply),
    /// About conversations.
    Conversation(ConversationReply),
    /// About notes.
    Note(NoteReply),
    /// About agents, their profiles and sessions.
    Agent(AgentReply),
    /// About a project's files.
    Project(ProjectReply),
    /// About the home, its spaces and keys, and their upkeep.
    Home(HomeReply),
}

/// An answer about events, loops and workflows.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum EventReply {
    /// An event is on disk.
    Ack(Ack),
    /// The events of a batch are on disk: a line each.
    Acks(Vec<Ack>),
    /// An event.
    Event(Box<Event>),
    /// An event as a persona sees it.
    Seen(Box<Seen>),
    /// An entry of long-term memory.
    Entry(LtmEntry),
    /// A workflow.
    Trace(Trace),
    /// A workflow in a list of them.
    TraceLine(TraceLine),
    /// A loop as short-term memory holds it.
    Loop(StmEntry),
    /// A loop that was found in short-term memory.
    LoopHit(StmHit),
    /// What an agent was told.
    Shown(ShownLine),
    /// What the next session would be told.
    StartPreview(StartPreview),
    /// A rule, a decision or a to-do that stands.
    Rule(RuleLine),
}

/// An answer about questions.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum QuestionReply {
    /// What was recalled for a question.
    Recalled(Recalled),
    /// Why one of many questions has no answer.
    Unanswered(Unanswered),
    /// What is put before a model.
    PackedContext(PackedContext),
    /// How well questions were answered.
    Scores(Scores),
    /// What a query found.
    Rows(Rows),
    /// A query in a list of them.
    QueryLine(QueryLine),
    /// A part of the graph.
    Graph(GraphPart),
    /// A part of the graph in another language.
    GraphDrawing(GraphDrawing),
    /// Failures that resemble each other.
    FailureGroup(FailureGroup),
    /// What is known about a failure.
    Advice(Advice),
}

/// An answer about facts.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum FactReply {
    /// A fact.
    Fact(Box<Fact>),
    /// Facts that were found.
    FactsFound(FactsFound),
    /// A fact was stored.
    FactStored(Box<FactStored>),
    /// One event in the history of a fact.
    FactVersion(Box<FactVersion>),
    /// Two facts that possibly contradict each other.
    FactsAtOdds(FactsAtOdds),
    /// Something that was taken from what was said.
    Extracted(Box<Extracted>),
}

/// An answer about episodes.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum EpisodeReply {
    /// An episode.
    Episode(Box<Episode>),
    /// Episodes that were found.
    EpisodesFound(EpisodesFound),
    /// An episode was stored.
    EpisodeStored(EpisodeStored),
}

/// An answer about conversations.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ConversationReply {
    /// A conversation.
    Conversation(Box<ConversationShown>),
    /// A conversation in a list.
    ConversationLine(ConversationLine),
    /// A conversation was begun, added to or ended.
    ConversationChanged(ConversationChanged),
}

/// An answer about notes.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum NoteReply {
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
}

/// An answer about agents, their profiles and sessions.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum AgentReply {
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
    /// What an agent answered.
    AgentAnswer(Box<AgentAnswer>),
    /// Something that happens while an agent works.
    AgentPart(AgentPart),
    /// What an agent learned.
    Learned(Learned),
    /// What was used of a language model.
    UsageLine(UsageLine),
}

/// An answer about a project's files.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ProjectReply {
    /// What became of a folder.
    Folder(FolderReport),
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
}

/// An answer about the home, its spaces and keys, and their upkeep.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum HomeReply {
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
    /// What a dream did.
    MaintenanceReport(MaintenanceReport),
    /// What was done for the sake of retention.
    Retained(Retained),
    /// What was purged.
    Purged(Purged),
    /// What is in quarantine, or was.
    Quarantined(Quarantined),
    /// A key in a list of them.
    KeyLine(KeyLine),
    /// A key was made.
    KeyMade(Box<KeyMade>),
    /// An operation in a list of them.
    OperationLine(OperationLine),
    /// Something was done.
    Done(Done),
    /// A line that is written as it is.
    Raw(RawLine),
}

/// Says of each type which answer it is.
macro_rules! replies {
    ($($noun:ident($reply:ident): $($variant:ident($type:ty)),+;)+) => {
        $($(impl From<$type> for Reply {
            fn from(value: $type) -> Self {
                Self::$noun($reply::$variant(value.into()))
            }
        })+)+
    };
}
replies!(
    Event(EventReply): Ack(Ack), Acks(Vec<Ack>), Event(Event), Seen(Seen), Entry(LtmEntry), Trace(Trace), TraceLine(TraceLine), Loop(StmEntry), LoopHit(StmHit), Shown(ShownLine), StartPreview(StartPreview), Rule(RuleLine);
    Question(QuestionReply): Recalled(Recalled), Unanswered(Unanswered), PackedContext(PackedContext), Scores(Scores), Rows(Rows), QueryLine(QueryLine), Graph(GraphPart), GraphDrawing(GraphDrawing), FailureGroup(FailureGroup), Advice(Advice);
    Fact(FactReply): Fact(Fact), FactsFound(FactsFound), FactStored(FactStored), FactVersion(FactVersion), FactsAtOdds(FactsAtOdds), Extracted(Extracted);
    Episode(EpisodeReply): Episode(Episode), EpisodesFound(EpisodesFound), EpisodeStored(EpisodeStored);
    Conversation(ConversationReply): Conversation(ConversationShown), ConversationLine(ConversationLine), ConversationChanged(ConversationChanged);
    Note(NoteReply): NoteSaved(NoteSaved), NoteShown(NoteShown), NoteLine(NoteLine), NoteVersion(NoteVersion), NoteRelated(NoteRelated), NoteFinding(NoteFinding);
    Agent(AgentReply): Profile(AgentProfile), ProfileLine(ProfileLine), SessionStarted(SessionStarted), Session(SessionShown), SessionEnded(SessionEnded), AgentAnswer(AgentAnswer), AgentPart(AgentPart), Learned(Learned), UsageLine(UsageLine);
    Project(ProjectReply): Folder(FolderReport), Md(MdReport), MdAppended(MdAppended), MdBoot(MdBoot), MdHandoff(MdHandoff), MdEvent(MdEvent), MdEventLine(MdEventLine), MdTask(MdTask), MdText(MdText);
    Home(HomeReply): Stats(Stats), Status(Status), SpaceLine(SpaceLine), Verdict(Verdict), Checkup(Checkup), Digest(DigestReply), Settings(Settings), MaintenanceReport(MaintenanceReport), Retained(Retained), Purged(Purged), Quarantined(Quarantined), KeyLine(KeyLine), KeyMade(KeyMade), OperationLine(OperationLine), Done(Done), Raw(RawLine);
);

impl From<Shown> for Reply {
    fn from(shown: Shown) -> Self {
        match shown {
            Shown::Whole(event) => Self::Event(EventReply::Event(event)),
            Shown::Seen(seen) => Self::Event(EventReply::Seen(seen)),
        }
    }
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
    /// The home; whoever is held to a part of it is not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// How it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home_found_by: Option<String>,
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
    /// By how many milliseconds that is ahead of the clock, where the clock ran ahead once or is behind now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_ahead_ms: Option<i64>,
    /// How far each view has come.
    pub views: Vec<ViewLine>,
    /// The model that makes its vectors.
    pub model: Option<String>,
    /// How its documents stand with it.
    pub coverage: Option<Coverage>,
    /// What is used of what it may hold.
    pub quota: Vec<QuotaLine>,
    /// Whether anything is remembered for its user.
    pub memory: &'static str,
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
