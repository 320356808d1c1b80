//! Answers of recall.

use std::collections::BTreeMap;

use idetic_core::Time;
use serde::Serialize;

use crate::notes::reply::NoteSeen;
use crate::{Error, EventNumber};

/// A hit is good enough if it has this share of what the question's words weigh…
const LEAST_WORDS: f64 = 0.30;
/// …or its meaning is this close.
const LEAST_COSINE: f64 = 0.35;

/// The hits for one question, the best first.
#[derive(Debug, Clone, Serialize)]
pub struct Recalled {
    /// Which question, when several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qid: Option<serde_json::Value>,
    /// The hits.
    pub hits: Vec<RecallHit>,
}

/// Something recalled.
#[derive(Debug, Clone, Serialize)]
pub struct RecallHit {
    /// Its number.
    #[serde(flatten)]
    pub place: EventNumber,
    /// The log's number, for us alone.
    #[serde(skip)]
    pub seq: u64,
    /// Its id.
    pub id: String,
    /// The space it is from, where several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// What the hits are ordered by.
    pub score: f64,
    /// What it says.
    pub text: String,
    /// When it happened.
    pub ts: Time,
    /// What kind of thing it was.
    pub kind: String,
    /// Who said or did it.
    pub author: Option<String>,
    /// How far it is trusted.
    pub trust: &'static str,
    /// Its origin.
    pub origin: String,
    /// The project or component it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The conversation it was part of.
    pub conversation_id: Option<String>,
    /// The loop it was part of, and before it the agent whose that is.
    #[serde(skip)]
    pub of_loop: Option<(String, String)>,
    /// Anything else.
    pub metadata: Option<Box<serde_json::value::RawValue>>,
    /// The ids of the events it derives from: itself, and what that was derived from.
    pub causes: Vec<String>,
    /// Which note it is and how sure, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<NoteSeen>,
    /// What each part adds to the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<BTreeMap<&'static str, f64>>,
    /// Its share of the question's words, and how close its meaning is.
    #[serde(skip)]
    pub standing: (f64, Option<f64>),
}

/// One of many questions that could not be answered; the others are.
#[derive(Debug, Clone, Serialize)]
pub struct Unanswered {
    /// Which question, if it says so.
    pub qid: Option<serde_json::Value>,
    /// What is wrong with it.
    pub error: Error,
}

/// An entry of long-term memory: there is one for each event.
#[derive(Debug, Clone, Serialize)]
pub struct LtmEntry {
    /// The event's number.
    #[serde(flatten)]
    pub place: EventNumber,
    /// The event's id.
    pub id: String,
    /// When it happened.
    pub ts: Time,
    /// The name of the lane it belongs to.
    pub collection: String,
    /// What kind of thing it was.
    pub kind: String,
    /// The loop it was part of.
    pub loop_id: Option<String>,
    /// Its summary, or its text.
    pub summary: String,
    /// How much it matters, from 0 to 1.
    pub importance: f32,
    /// `pending`, `embedded` or `retry`; `quiet` for what is never embedded, `off` where no model is configured.
    pub status: &'static str,
    /// Why it is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl RecallHit {
    /// Whether it is near enough to its question to count as an answer.
    pub fn is_good(&self) -> bool {
        is_good(self.standing.0, self.standing.1)
    }
}

/// Whether something is near enough to a question to count as an answer.
pub fn is_good(words: f64, cosine: Option<f64>) -> bool {
    words >= LEAST_WORDS || cosine.is_some_and(|cosine| cosine >= LEAST_COSINE)
}
