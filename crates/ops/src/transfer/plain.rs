//! What a space remembers as plain data, for whoever goes elsewhere: every event in its newest version, every fact and note as it
//! stands; nothing that was hidden or erased, and nothing that the program says of itself.

use std::collections::HashMap;
use std::sync::Arc;

use idetic_core::views::{FACTS, TIMELINE};
use idetic_core::words::Trust;
use idetic_core::{Event, Time, policy};
use idetic_memory::{Result, Space, Viewpoint};
use idetic_search::filter::Condition;
use idetic_store::{Filter, Select};
use serde::Serialize;
use serde_json::{Value, json};

/// Events that are read together.
const PAGE_EVENTS: usize = 500;
/// Kinds that are told by what became of them.
const TOLD_ELSEWHERE: [&str; 2] = ["fact.", "note."];

/// One thing that is remembered.
#[derive(Debug, Serialize)]
pub(super) struct Memory {
    /// Its id.
    pub id: String,
    /// What kind of thing it is: that of its event, `fact` or `note`.
    pub kind: String,
    /// When it happened.
    pub ts: String,
    /// What it says.
    pub text: String,
    /// The same in one line, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The agent whose memory it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Who said or did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The project it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The conversation it is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// Labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How far it is trusted.
    pub trust: String,
    /// Its origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Anything else; of a fact what it is about and how long it holds, of a note its links.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
}

/// Tells everything as of a seq: first the events in their order, then facts, then notes.
pub(super) fn each(
    space: &Arc<Space>,
    horizon: u64,
    progress: &mut dyn FnMut(u64, u64),
    tell: &mut dyn FnMut(Memory) -> Result<()>,
) -> Result<()> {
    let viewpoint = &space.as_owner();
    let later = superseding(viewpoint, space.now(), horizon)?;
    let has_ends = space.has_ends(horizon)?;
    let end_of = |seq: u64| -> Result<Option<String>> {
        let end = if has_ends { space.expiry_of(seq, horizon)? } else { None };
        Ok(end.map(|end| end.to_string()))
    };
    let mut after = 0;
    loop {
        let page = Select { limit: Some(PAGE_EVENTS), ..Select::from(&TIMELINE, horizon) };
        let seqs = viewpoint.seqs(&page.filter(Filter::BornAfter(after)))?;
        let Some(last) = seqs.last() else { break };
        after = *last;
        for event in viewpoint.events(&seqs)? {
            if let Some(memory) = of_event(&event, &later) {
                tell(Memory { expires_at: end_of(event.seq())?, ..memory })?;
            }
        }
        progress(after, horizon);
    }
    for row in viewpoint.facts(Select::from(&FACTS, horizon).filter(Filter::Is("deleted", 0_i64.into())))? {
        let fact = viewpoint.shown_fact(&row, horizon)?;
        let given: Value =
            fact.metadata.as_ref().and_then(|given| serde_json::from_str(given.get()).ok()).unwrap_or_default();
        let about = json!({"subject": fact.subject, "attribute": fact.attribute, "value": fact.value,
            "valid_from": fact.valid_from.to_string(), "valid_until": fact.valid_until.map(|until| until.to_string()),
            "superseded_by": fact.superseded_by, "confidence": fact.confidence, "given": given, "causes": fact.causes});
        tell(Memory {
            id: fact.id,
            kind: "fact".to_owned(),
            ts: fact.timestamp.to_string(),
            text: fact.content,
            summary: None,
            agent_id: Some(row.agent.clone()).filter(|agent| !agent.is_empty()),
            author: None,
            source: None,
            conversation_id: fact.source,
            tags: Vec::new(),
            trust: fact.trust,
            origin: fact.origin,
            expires_at: end_of(row.seq)?,
            metadata: without_nulls(about),
        })?;
    }
    for row in space.living_notes(horizon)? {
        let event = space.event(row.seq)?;
        tell(Memory {
            id: row.note.clone(),
            kind: "note".to_owned(),
            ts: event.ts().to_string(),
            text: space.note_text(&row)?,
            summary: Some(row.title.clone()),
            agent_id: None,
            author: row.author.clone(),
            source: None,
            conversation_id: None,
            tags: row.tags.clone(),
            trust: row.trust.clone(),
            origin: Some(event.origin().to_owned()),
            expires_at: end_of(row.seq)?,
            metadata: without_nulls(json!({"links": row.links, "status": row.status, "created": row.created})),
        })?;
    }
    Ok(())
}

/// By the id of each event that another one says it takes the place of: the trust and the agent of the latter.
type Later = HashMap<String, Vec<(Trust, Option<String>)>>;

fn superseding(viewpoint: &Viewpoint, now: Time, horizon: u64) -> Result<Later> {
    let says = Arc::new(Condition::parse(&json!({"metadata.supersedes": {"exists": true}}), now)?);
    let mut later = Later::new();
    let seqs = viewpoint.seqs(&Select::from(&TIMELINE, horizon).filter(Filter::Matches("born", says)))?;
    for page in seqs.chunks(PAGE_EVENTS) {
        for event in viewpoint.events(page)? {
            let agent = event.fields.as_ref().and_then(|fields| fields.agent_id.clone());
            let metadata = event.metadata();
            let said = &metadata["supersedes"];
            let ids = said.as_str().into_iter().chain(said.as_array().into_iter().flatten().filter_map(Value::as_str));
            for id in ids {
                later.entry(id.to_owned()).or_default().push((event.trust(), agent.clone()));
            }
        }
    }
    Ok(later)
}

fn of_event(event: &Event, later: &Later) -> Option<Memory> {
    let (fields, kind) = (event.fields.as_ref()?, event.header.kind.as_str());
    let has_later = later.get(&event.header.id).is_some_and(|later| {
        later.iter().any(|(trust, agent)| trust.may_change(event.trust()) && *agent == fields.agent_id)
    });
    if has_later || policy::is_reserved(kind) || TOLD_ELSEWHERE.iter().any(|kinds| kind.starts_with(kinds)) {
        return None;
    }
    let text = fields.content.clone().or_else(|| fields.summary.clone()).filter(|text| !text.is_empty())?;
    Some(Memory {
        id: event.header.id.clone(),
        kind: kind.to_owned(),
        ts: event.ts().to_string(),
        summary: fields.summary.clone().filter(|summary| *summary != text),
        text,
        agent_id: fields.agent_id.clone(),
        author: fields.author.clone(),
        source: fields.source.clone(),
        conversation_id: fields.conversation_id.clone(),
        tags: fields.tags.clone(),
        trust: event.trust().word().to_owned(),
        origin: Some(event.origin().to_owned()),
        expires_at: None,
        metadata: event.metadata(),
    })
}

fn without_nulls(mut said: Value) -> Value {
    if let Some(object) = said.as_object_mut() {
        object.retain(|_, value| !value.is_null());
    }
    said
}
