//! Answers about upkeep: what a dream did, and how well questions were answered.

use serde::Serialize;

use crate::Consolidated;
use crate::embedding::Coverage;

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
    /// What became of facts, episodes and conversations.
    pub consolidated: Consolidated,
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
