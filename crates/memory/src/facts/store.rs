//! Storing, rewording, ending and deleting facts.

use idetic_core::views::{FACT_DELETED, FACT_ENDED, FACT_STORED, FactRow};
use idetic_core::{Record, Time};
use serde_json::json;

use super::draft::FactDraft;
use crate::viewpoint::Viewpoint;
use crate::{Error, FactStored, Result};

impl Viewpoint {
    /// Stores a fact, or joins it to the one that says the same.
    pub fn store_fact(&self, mut draft: FactDraft) -> Result<FactStored> {
        draft.check()?;
        draft.fill_in();
        let record = draft.record(None)?;
        let done = if draft.fact.is_some() { "updated" } else { "stored" };
        self.tell_of_fact(record, done)
    }

    /// A new wording of a fact: what is not said stays. The old wording is recalled no more.
    pub fn update_fact(&self, id: &str, mut draft: FactDraft) -> Result<FactStored> {
        let horizon = self.horizon(None)?;
        let row = self.living_fact(id, horizon)?;
        self.check_own("the fact", &row.agent, &row.persona)?;
        if draft.text.trim().is_empty() {
            draft.text.clone_from(&row.text);
        }
        draft.check()?;
        draft.fill_in();
        draft.supersedes = self.stating(&row, horizon)?;
        draft.fact = Some(row.fact.clone());
        self.tell_of_fact(self.for_lane(draft.record(None)?, &row.agent, &row.persona)?, "updated")
    }

    /// Says until when a fact was true.
    pub fn end_fact(&self, id: &str, until: Time, causes: &[String]) -> Result<FactStored> {
        let row = self.living_fact(id, self.horizon(None)?)?;
        self.check_own("the fact", &row.agent, &row.persona)?;
        if until.0 <= row.valid_from {
            return Err(Error::invalid(format!("it would end ({until}) before it begins ({})", Time(row.valid_from)))
                .hint("name a later moment"));
        }
        let mut body = json!({"kind": FACT_ENDED, "metadata": {"fact": row.fact, "until": until.to_string()}});
        if !causes.is_empty() {
            body["causes"] = causes.into();
        }
        let record = Record::parse(body.to_string().as_bytes())?;
        self.tell_of_fact(self.for_lane(record, &row.agent, &row.persona)?, "ended")
    }

    /// Takes a fact away; its texts are recalled no more.
    pub fn delete_fact(&self, id: &str, reason: Option<&str>) -> Result<FactStored> {
        let horizon = self.horizon(None)?;
        let row = self.living_fact(id, horizon)?;
        self.check_own("the fact", &row.agent, &row.persona)?;
        let stating = self.stating(&row, horizon)?;
        let mut about = json!({"fact": row.fact, "supersedes": stating});
        if let Some(reason) = reason {
            about["reason"] = reason.into();
        }
        let body = json!({"kind": FACT_DELETED, "metadata": about});
        let record = Record::parse(body.to_string().as_bytes())?;
        self.tell_of_fact(self.for_lane(record, &row.agent, &row.persona)?, "deleted")
    }

    /// The events whose texts state a fact.
    fn stating(&self, row: &FactRow, horizon: u64) -> Result<Vec<String>> {
        let events = self.fact_events(&row.fact, horizon)?.into_iter();
        Ok(events.filter(|event| event.header.kind == FACT_STORED).map(|event| event.header.id).collect())
    }

    /// Appends an event about a fact and tells what became of it.
    fn tell_of_fact(&self, record: Record, done: &'static str) -> Result<FactStored> {
        let ack = self.append(vec![record], None)?.into_iter().next();
        let (place, event) = ack.ok_or_else(|| Error::unavailable("nothing was appended"))?;
        let after = |error: Error| Error { appended: true, ..error };
        let horizon = self.horizon(None).map_err(after)?;
        let seq = self.get(&event, horizon).map_err(after)?.seq();
        let fact = self.space().fact_of(seq, horizon).map_err(after)?.unwrap_or_else(|| event.clone());
        let row = self.fact_row(&fact, horizon).map_err(after)?;
        let conflicts = match row.as_ref().filter(|row| !row.deleted) {
            Some(row) => self.conflicts_of(row, horizon).map_err(after)?,
            None => Vec::new(),
        };
        let is_joined = done == "stored" && fact != event;
        Ok(FactStored {
            fact_id: fact,
            done: if is_joined { "joined" } else { done },
            event,
            place,
            supersedes: row.and_then(|row| row.previous).filter(|_| done == "stored" && !is_joined),
            conflicts,
            error: (),
        })
    }
}
