//! The receipt of a purge: how many events, which numbers, why; never a word of what they said. Whatever else calls itself
//! one is an event like any other.

use std::collections::BTreeMap;

use idetic_core::views::PURGED;
use idetic_core::{Record, Stored};
use serde::Deserialize;
use serde_json::json;

use super::TextPattern;
use crate::sessions::new_trace;
use crate::{Env, Result};

/// Most ranges of numbers that a receipt lists.
const RANGES_MAX: usize = 2000;
/// Whose memory it belongs to: nobody's.
const AGENT: &str = "idetic";
const PERSONA: &str = "subconscious";
const VISIBILITY: &str = "internal";
/// What its id begins with.
const ID: &str = "purged-";

/// The record of a receipt.
pub fn receipt(env: &Env, seqs: &[u64], reason: Option<&str>) -> Result<String> {
    let ranges = ranges(seqs.iter().copied());
    let mut metadata = json!({
        "events": seqs.len(),
        "seqs": ranges.iter().take(RANGES_MAX).collect::<Vec<_>>(),
    });
    if ranges.len() > RANGES_MAX {
        metadata["ranges"] = json!(ranges.len());
    }
    if let Some(reason) = reason {
        metadata["reason"] = json!(reason);
    }
    let record = json!({
        // Chosen here, so that a purge that is finished later does not leave two.
        "id": format!("{ID}{}", new_trace(env)),
        "kind": PURGED,
        "ts": env.now().to_string(),
        "agent_id": AGENT, "persona": PERSONA, "visibility": VISIBILITY,
        "metadata": metadata,
    });
    Ok(Record::parse(record.to_string().as_bytes())?.body)
}

/// Numbers in order as ranges.
pub fn ranges(seqs: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for seq in seqs {
        add(&mut ranges, seq);
    }
    ranges
}

/// Adds the next number.
pub fn add(ranges: &mut Vec<(u64, u64)>, seq: u64) {
    match ranges.last_mut() {
        Some((_, last)) if *last + 1 == seq => *last = seq,
        _ => ranges.push((seq, seq)),
    }
}

/// Exactly what a receipt says, and nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    id: String,
    kind: String,
    ts: String,
    agent_id: String,
    persona: String,
    visibility: String,
    metadata: Metadata,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    events: u64,
    seqs: Vec<(u64, u64)>,
    ranges: Option<u64>,
    reason: Option<String>,
}

/// Whether an event is the receipt of a purge that really was: it has its shape, what it lists was erased (`erased` are the
/// ranges of all such numbers before it), and it does not itself say what is searched for.
pub fn is_genuine(stored: &Stored, body: &str, erased: &[(u64, u64)], words: Option<&TextPattern>) -> bool {
    if stored.header.kind != PURGED {
        return false;
    }
    let Ok(shape) = serde_json::from_str::<Shape>(body) else { return false };
    let Shape { id, kind, ts, agent_id, persona, visibility, metadata } = shape;
    let is_id = |id: &str| id.len() == 36 && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_ours = id.strip_prefix(ID).is_some_and(is_id)
        && kind == PURGED
        && idetic_core::Time::parse(&ts).is_ok()
        && [agent_id.as_str(), persona.as_str(), visibility.as_str()] == [AGENT, PERSONA, VISIBILITY];
    let listed: u64 = metadata.seqs.iter().map(|(first, last)| last.saturating_sub(*first).saturating_add(1)).sum();
    let is_whole = match metadata.ranges {
        None => listed == metadata.events,
        Some(ranges) => ranges > metadata.seqs.len() as u64 && listed < metadata.events,
    };
    let starts: BTreeMap<u64, u64> = erased.iter().copied().collect();
    let is_erased = |(first, last): &(u64, u64)| {
        first <= last && starts.range(..=first).next_back().is_some_and(|(_, end)| last <= end)
    };
    // The reason is the one thing in it that somebody worded.
    let says = |reason: &String| words.is_some_and(|words| words.matches(reason));
    is_ours
        && is_whole
        && metadata.events > 0
        && metadata.seqs.iter().all(is_erased)
        && !metadata.reason.as_ref().is_some_and(says)
}
