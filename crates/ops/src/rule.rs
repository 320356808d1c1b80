//! Operations on what stands of what people told their agents: rules, decisions and to-dos.

pub mod end;
pub mod list;

use idetic_core::Time;
use idetic_memory::standing::StandingDirective;
use serde::Serialize;

/// A rule, a decision or a to-do that stands.
#[derive(Debug, Clone, Serialize)]
pub struct RuleLine {
    /// What `rule end` takes.
    pub id: String,
    /// `rule`, `decision` or `todo`.
    pub kind: &'static str,
    /// The user's words.
    pub text: String,
    /// The number of the event that says it, as sessions are told it.
    #[serde(skip)]
    pub seq: u64,
    /// The project it was said in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// When it was said.
    pub ts: Time,
    /// Whether it surely is one; what is not is told only where there is room.
    pub sure: bool,
}

impl From<StandingDirective> for RuleLine {
    fn from(standing: StandingDirective) -> Self {
        Self {
            id: standing.key(),
            kind: standing.kind.word(),
            seq: standing.seq,
            ts: standing.ts,
            sure: standing.is_sure,
            text: standing.text,
            project: standing.project,
        }
    }
}
