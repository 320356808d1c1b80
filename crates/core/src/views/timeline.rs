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
        "trust",
    ],
    indexes: &[
        &["id"],
        &["ts"],
        &["kind", "trust"],
        &["status"],
        &["agent", "persona"],
        &["trace"],
        &["loop"],
        &["conversation"],
    ],
    places: &[],
};

/// The tags of each event.
pub static TAGS: Table = Table { name: "tags", shape: Shape::Set, columns: &["tag"], indexes: &[], places: &[] };

/// What each event refers to.
pub static REFS: Table = Table { name: "refs", shape: Shape::Set, columns: &["ref"], indexes: &[], places: &[] };

/// Events that stand apart: those whose content was erased, and the receipts of that. Of the erased ones only this is left,
/// so that what comes back from elsewhere under their ids is known for what it is.
pub static APART: Table =
    Table { name: "apart", shape: Shape::Event, columns: &["id"], indexes: &[&["id"]], places: &[] };

pub const VIEW: View =
    View { name: "timeline", version: 3, tables: &[&TIMELINE, &TAGS, &REFS, &APART], apart: Some(&APART), fold };

/// The kind of the receipt of a purge: what was erased by number, never a word of it.
pub const PURGED: &str = "memory.purged";
/// The kind of an event that hides others from every answer, by number; they stay in the log.
pub const QUARANTINED: &str = "memory.quarantined";
/// The kind of an event that lets them be seen again.
pub const RELEASED: &str = "memory.released";

fn fold(event: &Event, _: Live) -> Vec<Change> {
    let apart = || Change::Insert(&APART, vec![event.header.id.as_str().into()]);
    let Some(fields) = &event.fields else { return vec![apart()] };
    let mut row = vec![Value::from(event.header.id.as_str()), event.ts().0.into(), event.header.kind.as_str().into()];
    row.push(fields.status.map(|s| s.word()).into());
    row.push(fields.agent_id.as_deref().into());
    row.push(fields.persona.map(|p| p.word()).into());
    for text in [&fields.author, &fields.source, &fields.trace_id, &fields.loop_id, &fields.conversation_id] {
        row.push(text.as_deref().into());
    }
    row.push(event.duration_ms().into());
    row.push(event.trust().word().into());
    let mut changes = vec![Change::Insert(&TIMELINE, row)];
    changes.extend((event.header.kind == PURGED).then(apart));
    for (table, values) in [(&TAGS, &fields.tags), (&REFS, &fields.refs)] {
        let mut values: Vec<_> = values.iter().collect();
        values.sort_unstable();
        values.dedup();
        changes.extend(values.into_iter().map(|v| Change::Insert(table, vec![v.as_str().into()])));
    }
    changes
}
