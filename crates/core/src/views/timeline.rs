//! The timeline: one row for each event with everything it is looked up by, and its tags and refs.

use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::Event;

/// What events are filtered and ordered by. The text stays in the log.
pub static TIMELINE: Table = Table {
    name: "timeline",
    shape: Shape::Event,
    columns: &[
        "id",
        "ts",
        "kind",
        "status",
        "agent",
        "persona",
        "author",
        "source",
        "trace",
        "loop",
        "conversation",
        "duration_ms",
    ],
    indexes: &[
        &["id"],
        &["ts"],
        &["kind"],
        &["status"],
        &["agent", "persona"],
        &["trace"],
        &["loop"],
        &["conversation"],
    ],
};

/// The tags of each event.
pub static TAGS: Table = Table { name: "tags", shape: Shape::Set, columns: &["tag"], indexes: &[] };

/// What each event refers to.
pub static REFS: Table = Table { name: "refs", shape: Shape::Set, columns: &["ref"], indexes: &[] };

pub const VIEW: View = View { name: "timeline", version: 1, tables: &[&TIMELINE, &TAGS, &REFS], fold };

fn fold(event: &Event, _: Live) -> Vec<Change> {
    let mut row = vec![Value::from(event.header.id.as_str()), event.ts().0.into(), event.header.kind.as_str().into()];
    let Some(fields) = &event.fields else {
        row.resize(TIMELINE.columns.len(), Value::Null);
        return vec![Change::Insert(&TIMELINE, row)];
    };
    row.push(fields.status.map(|s| s.word()).into());
    row.push(fields.agent_id.as_deref().into());
    row.push(fields.persona.map(|p| p.word()).into());
    for text in [&fields.author, &fields.source, &fields.trace_id, &fields.loop_id, &fields.conversation_id] {
        row.push(text.as_deref().into());
    }
    row.push(event.duration_ms().into());
    let mut changes = vec![Change::Insert(&TIMELINE, row)];
    for (table, values) in [(&TAGS, &fields.tags), (&REFS, &fields.refs)] {
        let mut values: Vec<_> = values.iter().collect();
        values.sort_unstable();
        values.dedup();
        changes.extend(values.into_iter().map(|v| Change::Insert(table, vec![v.as_str().into()])));
    }
    changes
}
