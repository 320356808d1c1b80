//! The graph folded in memory, in an order that is not the log's: that of a file.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::super::schema::{Change, Shape, Table, Value};
use super::{EDGES, ENTRIES, Edge, GraphEvent, NODES, Node, Said};
use crate::{Fields, Time};

/// The tables, by the names under which their rows are kept.
const TABLES: [&Table; 3] = [&ENTRIES, &NODES, &EDGES];
/// The kinds of events whose entries later events ask for.
const ASKED_FOR: [&str; 2] = ["blocker", "escalation"];

/// A graph that grows by what it is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replay {
    rows: HashMap<(&'static str, Vec<Value>), Vec<Value>>,
    told: u64,
}

impl Replay {
    /// Takes one event, behind all it was told before; says whether it touched a node or an edge.
    pub fn tell(&mut self, id: &str, kind: &str, ts: Time, fields: &Fields) -> bool {
        self.told += 1;
        let said = Said { id, kind, seq: self.told, ts, fields };
        let rows = &self.rows;
        let changes = said.fold(&mut |table, key| rows.get(&(table.name, key.to_vec())).cloned());
        let is_placed =
            changes.iter().any(|change| matches!(change, Change::Put(table, _) if table.name != ENTRIES.name));
        for change in changes {
            if let Change::Put(table, row) = change
                && is_kept(table, &row)
            {
                self.rows.insert(key(table, &row), row);
            }
        }
        is_placed
    }

    /// The nodes by when they were made.
    pub fn nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = self.of(&NODES).map(|row| Node::of(row)).collect();
        nodes.sort_by_key(|node| node.place);
        nodes
    }

    /// The edges that are there, by when they were made.
    pub fn edges(&self) -> Vec<Edge> {
        let mut edges: Vec<Edge> = self.of(&EDGES).map(|row| Edge::of(row)).filter(|edge| !edge.gone).collect();
        edges.sort_by_key(|edge| edge.place);
        edges
    }

    fn of(&self, table: &'static Table) -> impl Iterator<Item = &Vec<Value>> {
        self.rows.iter().filter(|((name, _), _)| *name == table.name).map(|(_, row)| row)
    }

    /// All it knows, to go on from another time.
    pub fn save(&self) -> Json {
        let cell = |value: &Value| match value {
            Value::Null => Json::Null,
            Value::Int(number) => (*number).into(),
            Value::Text(text) => text.as_str().into(),
        };
        let rows = self.rows.iter().map(|((name, _), row)| {
            let cells: Vec<Json> = row.iter().map(cell).collect();
            serde_json::json!([name, cells])
        });
        serde_json::json!({"told": self.told, "rows": rows.collect::<Vec<_>>()})
    }

    /// What was saved; none where it is not of this kind.
    pub fn load(saved: Json) -> Option<Self> {
        let (told, rows): (u64, Vec<(String, Vec<Json>)>) =
            (saved.get("told")?.as_u64()?, serde_json::from_value(saved.get("rows")?.clone()).ok()?);
        let cell = |value: Json| match value {
            Json::Null => Some(Value::Null),
            Json::Number(number) => number.as_i64().map(Value::Int),
            Json::String(text) => Some(Value::Text(text)),
            _ => None,
        };
        let mut replay = Self { told, ..Self::default() };
        for (name, cells) in rows {
            let table = TABLES.into_iter().find(|table| table.name == name)?;
            let row: Vec<Value> = cells.into_iter().map(cell).collect::<Option<_>>()?;
            if row.len() != table.columns.len() {
                return None;
            }
            replay.rows.insert(key(table, &row), row);
        }
        Some(replay)
    }
}

fn key(table: &Table, row: &[Value]) -> (&'static str, Vec<Value>) {
    let length = if let Shape::Entity { key } = table.shape { key } else { 0 };
    (table.name, row.iter().take(length).cloned().collect())
}

/// Of the events, only those are kept that another may refer to.
fn is_kept(table: &Table, row: &[Value]) -> bool {
    table.name != ENTRIES.name || ASKED_FOR.contains(&GraphEvent::of(row).kind.as_str())
}
