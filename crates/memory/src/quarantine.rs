//! Quarantine: events and everything made of them are hidden from every answer, and can be let out again.
//!
//! Nothing is erased. What is hidden follows from events of the log, so that it can be rebuilt and told at any time; the
//! list beside the log is what readers look at. As with a purge, everything derived is folded anew without what is hidden.

use std::collections::BTreeSet;

use idetic_core::views::{QUARANTINED, RELEASED, TIMELINE};
use idetic_core::{Event, Record, Time};
use idetic_store::{Filter, LockFile, Select, ranges};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::purge::{Selection, choose};
use crate::{Error, Result, Space};

/// Held while something is hidden, shown again or purged.
const LOCK: &str = "purge.lock";
/// Most of a text in a preview.
const TEXT_MAX_CHARS: usize = 200;

/// What was put into quarantine, let out of it, or would be.
#[derive(Debug, Clone, Serialize)]
pub struct Quarantined {
    /// `previewed`, `hidden`, `released`, or `listed`.
    pub done: &'static str,
    /// The space.
    pub space: String,
    /// What it is called, once it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
    /// Why, as said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many events it concerns.
    pub count: u64,
    /// The events, with what each says; not in a list.
    pub events: Vec<QuarantinedLine>,
}

/// An event in quarantine.
#[derive(Debug, Clone, Serialize)]
pub struct QuarantinedLine {
    /// Its number.
    pub seq: u64,
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its origin.
    pub origin: String,
    /// Why: it was asked for, or derived from one that was.
    pub why: String,
    /// The beginning of what it says.
    pub text: String,
}

/// What the metadata of an event about a quarantine says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    seqs: Vec<(u64, u64)>,
    quarantine: Option<String>,
    reason: Option<String>,
}

impl Said {
    fn of(event: &Event) -> Self {
        let metadata = event.fields.as_ref().and_then(|fields| fields.metadata.as_ref());
        metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok()).unwrap_or_default()
    }
}

/// What would be hidden: what is asked for, and all that descends from it.
pub fn preview(space: &Space, wanted: &Selection, progress: &mut dyn FnMut(u64, u64)) -> Result<Quarantined> {
    let already = space.hidden()?;
    let mut events = Vec::new();
    for chosen in choose(space, wanted, progress)? {
        if already.contains(&chosen.seq) || [QUARANTINED, RELEASED].contains(&chosen.kind.as_str()) {
            continue;
        }
        let event = space.raw_event(chosen.seq)?;
        let text = event.whole_text().chars().take(TEXT_MAX_CHARS).collect();
        let (seq, id, kind, origin) = (chosen.seq, chosen.id, chosen.kind, event.origin().to_owned());
        events.push(QuarantinedLine { seq, id, kind, origin, why: chosen.why, text });
    }
    let count = events.len() as u64;
    Ok(Quarantined {
        done: "previewed",
        space: space.name().to_string(),
        id: None,
        since: None,
        reason: None,
        count,
        events,
    })
}

/// Hides what a preview shows; `None` where there is nothing to hide.
pub fn hide(
    space: &Space,
    wanted: &Selection,
    reason: Option<&str>,
    author: Option<&str>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Option<Quarantined>> {
    let lock = LockFile::open(&space.folder().join(LOCK))?;
    let _alone = lock.hold()?;
    let plan = preview(space, wanted, progress)?;
    if plan.count == 0 {
        return Ok(None);
    }
    let seqs: BTreeSet<u64> = plan.events.iter().map(|line| line.seq).collect();
    let id = record(space, author, QUARANTINED, &json!({"seqs": ranges(&seqs), "reason": reason}))?;
    refresh(space)?;
    space.raw_log().mark_erasure()?;
    Ok(Some(Quarantined { done: "hidden", id: Some(id), reason: reason.map(str::to_owned), ..plan }))
}

/// Lets the events of a quarantine be seen again.
pub fn release(space: &Space, id: &str, author: Option<&str>) -> Result<Quarantined> {
    let lock = LockFile::open(&space.folder().join(LOCK))?;
    let _alone = lock.hold()?;
    let mut open = standing(space)?;
    let Some(at) = open.iter().position(|(event, _)| event.header.id == id) else {
        // One that was stopped half way is finished.
        refresh(space)?;
        return Err(
            Error::not_found(format!("there is no quarantine '{id}'")).hint("`idetic quarantine --list` lists them")
        );
    };
    let (_, said) = open.remove(at);
    record(space, author, RELEASED, &json!({"quarantine": id}))?;
    refresh(space)?;
    space.raw_log().mark_erasure()?;
    let count = said.seqs.iter().map(|(from, to)| (to + 1).saturating_sub(*from)).sum();
    let (space, id, reason) = (space.name().to_string(), Some(id.to_owned()), said.reason);
    Ok(Quarantined { done: "released", space, id, since: None, reason, count, events: Vec::new() })
}

/// Every quarantine that stands.
pub fn list(space: &Space) -> Result<Vec<Quarantined>> {
    let told = standing(space)?.into_iter().map(|(event, said)| Quarantined {
        done: "listed",
        space: space.name().to_string(),
        id: Some(event.header.id.clone()),
        since: Some(event.header.recorded_at),
        reason: said.reason,
        count: said.seqs.iter().map(|(from, to)| (to + 1).saturating_sub(*from)).sum(),
        events: Vec::new(),
    });
    Ok(told.collect())
}

/// Makes the list that readers look at anew from the log, and with it everything derived where it changed.
pub fn refresh(space: &Space) -> Result<()> {
    let hidden = derived(space)?;
    if hidden == *space.hidden()? {
        return Ok(());
    }
    // Whoever holds something in memory lets go of it before and after.
    space.signal_erasure()?;
    space.hide(&hidden)?;
    space.discard_derived()?;
    space.signal_erasure()
}

/// The numbers that are hidden, as the log says.
pub fn derived(space: &Space) -> Result<BTreeSet<u64>> {
    let standing = standing(space)?;
    Ok(standing.iter().flat_map(|(_, said)| said.seqs.iter().flat_map(|(from, to)| *from..=*to)).collect())
}

/// The events of every quarantine that was not released, in order.
fn standing(space: &Space) -> Result<Vec<(Event, Said)>> {
    let at = space.log().tip()?.seq;
    let of = |kind: &str| space.seqs(&Select::from(&TIMELINE, at).filter(Filter::Is("kind", kind.into())));
    let released: BTreeSet<String> =
        space.events(&of(RELEASED)?)?.iter().filter_map(|event| Said::of(event).quarantine).collect();
    let quarantined = space.events(&of(QUARANTINED)?)?;
    let standing = quarantined.into_iter().filter(|event| !released.contains(&event.header.id));
    let mut told = Vec::new();
    for event in standing {
        // What came with an import hides nothing of the owner's.
        if space.is_foreign(event.seq())? {
            continue;
        }
        let mut said = Said::of(&event);
        // It speaks of what was there before it.
        let last = event.seq().saturating_sub(1);
        said.seqs.retain(|(from, _)| *from >= 1 && *from <= last);
        said.seqs.iter_mut().for_each(|(from, to)| *to = (*to).clamp(*from, last));
        told.push((event, said));
    }
    Ok(told)
}

/// The event that says so, which no view but the owner's log sees and no file gets.
fn record(space: &Space, author: Option<&str>, kind: &str, metadata: &serde_json::Value) -> Result<String> {
    let body = json!({"id": space.new_event_id(), "kind": kind, "agent_id": "idetic", "persona": "subconscious",
        "metadata": metadata});
    let mut record = Record::parse(body.to_string().as_bytes())?;
    if let Some(author) = author {
        record.supply("author", author)?;
    }
    let acks = space.append(vec![record], None)?;
    acks.into_iter().next().map(|ack| ack.id).ok_or_else(|| Error::unavailable("nothing was appended"))
}
