//! One thing in the working memory, with the names the specification gives its parts.

use idetic_core::{Time, tokens};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An event id that costs more is not shown; the item's number stands for it.
const REFERENCE_MAX_TOKENS: usize = 32;

/// What kind of step an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemType {
    /// What the model thought.
    Thought,
    /// A tool that was called.
    Action,
    /// What came back.
    Observation,
}

impl ItemType {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thought => "thought",
            Self::Action => "action",
            Self::Observation => "observation",
        }
    }
}

/// What is known about an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// What the content costs.
    pub token_count: usize,
    /// The event of the log that holds the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// Kept when older items are condensed.
    #[serde(default)]
    pub critical: bool,
}

/// A thought, an action or an observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What kind of step it is.
    #[serde(rename = "type")]
    pub kind: ItemType,
    /// Its text.
    pub content: String,
    /// When it happened.
    pub timestamp: Time,
    /// What is known about it.
    pub metadata: Metadata,
}

impl Item {
    fn new(kind: ItemType, content: String, timestamp: Time, critical: bool) -> Self {
        let token_count = tokens::estimate(&content);
        Self { kind, content, timestamp, metadata: Metadata { token_count, event_id: None, critical } }
    }

    /// A thought; also the form of a goal.
    pub fn thought(content: impl Into<String>, timestamp: Time) -> Self {
        Self::new(ItemType::Thought, content.into(), timestamp, false)
    }

    /// A call of a tool: its name, a space, its arguments as JSON.
    pub fn action(tool: &str, arguments: &Map<String, Value>, timestamp: Time) -> Self {
        let content = format!("{tool} {}", Value::Object(arguments.clone()));
        Self::new(ItemType::Action, content, timestamp, false)
    }

    /// What a tool answered. Tool results are critical unless the caller knows better.
    pub fn observation(content: impl Into<String>, timestamp: Time) -> Self {
        Self::new(ItemType::Observation, content.into(), timestamp, true)
    }

    /// Says whether the item is kept when older ones are condensed: what a decision rests on is.
    #[must_use]
    pub fn critical(mut self, critical: bool) -> Self {
        self.metadata.critical = critical;
        self
    }

    /// Names the event of the log that holds the original.
    #[must_use]
    pub fn event(mut self, id: impl Into<String>) -> Self {
        self.metadata.event_id = Some(id.into());
        self
    }
}

/// Whether an event's id can stand in a line of a prompt: it is short, has no blanks or brackets, and is not taken for
/// a number.
pub fn can_be_shown(id: &str) -> bool {
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '[' | ']' | '`');
    !id.is_empty() && !id.starts_with('#') && id.chars().all(plain) && tokens::estimate(id) <= REFERENCE_MAX_TOKENS
}
