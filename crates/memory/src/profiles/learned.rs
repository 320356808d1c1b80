//! What agents learned: the notes they wrote, each under the capability it belongs to.

use std::collections::BTreeMap;

use idetic_core::Event;
use idetic_core::event::is_for_files;
use idetic_core::views::{NOTES, TIMELINE, Value, operation};
use idetic_formats::amem::profile::Profile;
use idetic_store::{Filter, Row, Select};
use serde::Deserialize;

use super::counts::{Counts, session_traces};
use crate::{Result, Space};

/// Most events of one trace that are asked what it was about.
const TRACE_MAX_EVENTS: usize = 200;

/// The notes of all agents, as of a seq.
pub struct Learned {
    notes: Vec<Note>,
}

struct Note {
    id: String,
    author: String,
    tags: Vec<String>,
    traces: Vec<String>,
    seq: u64,
}

/// What one agent learned.
#[derive(Debug, Default)]
pub struct Patterns {
    pub by_capability: BTreeMap<String, Vec<String>>,
    /// What belongs to none.
    pub other: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    capability: Option<String>,
}

impl Learned {
    pub fn read(space: &Space, horizon: u64) -> Result<Self> {
        let rows = space.select(&Select::from(&NOTES, horizon).filter(Filter::Is("deleted", Value::Int(0))))?;
        let mut notes: Vec<Note> = rows.iter().filter_map(note).collect();
        notes.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Self { notes })
    }

    /// What an agent learned, by name of the note.
    pub fn of(&self, space: &Space, profile: &Profile, counts: &Counts, horizon: u64) -> Result<Patterns> {
        let mut patterns = Patterns::default();
        let agent = profile.agent_name.as_str();
        let told = profile.capabilities.iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = told.chain(counts.capabilities.keys().map(String::as_str)).collect();
        for note in self.notes.iter().filter(|note| note.author == agent) {
            let event = space.event(note.seq)?;
            if !is_for_files(&event) {
                continue;
            }
            let tagged = || names.iter().find(|name| note.tags.iter().any(|tag| same(tag, name)));
            let capability = match said(&event).or_else(|| tagged().map(|&name| name.to_owned())) {
                Some(name) => Some(name),
                None => traced(space, agent, &note.traces, horizon)?,
            };
            match capability {
                Some(name) => patterns.by_capability.entry(name).or_default().push(note.id.clone()),
                None => patterns.other.push(note.id.clone()),
            }
        }
        Ok(patterns)
    }
}

/// A note that stands; one that was found wrong is no longer a pattern.
fn note(row: &Row) -> Option<Note> {
    let cell = |name: &str| NOTES.columns.iter().position(|own| *own == name).map(|at| &row.values[at]);
    let text = |name: &str| cell(name).and_then(Value::text);
    let list = |name: &str| text(name).and_then(|list| serde_json::from_str(list).ok()).unwrap_or_default();
    let note = Note {
        id: text("note")?.to_owned(),
        author: text("author")?.to_owned(),
        tags: list("tags"),
        traces: list("traces"),
        seq: u64::try_from(cell("seq")?.int()).ok()?,
    };
    (text("status") != Some("deprecated")).then_some(note)
}

fn said(event: &Event) -> Option<String> {
    let metadata = event.fields.as_ref()?.metadata.as_ref()?;
    serde_json::from_str::<Said>(metadata.get()).ok()?.capability.filter(|name| !name.is_empty())
}

/// Tags are written with hyphens, capabilities often with underscores.
fn same(tag: &str, capability: &str) -> bool {
    let plain = |c: char| if c == '_' { '-' } else { c.to_ascii_lowercase() };
    tag.chars().map(plain).eq(capability.chars().map(plain))
}

/// What an agent did most in some traces; of equal ones the first by name.
fn traced(space: &Space, agent: &str, traces: &[String], horizon: u64) -> Result<Option<String>> {
    let (mut counts, begun) = (BTreeMap::<String, u64>::new(), session_traces(space, horizon)?);
    for trace in traces {
        let of_trace = Select { limit: Some(TRACE_MAX_EVENTS), ..Select::from(&TIMELINE, horizon) };
        let seqs = space.seqs(&of_trace.filter(Filter::Is("trace", trace.as_str().into())))?;
        let done = space.events(&seqs)?;
        for operation in done.iter().filter_map(|event| operation(event, &begun)).filter(|done| done.agent == agent) {
            *counts.entry(operation.capability).or_default() += 1;
        }
    }
    Ok(counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(name, _)| name))
}
