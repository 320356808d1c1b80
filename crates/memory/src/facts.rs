//! Facts of a space: how one is stored, found, contradicted and told apart from another wording of the same.

pub(crate) mod conflicts;
pub(crate) mod draft;
pub mod reply;
pub(crate) mod retrieve;
pub(crate) mod store;

use idetic_core::views::{FACT_EVENTS, FACTS, FactRow};
use idetic_core::words::Trust;
use idetic_core::{Event, Time};
use idetic_store::{Filter, Select};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::viewpoint::Viewpoint;
use crate::{Error, Fact, Result, Space};

pub use draft::FactDraft;
pub use retrieve::FactQuery;

/// What the metadata of an event about a fact says that its row does not hold.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct About {
    /// What whoever stored it wanted to keep beside it.
    pub given: Option<Box<RawValue>>,
}

impl About {
    pub fn read(event: &Event) -> Self {
        let metadata = event.fields.as_ref().and_then(|fields| fields.metadata.as_ref());
        metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok()).unwrap_or_default()
    }
}

/// Thousandths of certainty that a fact reaches at most, by the best of its sources: one that says the same a hundred times is
/// not a hundred.
fn most_certain(trust: Trust) -> i64 {
    match trust {
        Trust::User => 1000,
        Trust::Tool | Trust::Agent => 850,
        Trust::External => 600,
    }
}

/// Which way the words came in that a fact rests on: those of the best source, as far as the fact is trusted.
fn origin_of(events: &[Event], trust: Trust) -> Option<String> {
    let best = events.iter().filter(|event| event.trust() >= trust).min_by_key(|event| event.trust());
    best.map(|event| event.origin().to_owned())
}

impl Space {
    /// The fact that an event is about.
    pub(crate) fn fact_of(&self, seq: u64, horizon: u64) -> Result<Option<String>> {
        // As of that very event, so that no later one is looked at.
        let at = Select::from(&FACT_EVENTS, seq.min(horizon)).filter(Filter::BornAfter(seq.saturating_sub(1)));
        Ok(self.select(&at)?.first().and_then(|row| row.values.first()?.text().map(str::to_owned)))
    }
}

impl Viewpoint {
    /// The facts this reader can see as of a seq, in the order they were last stated; deleted ones included.
    pub fn facts(&self, select: Select) -> Result<Vec<FactRow>> {
        let rows = self.space().select(&select)?;
        let rows = rows.into_iter().map(|row| FactRow::of(&row.values));
        let mut rows: Vec<FactRow> = rows.filter(|row| self.sees_row(&row.agent, &row.persona)).collect();
        // One event can change several facts: their order is that of the events that state them.
        rows.sort_by(|one, other| (one.seq, &one.fact).cmp(&(other.seq, &other.fact)));
        Ok(rows)
    }

    /// One fact by its id, or by that of any event that states it. Its own before what is shared.
    pub fn fact_row(&self, id: &str, horizon: u64) -> Result<Option<FactRow>> {
        let named = |fact: &str| Select::from(&FACTS, horizon).filter(Filter::Is("fact", fact.into()));
        let mut rows = self.facts(named(id))?;
        if rows.is_empty()
            && let Ok(event) = self.get(id, horizon)
            && let Some(fact) = self.space().fact_of(event.seq(), horizon)?
        {
            rows = self.facts(named(&fact))?;
        }
        rows.sort_by_key(|row| row.agent.is_empty());
        Ok(rows.into_iter().next())
    }

    /// One fact that is there, or an error that says what to do.
    pub fn living_fact(&self, id: &str, horizon: u64) -> Result<FactRow> {
        let shown = idetic_core::invalid::excerpt(id);
        match self.fact_row(id, horizon)? {
            Some(row) if !row.deleted => Ok(row),
            Some(_) => Err(Error::not_found(format!("fact '{shown}' was deleted"))
                .hint("`idetic fact history ID` shows what it said")),
            None => Err(Error::not_found(format!("there is no fact '{shown}'")).hint("`idetic fact list` lists them")),
        }
    }

    /// The events that a fact rests on, in order.
    pub fn fact_events(&self, fact: &str, horizon: u64) -> Result<Vec<Event>> {
        let seqs = self.space().seqs(&Select::from(&FACT_EVENTS, horizon).filter(Filter::Is("fact", fact.into())))?;
        let mut events = self.space().events(&seqs)?;
        events.retain(|event| self.sees_event(event));
        Ok(events)
    }

    /// The fact that an event is about.
    pub fn fact_stated_by(&self, seq: u64, horizon: u64) -> Result<Option<FactRow>> {
        match self.space().fact_of(seq, horizon)? {
            Some(fact) => self.fact_row(&fact, horizon),
            None => Ok(None),
        }
    }

    /// Whether a fact may be shown where this reader works: what is no person's own word stays in its project.
    pub fn may_hear_fact(&self, row: &FactRow, horizon: u64) -> Result<bool> {
        if self.writer().source.is_none() {
            return Ok(true);
        }
        let hears = |event: &Event| {
            let source = event.fields.as_ref().and_then(|fields| fields.source.as_deref());
            self.writer().is_visible_in_project(source, event.trust().word(), event.origin())
        };
        Ok(self.fact_events(&row.fact, horizon)?.iter().any(hears))
    }

    /// A fact as it is shown, with everything it cites.
    pub fn shown_fact(&self, row: &FactRow, horizon: u64) -> Result<Fact> {
        let events = self.fact_events(&row.fact, horizon)?;
        let mut causes: Vec<String> = Vec::new();
        for event in &events {
            let derived = event.fields.as_ref().map(|fields| fields.causes.clone()).unwrap_or_default();
            causes.push(event.header.id.clone());
            causes.extend(self.visible_ids(derived, horizon)?);
        }
        let mut seen = std::collections::HashSet::new();
        causes.retain(|cause| seen.insert(cause.clone()));
        let given = events.iter().rev().find_map(|event| About::read(event).given);
        let time = |micros: i64| Time(micros);
        Ok(Fact {
            id: row.fact.clone(),
            content: row.text.clone(),
            source: row.conversation.clone(),
            timestamp: Time(row.learned),
            embedding: None,
            metadata: given,
            subject: Some(row.subject.clone()).filter(|s| !s.is_empty()),
            attribute: Some(row.attribute.clone()).filter(|s| !s.is_empty()),
            value: Some(row.value.clone()).filter(|s| !s.is_empty()),
            valid_from: Time(row.valid_from),
            valid_until: row.valid_until.map(time),
            supersedes: row.previous.clone(),
            superseded_by: row.superseded_by.clone(),
            expires: self.space().expiry_of(row.seq, horizon)?,
            confidence: row.confidence.min(most_certain(row.trust())) as f64 / 1000.0,
            trust: row.trust.clone(),
            origin: origin_of(&events, row.trust()),
            sources: row.sources,
            deleted: row.deleted,
            causes,
            score: None,
            conflicts: Vec::new(),
        })
    }
}
