//! What later events say about earlier ones as documents: that they ceased to count, or how much they matter.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::facts::lane;
use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::{Event, Fields, limits};

/// Documents that are recalled no more: those of the lane that the event itself belongs to, and trusted no more than it is.
pub static RETIRED: Table = Table {
    name: "retired",
    shape: Shape::Entity { key: 3 },
    columns: &["agent", "persona", "id", "trust"],
    indexes: &[],
    places: &[],
};

/// How much documents matter, in thousandths, where it was graded after they were written.
pub static GRADES: Table = Table {
    name: "grades",
    shape: Shape::Entity { key: 3 },
    columns: &["agent", "persona", "id", "importance"],
    indexes: &[],
    places: &[],
};

pub const VIEW: View = View { name: "documents", version: 3, tables: &[&RETIRED, &GRADES], apart: None, fold };

/// The kind that grades: `{"grades": {"<id>": 0.8, …}}` in its metadata.
pub const REGRADED: &str = "memory.regraded";
/// The kind that retires what it refers to.
pub const RETIRES: &str = "memory.retired";
/// The kind of an event that says, by ids alone, what was put before an agent from its memory.
pub const RECALLED: &str = "memory.recalled";
/// The kind of an event that ends a rule, a decision or a to-do of the user.
pub const STANDING_ENDED: &str = "standing.ended";

/// What an event's metadata may say of others, each read by itself: another's form of one hides nothing of the other.
#[derive(Default, Deserialize)]
struct Said<'a> {
    #[serde(default, borrow)]
    supersedes: Option<&'a RawValue>,
    #[serde(default, borrow)]
    grades: Option<&'a RawValue>,
}

/// One id or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Ids {
    One(String),
    Many(Vec<String>),
}

fn fold(event: &Event, live: Live) -> Vec<Change> {
    let Some(fields) = &event.fields else { return Vec::new() };
    let said = said(fields, &event.header.kind);
    let superseded = match read(said.supersedes) {
        Some(Ids::One(id)) => vec![id],
        Some(Ids::Many(ids)) => ids,
        None => Vec::new(),
    };
    let refs: &[String] = if event.header.kind == RETIRES { &fields.refs } else { &[] };
    let mut changes = Vec::new();
    for id in superseded.iter().chain(refs).take(limits::RETIRED_MAX_AT_ONCE) {
        let mut row = key(fields, id);
        let before = live(&RETIRED, &row).map_or(i64::MAX, |before| before[3].int());
        row.push(before.min(event.trust() as i64).into());
        changes.push(Change::Put(&RETIRED, row));
    }
    // Only this kind grades: "grades" in anybody else's metadata are their own.
    let graded = said.grades.filter(|_| event.header.kind == REGRADED);
    let grades: BTreeMap<String, &RawValue> = read(graded).unwrap_or_default();
    for (id, grade) in grades {
        let Some(grade) = read::<f64>(Some(grade)).filter(|grade| (0.0..=1.0).contains(grade)) else { continue };
        let mut row = key(fields, &id);
        #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1000")]
        row.push(Value::Int((grade * 1000.0).round() as i64));
        changes.push(Change::Put(&GRADES, row));
    }
    changes
}

/// What the metadata says; what is of another form than ours says nothing.
fn said<'a>(fields: &'a Fields, kind: &str) -> Said<'a> {
    let Some(metadata) = &fields.metadata else { return Said::default() };
    let concerns = metadata.get().contains("\"supersedes\"") || kind == REGRADED;
    if concerns { serde_json::from_str(metadata.get()).unwrap_or_default() } else { Said::default() }
}

fn read<'a, T: Deserialize<'a>>(said: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(said?.get()).ok()
}

fn key(fields: &Fields, id: &str) -> Vec<Value> {
    lane(fields).into_iter().chain([id.into()]).collect()
}
