//! Conversations that are kept: when each began, was last added to and ended, and the invocations it had, in order.

use serde::Deserialize;

use super::facts::lane;
use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::Event;
use crate::words::Trust;

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
        "started",
        "last",
        "invocations",
        "ended",
        "reason",
        "event",
        "seq",
        "trust",
    ],
    indexes: &[&["conversation"], &["ended"]],
    places: &[("seq", 1)],
};

/// What each conversation is for, as it was said last. Apart from the rest, because an event that says it may expire when the
/// conversation goes on: then the one before it is the goal again.
pub static CONVERSATION_GOALS: Table = Table {
    name: "conversation_goals",
    shape: Shape::Entity { key: 3 },
    columns: &["agent", "persona", "conversation", "goal"],
    indexes: &[],
    places: &[],
};

/// The conversation that each event about one is of.
pub static CONVERSATION_EVENTS: Table = Table {
    name: "conversation_events",
    shape: Shape::Set,
    columns: &["conversation"],
    indexes: &[&["conversation"]],
    places: &[],
};

pub const VIEW: View = View {
    name: "conversations",
    version: 3,
    tables: &[&CONVERSATIONS, &CONVERSATION_GOALS, &CONVERSATION_EVENTS],
    apart: None,
    fold,
};

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
    let trust = cell(10).text().and_then(|word| Trust::parse(word).ok());
    // An agent ends what its user began; what comes from a tool or from outside ends only its own.
    if is_end && trust.is_some_and(|trust| !event.trust().may_change(trust.max(Trust::Agent))) {
        return Vec::new();
    }
    let goal = said.goal.map(|goal| key.iter().cloned().chain([goal.as_str().into()]).collect());
    let started = if before.is_some() { cell(3) } else { ts.clone() };
    // When it ended is no sign of life.
    let last = if is_end && before.is_some() { cell(4) } else { Value::Int(cell(4).int().max(ts.int())) };
    let invocations = cell(5).int() + i64::from(kind == CONVERSATION_INVOCATION);
    let mut row = key;
    row.extend([
        started,
        last,
        invocations.into(),
        if is_end { ts } else { Value::Null },
        if is_end { said.reason.as_deref().unwrap_or("signal").into() } else { Value::Null },
        event.header.id.as_str().into(),
        event.seq().into(),
        trust.map_or(event.trust(), |trust| trust.min(event.trust())).word().into(),
    ]);
    let goal = goal.map(|row| Change::Put(&CONVERSATION_GOALS, row));
    let of = Change::Insert(&CONVERSATION_EVENTS, vec![conversation.into()]);
    [Change::Put(&CONVERSATIONS, row), of].into_iter().chain(goal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Secret;
    use crate::{Record, SpaceId, Time, Tip};

    /// Whether a conversation that one begins is over when another one says so.
    fn ends(began: &str, ended: &str) -> bool {
        let (mut tip, mut row) = (Tip::empty(SpaceId([1; 16])), None);
        for (kind, trust) in [(CONVERSATION_STARTED, began), (CONVERSATION_ENDED, ended)] {
            let body = format!(r#"{{"kind":"{kind}","conversation_id":"c","trust":"{trust}"}}"#);
            let record = Record::parse(body.as_bytes()).expect("a record");
            let secret = Secret { salt: [0; 32], body: record.body };
            let stored = tip.seal(kind.to_owned(), record.claim.kind, secret, Time(0));
            tip = stored.tip();
            for change in fold(&Event::read(&stored).expect("reads"), &mut |_, _| row.clone()) {
                if let Change::Put(_, put) = change {
                    row = Some(put);
                }
            }
        }
        row.is_some_and(|row| row[6] != Value::Null)
    }

    #[test]
    fn what_comes_from_outside_ends_only_its_own_conversations() {
        for (began, ended, is_over) in [
            ("user", "user", true),
            ("user", "agent", true),
            ("user", "tool", false),
            ("user", "external", false),
            ("agent", "external", false),
            ("external", "external", true),
        ] {
            assert_eq!(ends(began, ended), is_over, "{began} {ended}");
        }
    }
}
