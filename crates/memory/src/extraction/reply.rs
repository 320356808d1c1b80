//! Answers about what was taken from words.

use serde::Serialize;

/// Something that was taken from what was said, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Extracted {
    /// The fact.
    pub content: String,
    /// Whom or what it is about.
    pub subject: String,
    /// What of it.
    pub attribute: String,
    /// And what that is.
    pub value: String,
    /// The words it comes from.
    pub quote: String,
    /// The event that holds them.
    pub event: String,
    /// Which extraction: `rules`, or the model.
    pub extraction: String,
    /// Whether it says that something is no longer true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ends: bool,
    /// The fact it became or ended; none where it was only looked for.
    pub fact_id: Option<String>,
    /// What became of it: `stored`, `joined` or `ended`; none where it was only looked for.
    pub done: Option<&'static str>,
}

/// What a consolidation did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Consolidated {
    /// Conversations that were ended by their silence.
    pub conversations_ended: usize,
    /// Facts that were taken from them.
    pub facts_promoted: usize,
    /// Facts that were merged into others that say the same.
    pub facts_merged: usize,
    /// Facts and episodes whose time was over.
    pub expired: usize,
    /// Facts and episodes that were the least relevant of too many.
    pub pruned: usize,
}

impl Consolidated {
    /// Whether anything changed.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}
