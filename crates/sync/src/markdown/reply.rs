//! What the commands of the Markdown protocol answer.

use idetic_formats::markdown::handoff::Payload;
use serde::Serialize;

/// What became of a project's files.
#[derive(Debug, Default, Clone, Serialize)]
pub struct MdReport {
    /// What was done, in one line.
    pub done: String,
    /// Events that were taken in from the files.
    pub taken_in: u64,
    /// Events that were written to the files.
    pub written: u64,
    /// Events that have another number now.
    pub renumbered: u64,
    /// Whether a graph or a narrative that somebody else made was taken over.
    pub adopted: bool,
    /// Files that were written.
    pub files: Vec<String>,
    /// The last event of the changelog.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub horizon: Option<String>,
    /// The commit that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What is not as it should be, and remarks.
    pub troubles: Vec<MdTrouble>,
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MdSeverity {
    /// A rule is broken.
    Error,
    /// Something is not as it should be.
    Warning,
    /// Good to know.
    Remark,
}

impl MdSeverity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Remark => "remark",
        }
    }
}

/// Something in a file that somebody should look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MdTrouble {
    /// How bad it is.
    pub severity: MdSeverity,
    /// Which rule it is about.
    pub rule: String,
    /// The file.
    pub file: String,
    /// The line; 0 for the whole file.
    pub line: u64,
    /// The event, node or section, where it is about one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl MdTrouble {
    /// Something about a whole file.
    pub fn of_file(severity: MdSeverity, file: &str, rule: &str, message: &str, remedy: &str) -> Self {
        let [rule, file, message, remedy] = [rule, file, message, remedy].map(str::to_owned);
        Self { severity, rule, file, line: 0, event: String::new(), message, remedy }
    }
}

impl MdReport {
    /// Whether there is nothing but remarks.
    pub fn is_clean(&self) -> bool {
        self.troubles.iter().all(|trouble| trouble.severity != MdSeverity::Error)
    }

    /// Says what was done.
    pub fn sum_up(&mut self) {
        let mut parts = Vec::new();
        let mut part = |count: u64, what: &str, done: &str| match count {
            0 => {}
            1 => parts.push(format!("1 {what} {done}")),
            count => parts.push(format!("{count} {what}s {done}")),
        };
        part(self.taken_in, "event", "imported");
        part(self.written, "event", "written");
        part(self.renumbered, "event", "renumbered");
        part(self.files.len() as u64, "file", "written");
        part(u64::from(self.commit.is_some()), "commit", "made");
        let horizon =
            self.horizon.as_deref().map_or_else(String::new, |horizon| format!("; the last event is {horizon}"));
        self.done = if parts.is_empty() { "nothing to do".to_owned() } else { parts.join(", ") } + &horizon;
    }
}

/// An event was appended, or waits to be.
#[derive(Debug, Clone, Serialize)]
pub struct MdAppended {
    /// Its number in the file; none while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Its id in the log.
    pub id: String,
    /// The file.
    pub file: String,
    /// How many wait with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub staged: Option<usize>,
}

/// What an agent needs when it begins.
#[derive(Debug, Clone, Serialize)]
pub struct MdBoot {
    /// Who boots.
    pub agent: String,
    /// How much of the protocol is used: mvp, core or full.
    pub tier: String,
    /// The hash of AGENTS.md.
    pub agents: Option<String>,
    /// Whether that is another one than at the last boot.
    pub agents_changed: bool,
    /// How graph.md was found: fresh, stale, missing, foreign or unused.
    pub graph: String,
    /// How context.md was found.
    pub context: String,
    /// Files that were written.
    pub rebuilt: Vec<String>,
    /// Events that were taken in.
    pub taken_in: u64,
    /// Events that were written to the changelog.
    pub written: u64,
    /// Whether a graph or a narrative that somebody else made was taken over.
    pub adopted: bool,
    /// The last event.
    pub horizon: Option<String>,
    /// How many events are in CHANGELOG.md.
    pub events: usize,
    /// Whether these are enough to be archived.
    pub archive_due: bool,
    /// Events that wait for a shutdown.
    pub staged: usize,
    /// The handoff that was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<String>,
    /// What it asks: constraints, boundaries, invariants, artifacts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    /// Handoffs that wait for this agent.
    pub handoffs: Vec<String>,
    /// The narrative.
    #[serde(rename = "text")]
    pub told: String,
    /// What is not as it should be.
    pub troubles: Vec<MdTrouble>,
}

/// Work that was handed over.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct MdHandoff(pub Payload);

/// An event of a changelog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MdEvent {
    /// Its number; its time where it has none.
    pub event: String,
    /// When it happened.
    pub time: String,
    /// Who wrote it.
    pub agent: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it touches.
    pub scope: Vec<String>,
    /// What happened, in one line.
    pub summary: String,
    /// Its details.
    pub details: Vec<(String, String)>,
    /// The events it refers to.
    pub refs: Vec<String>,
    /// Its labels.
    pub tags: Vec<String>,
    /// Whether it is tagged private or sensitive.
    pub private: bool,
    /// Whether it stands in the archive.
    pub archived: bool,
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u64,
    /// Its block.
    pub text: String,
}

/// Events in a list, with the one that was asked about.
#[derive(Debug, Clone, Serialize)]
pub struct MdEventLine {
    /// The event.
    #[serde(flatten)]
    pub event: MdEvent,
    /// Whether it is the one that was asked about.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub here: bool,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MdTask {
    /// What it is called.
    pub task: String,
    /// How it stands.
    pub status: String,
    /// What it is about.
    pub text: String,
    /// The event that last concerned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The day of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    /// Its line in TODO.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// A text, as it is.
#[derive(Debug, Clone, Serialize)]
pub struct MdText {
    /// The text.
    pub text: String,
}
