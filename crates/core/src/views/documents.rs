//! What later events say about earlier ones as documents: that they ceased to count, or how much they matter.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::{Event, Fields, limits};

/// Documents that are recalled no more. Nobody's but those of the lane the event itself belongs to.
pub static RETIRED: Table =
    Table { name: "retired", shape: Shape::Entity { key: 3 }, columns: &["agent", "persona", "id"], indexes: &[] };

/// How much documents matter, in thousandths, where it was graded after they were written.
pub static GRADES: Table = Table {
    name: "grades",
    shape: Shape::Entity { key: 3 },
    columns: &["agent", "persona", "id", "importance"],
    indexes: &[],
};

pub const VIEW: View = View { name: "documents", version: 1, tables: &[&RETIRED, &GRADES], fold };

/// The kind that grades: `{"grades": {"<id>": 0.8, …}}` in its metadata.
pub const REGRADED: &str = "memory.regraded";
/// The kind that retires what it refers to.
pub const RETIRES: &str = "memory.retired";

#[derive(Default, Deserialize)]
struct Said {
    #[serde(default)]
    supersedes: Ids,
    #[serde(default)]
    grades: BTreeMap<String, f64>,
}

/// One id or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Ids {
    One(String),
    Many(Vec<String>),
}

impl Default for Ids {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

fn fold(event: &Event, _: Live) -> Vec<Change> {
    let Some(fields) = &event.fields else { return Vec::new() };
    let said = said(fields, &event.header.kind);
    let superseded = match said.supersedes {
        Ids::One(id) => vec![id],
        Ids::Many(ids) => ids,
    };
    let refs: &[String] = if event.header.kind == RETIRES { &fields.refs } else { &[] };
    let mut changes = Vec::new();
    for id in superseded.iter().chain(refs).take(limits::RETIRED_MAX_AT_ONCE) {
        changes.push(Change::Put(&RETIRED, key(fields, id)));
    }
    let grades = if event.header.kind == REGRADED { said.grades } else { BTreeMap::new() };
    for (id, grade) in grades.iter().filter(|(_, grade)| (0.0..=1.0).contains(*grade)) {
        let mut row = key(fields, id);
        #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1000")]
        row.push(Value::Int((grade * 1000.0).round() as i64));
        changes.push(Change::Put(&GRADES, row));
    }
    changes
}

/// What the metadata says; what is of another form than ours says nothing.
fn said(fields: &Fields, kind: &str) -> Said {
    let Some(metadata) = &fields.metadata else { return Said::default() };
    let concerns = metadata.get().contains("\"supersedes\"") || kind == REGRADED;
    if concerns { serde_json::from_str(metadata.get()).unwrap_or_default() } else { Said::default() }
}

fn key(fields: &Fields, id: &str) -> Vec<Value> {
    let persona = fields.agent_id.as_ref().map_or("", |_| fields.persona.map_or("actor", |p| p.word()));
    vec![fields.agent_id.as_deref().unwrap_or("").into(), persona.into(), id.into()]
}
