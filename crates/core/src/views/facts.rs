//! Facts: each as it stands, when it is true, what took its place, and which events say so.
//!
//! Whoever stores a fact says in the event's metadata what its text means, so that folding needs no parser and replay gives
//! the same rows for ever. A later value of the same single-valued attribute of the same subject takes the place of the
//! earlier one from the moment it is true; both stay, linked. What says the same joins the fact that is there. What is said of a
//! project stays among the facts of that project.

mod chain;
mod row;

use serde::Deserialize;

use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::words::Trust;
use crate::{Event, Fields, Time};
use chain::{earliest, link, since, unlink};
pub use row::FactRow;

/// The kind of an event that states a fact: a new one, another source of one, or a new wording of one.
pub const FACT_STORED: &str = "fact.stored";
/// The kind of an event that says until when a fact was true.
pub const FACT_ENDED: &str = "fact.ended";
/// What such an event says where the fact has no end after all.
pub const NEVER: &str = "never";
/// The kind of an event that takes a fact away.
pub const FACT_DELETED: &str = "fact.deleted";

/// One row for each fact. Times are microseconds; `about` is the subject in its one spelling, by which it is looked up. `event`
/// and `seq` are of the event that last stated it or took it away.
pub static FACTS: Table = Table {
    name: "facts",
    shape: Shape::Entity { key: 3 },
    columns: &[
        "agent",
        "persona",
        "fact",
        "text",
        "about",
        "subject",
        "attribute",
        "value",
        "single",
        "valid_from",
        "valid_until",
        "stated_until",
        "learned",
        "confidence",
        "trust",
        "previous",
        "superseded_by",
        "conversation",
        "sources",
        "deleted",
        "gist",
        "topic",
        "expires",
        "private",
        "project",
        "event",
        "seq",
    ],
    indexes: &[&["fact"], &["topic"], &["about"]],
    places: &[("seq", 1)],
};

/// The fact that each event is about, found by either.
pub static FACT_EVENTS: Table =
    Table { name: "fact_events", shape: Shape::Set, columns: &["fact"], indexes: &[&["born"]], places: &[] };

/// The events that each event about a fact was derived from.
pub static FACT_SOURCES: Table =
    Table { name: "fact_sources", shape: Shape::Set, columns: &["cause"], indexes: &[], places: &[] };

/// The latest fact of a single-valued attribute of a subject: from there the earlier ones are reached one by one.
pub static FACT_SLOTS: Table = Table {
    name: "fact_slots",
    shape: Shape::Entity { key: 4 },
    columns: &["agent", "persona", "subject", "attribute", "latest"],
    indexes: &[],
    places: &[],
};

/// The fact that a statement belongs to, however it is worded.
pub static FACT_GISTS: Table = Table {
    name: "fact_gists",
    shape: Shape::Entity { key: 3 },
    columns: &["agent", "persona", "gist", "fact"],
    indexes: &[],
    places: &[],
};

/// How many facts are there that were not deleted.
pub static FACT_COUNT: Table = Table {
    name: "fact_count",
    shape: Shape::Tally { key: 1 },
    columns: &["what", "facts"],
    indexes: &[],
    places: &[],
};

pub const VIEW: View = View {
    name: "facts",
    version: 7,
    tables: &[&FACTS, &FACT_EVENTS, &FACT_SOURCES, &FACT_SLOTS, &FACT_GISTS, &FACT_COUNT],
    apart: None,
    fold,
};

/// What the metadata of an event about a fact says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    /// The fact that gets a new wording, an end, or is taken away.
    fact: Option<String>,
    /// The fact this says again in other words.
    same_as: Option<String>,
    /// The subject in its one spelling; its small letters where whoever stored it does not say.
    about: Option<String>,
    subject: Option<String>,
    attribute: Option<String>,
    value: Option<String>,
    single: bool,
    from: Option<String>,
    until: Option<String>,
    confidence: Option<f64>,
    gist: Option<String>,
    /// The words that say so.
    quote: Option<String>,
    topic: Option<String>,
    expires: Option<String>,
}

/// Thousandths of certainty that one statement gives, by where it comes from.
fn certainty(trust: Trust) -> i64 {
    match trust {
        Trust::User => 900,
        Trust::Tool => 700,
        Trust::Agent => 600,
        Trust::External => 400,
    }
}

/// Two independent sources leave the doubt that both leave.
fn together(one: i64, other: i64) -> i64 {
    1000 - (1000 - one) * (1000 - other) / 1000
}

fn fold(event: &Event, live: Live) -> Vec<Change> {
    let kind = event.header.kind.as_str();
    let Some(fields) = event.fields.as_ref().filter(|_| [FACT_STORED, FACT_ENDED, FACT_DELETED].contains(&kind)) else {
        return Vec::new();
    };
    let metadata = fields.metadata.as_ref().map_or("{}", |metadata| metadata.get());
    let said: Said = serde_json::from_str(metadata).unwrap_or_default();
    let lane = lane(fields);
    let mut folding = Folding { lane, changes: Vec::new(), live };
    let mut causes: Vec<&String> = fields.causes.iter().collect();
    causes.sort_unstable();
    causes.dedup();
    folding.changes.extend(causes.into_iter().map(|cause| Change::Insert(&FACT_SOURCES, vec![cause.as_str().into()])));
    match kind {
        FACT_STORED => folding.stored(event, fields, &said),
        FACT_ENDED => folding.ended(event, &said),
        _ => folding.deleted(event, &said),
    }
    folding.changes
}

/// Whose memory a row is of: nobody's in particular where it is shared.
pub(super) fn lane(fields: &Fields) -> [Value; 2] {
    let persona = fields.agent_id.as_ref().map_or("", |_| fields.persona.map_or("actor", |p| p.word()));
    [fields.agent_id.as_deref().unwrap_or("").into(), persona.into()]
}

/// The rows as they stand before the event.
type Rows<'l> = dyn FnMut(&'static Table, &[Value]) -> Option<Vec<Value>> + 'l;

/// One event on its way into the tables. A row that was changed is looked for among the changes first.
struct Folding<'a, 'l> {
    lane: [Value; 2],
    changes: Vec<Change>,
    live: &'a mut Rows<'l>,
}

impl Folding<'_, '_> {
    fn key(&self, rest: &[&str]) -> Vec<Value> {
        self.lane.iter().cloned().chain(rest.iter().map(|part| Value::from(*part))).collect()
    }

    fn row(&mut self, fact: &str) -> Option<FactRow> {
        let key = self.key(&[fact]);
        self.changed(&FACTS, &key).or_else(|| (self.live)(&FACTS, &key)).map(|row| FactRow::of(&row))
    }

    /// The row under a key as this event has it so far.
    fn changed(&self, of: &'static Table, key: &[Value]) -> Option<Vec<Value>> {
        self.changes.iter().find_map(|change| match change {
            Change::Put(table, row) if *table == of && row.starts_with(key) => Some(row.clone()),
            _ => None,
        })
    }

    fn put(&mut self, row: &FactRow) {
        self.replace(&FACTS, row.values());
    }

    /// Puts a row, once for each key: what this event had put there before is replaced.
    fn replace(&mut self, into: &'static Table, row: Vec<Value>) {
        let Shape::Entity { key } = into.shape else { return };
        self.changes
            .retain(|change| !matches!(change, Change::Put(table, old) if *table == into && old[..key] == row[..key]));
        self.changes.push(Change::Put(into, row));
    }

    fn latest(&mut self, row: &FactRow) -> Option<String> {
        let key = self.key(&[&of_project(row, &row.about), &row.attribute]);
        let slot = self.changed(&FACT_SLOTS, &key).or_else(|| (self.live)(&FACT_SLOTS, &key))?;
        slot.get(4)?.text().filter(|latest| !latest.is_empty()).map(str::to_owned)
    }

    fn set_latest(&mut self, row: &FactRow, latest: &str) {
        let mut values = self.key(&[&of_project(row, &row.about), &row.attribute]);
        values.push(latest.into());
        self.replace(&FACT_SLOTS, values);
    }

    fn count(&mut self, by: i64) {
        self.changes.push(Change::Add(&FACT_COUNT, vec!["facts".into(), by.into()]));
    }

    fn mark(&mut self, fact: &str) {
        self.changes.push(Change::Insert(&FACT_EVENTS, vec![fact.into()]));
    }

    fn stored(&mut self, event: &Event, fields: &Fields, said: &Said) {
        // One that is stored under the id of a fact there is, says that fact anew, however it came by the id.
        let named = said.fact.as_deref().and_then(|fact| self.row(fact));
        if let Some(mut row) = named.or_else(|| self.row(&event.header.id)) {
            if !event.trust().may_change(row.trust()) {
                return;
            }
            // A new wording: what is not said stays.
            self.mark(&row.fact.clone());
            if row.deleted {
                row.deleted = false;
                self.count(1);
            }
            unlink(self, &mut row);
            row.reword(event, fields, said);
            self.remember_gist(&row);
            self.put(&row);
            link(self, &mut row);
            return;
        }
        let mut row = FactRow::new(&self.lane, event, fields, said);
        if let Some(mut known) = self.known(&row, said) {
            self.mark(&known.fact.clone());
            let had_slot = known.has_slot();
            known.join(&row, said);
            self.put(&known);
            // What one statement leaves open another may say: from then on values follow each other.
            if known.has_slot() && !had_slot {
                link(self, &mut known);
            }
            return;
        }
        self.mark(&row.fact.clone());
        self.remember_gist(&row);
        self.count(1);
        self.put(&row);
        link(self, &mut row);
    }

    /// Under what a statement is known again: what it says in words, and what it says by its parts.
    fn gists(row: &FactRow) -> Vec<String> {
        let parts = [&row.about, &row.attribute, &row.value];
        let by_parts = format!("= {}\u{1f}{}\u{1f}{}", row.about, row.attribute, row.value.to_lowercase());
        let is_whole = parts.iter().all(|part| !part.is_empty());
        let words = Some(row.gist.clone()).filter(|gist| !gist.is_empty());
        words.into_iter().chain(is_whole.then_some(by_parts)).map(|gist| of_project(row, &gist)).collect()
    }

    fn remember_gist(&mut self, row: &FactRow) {
        for gist in Self::gists(row) {
            let mut values = self.key(&[&gist]);
            values.push(row.fact.as_str().into());
            self.replace(&FACT_GISTS, values);
        }
    }

    /// The fact that a new statement only says again: named by whoever stored it, worded alike, or with the same parts. One
    /// that had ended when this is true was another fact. A value that is said to be true from another moment on is a value
    /// of its own, so that the order of telling does not matter. Nobody's word is bound to one that is trusted less: it would
    /// have the other's beginning, end and metadata.
    fn known(&mut self, row: &FactRow, said: &Said) -> Option<FactRow> {
        let mut candidates: Vec<String> = said.same_as.clone().into_iter().collect();
        for gist in Self::gists(row) {
            let key = self.key(&[&gist]);
            let found = (self.live)(&FACT_GISTS, &key);
            candidates.extend(found.and_then(|row| row.get(3)?.text().map(str::to_owned)));
        }
        if row.has_slot() && said.from.is_some() {
            candidates.extend(since(self, row));
        }
        candidates.into_iter().find_map(|id| {
            let known = self.row(&id)?;
            let holds = known.valid_until.is_none_or(|until| row.valid_from < until);
            let is_same_stay = !row.has_slot() || said.from.is_none() || known.valid_from == row.valid_from;
            let may_join = known.trust().may_change(row.trust()) || known.trust() == Trust::Agent && !row.has_slot();
            let is_it = is_same_stay && (holds || said.from.is_some()) && !known.deleted && known.agrees(row);
            (is_it && may_join).then_some(known)
        })
    }

    /// The fact an event may change: it is there, and trusted no more than the event.
    fn changeable(&mut self, event: &Event, said: &Said) -> Option<FactRow> {
        let row = said.fact.as_deref().and_then(|fact| self.row(fact))?;
        (!row.deleted && event.trust().may_change(row.trust())).then_some(row)
    }

    fn ended(&mut self, event: &Event, said: &Said) {
        let Some(mut row) = self.changeable(event, said) else { return };
        self.mark(&row.fact.clone());
        row.stated_until = match said.until.as_deref() {
            Some(NEVER) => None,
            until => Some(until.and_then(moment).unwrap_or(event.ts().0)),
        };
        let next = row.superseded_by.clone().and_then(|fact| self.row(&fact));
        row.valid_until = earliest(row.stated_until, next.map(|next| next.valid_from));
        // Its text is still that of the event before: when that has expired, so has the row.
        self.put(&row);
    }

    fn deleted(&mut self, event: &Event, said: &Said) {
        let Some(mut row) = self.changeable(event, said) else { return };
        self.mark(&row.fact.clone());
        unlink(self, &mut row);
        row.deleted = true;
        row.touch(event);
        self.put(&row);
        self.count(-1);
    }
}

/// What a fact is known by among those of its project: one project's port is not another's.
fn of_project(row: &FactRow, key: &str) -> String {
    if row.project.is_empty() { key.to_owned() } else { format!("{key}\u{1f}{}", row.project) }
}

fn moment(text: &str) -> Option<i64> {
    Time::parse(text).ok().map(|time| time.0)
}

#[cfg(test)]
mod tests;
