//! Answers about facts, in the form of specification 002 with what we know besides.

use idetic_core::Time;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::EventNumber;

/// A fact.
#[derive(Debug, Clone, Serialize)]
pub struct Fact {
    /// Its id.
    pub id: String,
    /// What it says.
    pub content: String,
    /// The conversation where it was learned.
    pub source: Option<String>,
    /// When it was learned.
    pub timestamp: Time,
    /// Its vector, for the owner who asks for it.
    pub embedding: Option<Vec<f32>>,
    /// What whoever stored it wanted to keep beside it.
    pub metadata: Option<Box<RawValue>>,
    /// Whom or what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// And what that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// From when it is true: as said, else when it was learned.
    pub valid_from: Time,
    /// Until when: as said, or when another took its place.
    pub valid_until: Option<Time>,
    /// The fact whose place it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// The fact that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// When it is forgotten by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Time>,
    /// How certain it is, from 0 to 1: each independent source leaves less doubt.
    pub confidence: f64,
    /// Where it comes from: the best of its sources.
    pub trust: String,
    /// Which way the words came in that it rests on: those of the best source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// How many events state it.
    pub sources: i64,
    /// Whether it was taken away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// The events it cites: those that state it, and those they were derived from.
    pub causes: Vec<String>,
    /// How well it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Other facts that it possibly contradicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<FactConflict>,
}

/// A fact that possibly contradicts another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactConflict {
    /// Which.
    pub fact: String,
    /// What it says.
    pub content: String,
    /// Why both may not be true.
    pub why: &'static str,
}

/// Facts that were found.
#[derive(Debug, Clone, Serialize)]
pub struct FactsFound {
    /// The best first.
    pub facts: Vec<Fact>,
    /// Never here: what goes wrong is an error.
    pub error: (),
}

/// A fact was stored.
#[derive(Debug, Clone, Serialize)]
pub struct FactStored {
    /// The fact: a new one, or the one that says the same.
    pub fact_id: String,
    /// What became of it: `stored`, `joined`, `updated`, `ended`, `reopened` or `deleted`.
    pub done: &'static str,
    /// The event.
    pub event: String,
    /// Its number.
    #[serde(flatten)]
    pub place: EventNumber,
    /// The fact whose place it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// Other facts that it possibly contradicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<FactConflict>,
    /// Never here: what goes wrong is an error.
    pub error: (),
}

/// One event in the history of a fact.
#[derive(Debug, Clone, Serialize)]
pub struct FactVersion {
    /// The fact.
    pub fact_id: String,
    /// What happened to it: `stored`, `joined`, `updated`, `ended`, `reopened`, `deleted`.
    pub done: &'static str,
    /// What was said.
    pub content: Option<String>,
    /// When it was said.
    pub timestamp: Time,
    /// From when it was true, where it was said or follows.
    pub valid_from: Option<Time>,
    /// Until when.
    pub valid_until: Option<Time>,
    /// Why it was taken away, where that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The event.
    pub event: String,
    /// Its number.
    #[serde(flatten)]
    pub place: EventNumber,
    /// The events it was derived from.
    pub causes: Vec<String>,
}

/// Two facts that possibly contradict each other.
#[derive(Debug, Clone, Serialize)]
pub struct FactsAtOdds {
    /// The one.
    pub fact: String,
    /// What it says.
    pub content: String,
    /// The other.
    pub other: String,
    /// What that says.
    pub other_content: String,
    /// Why both may not be true.
    pub why: &'static str,
}
