//! Storing, rewording, ending and deleting facts.

use idetic_core::time::DAY_MICROS;
use idetic_core::views::{FACT_DELETED, FACT_ENDED, FACT_STORED, FactRow, NEVER};
use idetic_core::{Record, Time};
use serde_json::json;

use super::draft::FactDraft;
use crate::viewpoint::Viewpoint;
use crate::{Error, FactStored, Result};

/// Since when something was true that ended, where nobody says: 1970-01-01.
const EPOCH: i64 = 0;

impl Viewpoint {
    /// Stores a fact, or joins it to the one that says the same.
    pub fn store_fact(&self, draft: FactDraft) -> Result<FactStored> {
        self.store_fact_of(draft, "", "")
    }

    /// The same in the memory of an agent, for an owner who speaks for it.
    pub(crate) fn store_fact_of(&self, mut draft: FactDraft, agent: &str, persona: &str) -> Result<FactStored> {
        draft.check()?;
        draft.fill_in();
        // What ended before it was told was true for as long as anyone knows.
        let told = draft.ts.unwrap_or_else(|| self.space().now());
        if let (None, Some(until)) = (draft.from, draft.until.filter(|until| *until <= told)) {
            draft.from = Some(Time(EPOCH.min(until.0.saturating_sub(DAY_MICROS))));
        }
        let record = self.for_lane(draft.record(None)?, agent, persona)?;
        let done = if draft.fact.is_some() { "updated" } else { "stored" };
        self.tell_of_fact(record, done)
    }

    /// A new wording of a fact: what is not said stays. The old wording is recalled no more.
    pub fn update_fact(&self, id: &str, mut draft: FactDraft) -> Result<FactStored> {
        let horizon = self.horizon(None)?;
        let row = self.living_fact(id, horizon)?;
        self.check_own("the fact", &row.agent, &row.persona)?;
        if draft.text.trim().is_empty() {
            draft.text = reworded(&row, &draft);
        }
        draft.check()?;
        let (from, until) = (draft.from.map_or(row.valid_from, |from| from.0), draft.until.map(|until| until.0));
        if let Some(until) = until.or(row.stated_until).filter(|until| *until <= from) {
            return Err(Error::invalid(format!("it would end ({}) before it begins ({})", Time(until), Time(from)))
                .hint("name both --at and --until"));
        }
        draft.fill_in();
        draft.supersedes = self.stating(&row, horizon)?;
        draft.fact = Some(row.fact.clone());
        self.tell_of_fact(self.for_lane(draft.record(None)?, &row.agent, &row.persona)?, "updated")
    }

    /// Says until when a fact was true; none where it has no end after all.
    pub fn end_fact(&self, id: &str, until: Option<Time>, causes: &[String]) -> Result<FactStored> {
        let row = self.living_fact(id, self.horizon(None)?)?;
        self.check_own("the fact", &row.agent, &row.persona)?;
        if let Some(until) = until.filter(|until| until.0 <= row.valid_from) {
            return Err(Error::invalid(format!("it would end ({until}) before it begins ({})", Time(row.valid_from)))
                .hint("name a later moment"));
        }
        if let (None, Some(next)) = (until, row.superseded_by.as_ref().filter(|_| row.stated_until.is_none())) {
            return Err(Error::invalid(format!("it ended because another fact took its place: {next}"))
                .hint("delete that one, or store this one again with --at"));
        }
        if until.is_none() && row.stated_until.is_none() {
            return Err(Error::invalid("it has no end").hint("there is nothing to do"));
        }
        let said = until.map_or_else(|| NEVER.to_owned(), |until| until.to_string());
        let mut body = json!({"kind": FACT_ENDED, "metadata": {"fact": row.fact, "until": said}});
        if !causes.is_empty() {
            body["causes"] = causes.into();
        }
        let record = Record::parse(body.to_string().as_bytes())?;
        self.tell_of_fact(
            self.for_lane(record, &row.agent, &row.persona)?,
            if until.is_some() { "ended" } else { "reopened" },
        )
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
        let after = Error::after_append;
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

/// What a fact says once parts of it are others: its own words as far as they name the old part, else its parts, where all
/// are known.
fn reworded(row: &FactRow, draft: &FactDraft) -> String {
    let spaced = |attribute: &str| attribute.replace('_', " ");
    let parts = [
        (row.subject.clone(), draft.subject.clone()),
        (spaced(&row.attribute), draft.attribute.as_deref().map(spaced)),
        (row.value.clone(), draft.value.clone()),
    ];
    let changed = parts.iter().filter_map(|(old, new)| Some((old, new.as_deref()?.trim())));
    let mut changed = changed.filter(|(old, new)| old != new);
    changed.try_fold(row.text.clone(), |text, (old, new)| replaced(&text, old, new)).unwrap_or_else(|| {
        if parts.iter().any(|(old, new)| new.as_ref().unwrap_or(old).trim().is_empty()) {
            return row.text.clone();
        }
        let whole = parts.iter().map(|(old, new)| new.as_ref().unwrap_or(old).trim());
        whole.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    })
}

/// A text with another word in the place of one that stands in it once.
fn replaced(text: &str, old: &str, new: &str) -> Option<String> {
    let is_word = |place: &usize| {
        let (before, after) = (&text[..*place], &text[place + old.len()..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    };
    let mut places = text.match_indices(old).map(|(place, _)| place).filter(|place| !old.is_empty() && is_word(place));
    let place = places.next().filter(|_| places.next().is_none())?;
    Some(format!("{}{new}{}", &text[..place], &text[place + old.len()..]))
}
