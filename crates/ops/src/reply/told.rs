//! Answers about what agents were told.

use idetic_core::Time;
use serde::Serialize;

/// What the next session would be told when it starts.
#[derive(Debug, Clone, Default, Serialize)]
pub struct StartPreview {
    /// The project; empty where none is meant.
    pub project: String,
    /// The text; empty where there is nothing to tell.
    pub text: String,
    /// About how many tokens it has.
    pub tokens: usize,
    /// How many it could have.
    pub budget: usize,
    /// The events that its lines come from, in order.
    pub ids: Vec<String>,
}

/// What an agent was told at one moment.
#[derive(Debug, Clone, Serialize)]
pub struct ShownLine {
    /// The event that says so.
    pub id: String,
    /// When.
    pub ts: Time,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// `start`, `prompt`, `failure`, `edit`, `recall`; nothing where the agent itself recalled it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moment: Option<String>,
    /// How many tokens it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The events that were shown, in their order. What was erased since is not among them.
    pub events: Vec<ShownEvent>,
}

/// One event that was shown.
#[derive(Debug, Clone, Serialize)]
pub struct ShownEvent {
    /// From 1 on.
    pub rank: usize,
    /// Its id.
    pub id: String,
    /// Where it came from: `user`, `agent`, `tool`, …
    pub origin: String,
    /// What it says, in one line.
    pub text: String,
}
