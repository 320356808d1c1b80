//! Answers about conversations, in the form of specification 002.

use idetic_core::Time;
use serde::Serialize;
use serde_json::value::RawValue;

/// A conversation.
#[derive(Debug, Clone, Serialize)]
pub struct ConversationMemory {
    /// Which.
    pub conversation_id: String,
    /// What was asked in it and what came of it, in order.
    pub invocations: Vec<InvocationSummary>,
    /// What it is for, where that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// What else is kept with it.
    pub metadata: serde_json::Map<String, serde_json::Value>,
    /// When it began.
    pub started: Time,
    /// When it was last added to.
    pub last: Time,
    /// When it ended; none while it is open.
    pub ended: Option<Time>,
    /// Why: `signal` or `timeout`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many invocations it has, also where fewer are shown.
    pub count: i64,
}

/// One invocation.
#[derive(Debug, Clone, Serialize)]
pub struct InvocationSummary {
    /// What was asked.
    pub query: String,
    /// What the agent did.
    pub summary: String,
    /// How it ended.
    pub result: String,
    /// When.
    pub timestamp: Time,
    /// The event that says so.
    pub event: String,
    /// What else was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<RawValue>>,
}

/// A conversation was looked up.
#[derive(Debug, Clone, Serialize)]
pub struct ConversationShown {
    /// The conversation.
    pub conversation: ConversationMemory,
    /// Never here: what goes wrong is an error.
    pub error: (),
}

/// A conversation in a list.
#[derive(Debug, Clone, Serialize)]
pub struct ConversationLine {
    /// Which.
    pub conversation_id: String,
    /// What it is for, where that was said.
    pub goal: Option<String>,
    /// How many invocations it has.
    pub invocations: i64,
    /// When it began.
    pub started: Time,
    /// When it was last added to.
    pub last: Time,
    /// When it ended; none while it is open.
    pub ended: Option<Time>,
}

/// A conversation was begun, added to or ended.
#[derive(Debug, Clone, Serialize)]
pub struct ConversationChanged {
    /// Whether it was done.
    pub success: bool,
    /// Which conversation; the one that was made where none was named.
    pub conversation_id: String,
    /// What became of it: `started`, `continued`, `added`, `ended` or `was ended`.
    pub done: &'static str,
    /// The episode it became.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episode: Option<String>,
    /// Never here: what goes wrong is an error.
    pub error: (),
}
