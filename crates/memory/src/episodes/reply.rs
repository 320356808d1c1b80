//! Answers about episodes, in the form of specification 002.

use idetic_core::Time;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::EventNumber;

/// An episode.
#[derive(Debug, Clone, Serialize)]
pub struct Episode {
    /// Its id.
    pub id: String,
    /// What was attempted.
    pub goal: String,
    /// What was done, in order.
    pub steps: Vec<String>,
    /// How it ended.
    pub outcome: String,
    /// What is to be learned from it.
    pub lessons: String,
    /// Whether it worked, where that is known.
    pub success: Option<bool>,
    /// When it happened.
    pub timestamp: Time,
    /// The conversation it happened in.
    pub conversation_id: Option<String>,
    /// Its vector, for the owner who asks for it.
    pub embedding: Option<Vec<f32>>,
    /// What whoever stored it wanted to keep beside it.
    pub metadata: Option<Box<RawValue>>,
    /// When it is forgotten by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Time>,
    /// The events it cites: its own, and those it was derived from.
    pub causes: Vec<String>,
    /// How alike it is: 1 for the likest by words and meaning, and what its outcome and its age add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// Episodes that were found.
#[derive(Debug, Clone, Serialize)]
pub struct EpisodesFound {
    /// The best first.
    pub episodes: Vec<Episode>,
    /// Never here: what goes wrong is an error.
    pub error: (),
}

/// An episode was stored.
#[derive(Debug, Clone, Serialize)]
pub struct EpisodeStored {
    /// Which.
    pub episode_id: String,
    /// What became of it: `stored` or `deleted`.
    pub done: &'static str,
    /// The number of the event.
    #[serde(flatten)]
    pub place: EventNumber,
    /// Never here: what goes wrong is an error.
    pub error: (),
}
