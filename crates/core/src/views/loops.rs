//! Loops: for each `do(task)` of each agent, from when to when it ran and how many events it has.

use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::Event;

/// One row for each loop in each agent's memory. What no agent owns stands under empty names.
pub static LOOPS: Table = Table {
    name: "loops",
    shape: Shape::Entity { key: 3 },
    columns: &["agent", "persona", "loop", "events", "first_ts", "last_ts", "last_seq"],
    indexes: &[],
    places: &[("last_seq", 1)],
};

pub const VIEW: View = View { name: "loops", version: 1, tables: &[&LOOPS], apart: None, fold };

fn fold(event: &Event, live: Live) -> Vec<Change> {
    let Some(fields) = &event.fields else { return Vec::new() };
    let Some(loop_id) = fields.loop_id.as_deref() else { return Vec::new() };
    let persona = fields.persona.map_or("", |p| p.word());
    let mut row = vec![fields.agent_id.as_deref().unwrap_or("").into(), persona.into(), loop_id.into()];
    let ts = event.ts().0;
    let before = live(&LOOPS, &row);
    let number = |column: usize| before.as_ref().map(|row| row[column].int());
    row.extend([
        Value::Int(number(3).unwrap_or(0) + 1),
        Value::Int(number(4).map_or(ts, |first| first.min(ts))),
        Value::Int(number(5).map_or(ts, |last| last.max(ts))),
        event.seq().into(),
    ]);
    vec![Change::Put(&LOOPS, row)]
}
