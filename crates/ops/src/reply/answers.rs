//! Answers of the agent.

use idetic_memory::{Error, Extracted};
use serde::Serialize;

/// What an agent answered.
#[derive(Debug, Clone, Serialize)]
pub struct AgentAnswer {
    /// The answer; none where it failed.
    pub answer: Option<String>,
    /// The conversation; the one that was made where none was named.
    pub conversation_id: String,
    /// The loop: every step of it is an event.
    pub loop_id: String,
    /// Facts that were taken from what was said.
    pub facts: Vec<Extracted>,
    /// The episode it became.
    pub episode: Option<String>,
    /// What was put before the model from memory, and which events that comes from.
    pub remembered: Vec<RememberedLine>,
    /// Tokens read by the model.
    pub prompt_tokens: u64,
    /// Tokens written by it.
    pub answer_tokens: u64,
    /// The model.
    pub model: String,
    /// What could not be done beside the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Why there is no answer.
    pub error: Option<Error>,
}

/// Something that was put before a model from memory.
#[derive(Debug, Clone, Serialize)]
pub struct RememberedLine {
    /// What it is: `fact`, `episode`, `said` or `conversation`.
    pub what: &'static str,
    /// Its id.
    pub id: String,
    /// What it says.
    pub text: String,
    /// The events it comes from.
    pub causes: Vec<String>,
}

/// Something that happens while an agent works.
#[derive(Debug, Clone, Serialize)]
pub struct AgentPart {
    /// What it is: `thought`, `action`, `observation` or `answer`.
    pub part: &'static str,
    /// The text, or the next piece of it.
    pub text: String,
    /// Whether more of it follows.
    pub more: bool,
}

/// What an agent learned.
#[derive(Debug, Clone, Serialize)]
pub struct Learned {
    /// Which agent.
    pub agent: String,
    /// The note it works by from now on.
    pub note: String,
    /// The event that says so; none where it knew that.
    pub event: Option<String>,
}

/// What was used of a language model by one operation.
#[derive(Debug, Clone, Serialize)]
pub struct UsageLine {
    /// The model.
    pub model: String,
    /// For what.
    pub operation: String,
    /// How often it was asked, and how often in vain.
    pub calls: u64,
    /// How often in vain.
    pub failed: u64,
    /// Tokens read by the model.
    pub prompt_tokens: u64,
    /// Tokens written by it.
    pub answer_tokens: u64,
    /// What that cost, by the configured prices.
    pub cost: f64,
}
