//! The events of a purge as they are told: before it with what they say, so that somebody can judge; after it without.

use idetic_core::{Event, Time};
use idetic_memory::purge::{PurgeCandidate, TextPattern};
use idetic_memory::{Result, Space};
use idetic_search::text_pattern::excerpt;
use serde::Serialize;
use serde_json::Value;

/// Most events that are listed; of all others the count is told.
const LISTED_MAX: usize = 500;
/// How deep a body is looked into for where it says something; none may be deeper.
const DEPTH_MAX: usize = 64;

/// An event whose content goes.
#[derive(Debug, Clone, Serialize)]
pub struct PurgedLine {
    /// Its number.
    pub seq: u64,
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Why it goes: it was asked for, or derived from one that goes.
    pub why: String,
    /// What would go. Once it has gone, nobody is told.
    #[serde(flatten)]
    pub said: Option<PurgedText>,
}

/// What an event says that would go.
#[derive(Debug, Clone, Serialize)]
pub struct PurgedText {
    /// When it happened.
    pub ts: Time,
    /// Who said it, or whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The part of it that is shown: `content`, `metadata.note`.
    pub field: String,
    /// The words that were searched for with what stands around them; else its beginning.
    pub passage: String,
}

/// The events without what they said.
pub fn bare(chosen: &[PurgeCandidate]) -> Vec<PurgedLine> {
    chosen.iter().take(LISTED_MAX).map(|chosen| line(chosen, None)).collect()
}

/// The events with what they say.
pub fn with_passages(space: &Space, chosen: &[PurgeCandidate], words: Option<&TextPattern>) -> Result<Vec<PurgedLine>> {
    let told = |chosen: &PurgeCandidate| {
        let stored = space.page(chosen.seq, 1)?.remove(0);
        let said = match &stored.secret {
            Some(secret) => Some(said(&Event::read(&stored)?, &secret.body, words)),
            None => None,
        };
        Ok(line(chosen, said))
    };
    chosen.iter().take(LISTED_MAX).map(told).collect()
}

fn line(chosen: &PurgeCandidate, said: Option<PurgedText>) -> PurgedLine {
    let PurgeCandidate { seq, id, kind, why, .. } = chosen;
    PurgedLine { seq: *seq, id: id.clone(), kind: kind.clone(), why: why.clone(), said }
}

fn said(event: &Event, body: &str, words: Option<&TextPattern>) -> PurgedText {
    let fields = event.fields.as_ref();
    let author = fields.and_then(|fields| fields.author.clone().or_else(|| fields.agent_id.clone()));
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let (field, passage) = words.and_then(|words| found(words, event, body, &value)).unwrap_or_else(|| begins(&value));
    PurgedText { ts: event.ts(), author, field, passage }
}

/// Where an event says the words.
fn found(words: &TextPattern, event: &Event, body: &str, value: &Value) -> Option<(String, String)> {
    let mut field = None;
    walk(value, "", 0, &mut |path, text| {
        if field.is_none() {
            field = words.passage(text).map(|passage| (path.to_owned(), passage));
        }
    });
    // Not all in one field, or in its id that it was given.
    field
        .or_else(|| words.passage(&event.header.id).map(|passage| ("id".to_owned(), passage)))
        .or_else(|| words.passage(body).map(|passage| ("record".to_owned(), passage)))
}

/// How an event begins that says nothing of the words itself.
fn begins(value: &Value) -> (String, String) {
    let main = ["summary", "content"].into_iter().find_map(|name| {
        let text = value[name].as_str().filter(|text| !text.trim().is_empty())?;
        Some((name.to_owned(), excerpt(text, 0..0)))
    });
    let metadata = || ("metadata".to_owned(), excerpt(&value["metadata"].to_string(), 0..0));
    main.unwrap_or_else(metadata)
}

/// Every text and every key of a value, with where it stands.
fn walk(value: &Value, path: &str, depth: usize, take: &mut dyn FnMut(&str, &str)) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        _ if depth > DEPTH_MAX => {}
        Value::String(text) => take(path, text),
        Value::Array(list) => list.iter().for_each(|one| walk(one, path, depth + 1, take)),
        Value::Object(map) => {
            for (key, value) in map {
                let path = below(key);
                take(&path, key);
                walk(value, &path, depth + 1, take);
            }
        }
        Value::Number(number) => take(path, &number.to_string()),
        _ => {}
    }
}
