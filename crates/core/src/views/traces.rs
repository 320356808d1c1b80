//! Traces: for each workflow of each agent, how many events, from when to when, and where it first failed.

use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::Event;
use crate::trace::is_failure;

/// One row for each trace in each agent's memory. What no agent owns stands under empty names.
pub static TRACES: Table = Table {
    name: "traces",
    shape: Shape::Entity { key: 3 },
    columns: &["trace", "agent", "persona", "events", "first_ts", "last_ts", "failures", "first_failure", "last_seq"],
    indexes: &[],
    places: &[("first_failure", 1), ("last_seq", 1)],
};

pub const VIEW: View = View { name: "traces", version: 1, tables: &[&TRACES], apart: None, fold };

fn fold(event: &Event, live: Live) -> Vec<Change> {
    let Some(fields) = &event.fields else { return Vec::new() };
    let Some(trace) = fields.trace_id.as_deref() else { return Vec::new() };
    let persona = fields.persona.map_or("", |p| p.word());
    let mut row = vec![trace.into(), fields.agent_id.as_deref().unwrap_or("").into(), persona.into()];
    let ts = event.ts().0;
    let failed = is_failure(fields.status);
    let seq = Value::from(event.seq());
    let before = live(&TRACES, &row);
    let known = |column: usize| before.as_ref().map(|row| row[column].clone());
    let number = |column: usize| known(column).map(|v| v.int());
    let first_failure = known(7).unwrap_or(Value::Null);
    row.extend([
        (number(3).unwrap_or(0) + 1).into(),
        number(4).map_or(ts, |first| first.min(ts)).into(),
        number(5).map_or(ts, |last| last.max(ts)).into(),
        (number(6).unwrap_or(0) + i64::from(failed)).into(),
        if failed && first_failure == Value::Null { seq.clone() } else { first_failure },
        seq,
    ]);
    vec![Change::Put(&TRACES, row)]
}
