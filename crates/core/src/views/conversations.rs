//! Conversations that are kept: when each began, was last added to and ended, and the invocations it had, in order.

use serde::Deserialize;

use super::facts::lane;
use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::Event;

/// The kind of an event that begins a conversation.
pub const CONVERSATION_STARTED: &str = "conversation.started";
/// The kind of an event that sums up one invocation: query, summary and result in its metadata.
pub const CONVERSATION_INVOCATION: &str = "conversation.invocation";
/// The kind of an event that ends one: by a signal, or because nothing came for too long.
pub const CONVERSATION_ENDED: &str = "conversation.ended";

/// One row for each conversation. One that goes on after its end is open again.
pub static CONVERSATIONS: Table = Table {
    name: "conversations",
    shape: Shape::Entity { key: 3 },
    columns: &[
        "agent",
        "persona",
        "conversation",
        "goal",
        "started",
        "last",
        "invocations",
        "ended",
        "reason",
        "event",
        "seq",
    ],
    indexes: &[&["conversation"], &["ended"]],
    places: &[("seq", 1)],
};

/// The conversation that each event about one is of.
pub static CONVERSATION_EVENTS: Table = Table {
    name: "conversation_events",
    shape: Shape::Set,
    columns: &["conversation"],
    indexes: &[&["conversation"]],
    places: &[],
};

pub const VIEW: View =
    View { name: "conversations", version: 1, tables: &[&CONVERSATIONS, &CONVERSATION_EVENTS], apart: None, fold };

/// What the metadata of an event about a conversation says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    goal: Option<String>,
    reason: Option<String>,
}

fn fold(event: &Event, live: Live) -> Vec<Change> {
    let kind = event.header.kind.as_str();
    let known = [CONVERSATION_STARTED, CONVERSATION_INVOCATION, CONVERSATION_ENDED].contains(&kind);
    let Some(fields) = event.fields.as_ref().filter(|_| known) else { return Vec::new() };
    let Some(conversation) = fields.conversation_id.as_deref() else { return Vec::new() };
    let metadata = fields.metadata.as_ref().map_or("{}", |metadata| metadata.get());
    let said: Said = serde_json::from_str(metadata).unwrap_or_default();
    let mut key: Vec<Value> = lane(fields).into_iter().collect();
    key.push(conversation.into());
    let before = live(&CONVERSATIONS, &key);
    let cell = |at: usize| before.as_ref().map_or(Value::Null, |row| row[at].clone());
    let (ts, is_end) = (Value::Int(event.ts().0), kind == CONVERSATION_ENDED);
    let goal = said.goal.as_deref().map_or_else(|| cell(3), Value::from);
    let started = if before.is_some() { cell(4) } else { ts.clone() };
    // When it ended is no sign of life.
    let last = if is_end && before.is_some() { cell(5) } else { Value::Int(cell(5).int().max(ts.int())) };
    let invocations = cell(6).int() + i64::from(kind == CONVERSATION_INVOCATION);
    let mut row = key;
    row.extend([
        goal,
        started,
        last,
        invocations.into(),
        if is_end { ts } else { Value::Null },
        if is_end { said.reason.as_deref().unwrap_or("signal").into() } else { Value::Null },
        event.header.id.as_str().into(),
        event.seq().into(),
    ]);
    vec![Change::Put(&CONVERSATIONS, row), Change::Insert(&CONVERSATION_EVENTS, vec![conversation.into()])]
}
