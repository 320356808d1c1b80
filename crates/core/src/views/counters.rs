//! Counters: how many events there are of each kind, status, source, agent and day, and how long they took.
//!
//! Sums are kept for blocks of events. The state at any seq is the sum of the whole blocks before it and of the few
//! rows of the timeline after them, so the past costs no more than the present and no history is stored twice.

use super::schema::{Change, Live, Shape, Table, Value, View};
use super::timeline::PURGED;
use crate::{Event, Time};

/// How many events one block of sums covers.
pub const BLOCK_EVENTS: u64 = 4096;

/// Sums for each value of each dimension, in blocks.
pub static COUNTERS: Table = Table {
    name: "counters",
    shape: Shape::Tally { key: 3 },
    columns: &["dimension", "value", "block", "events", "timed", "duration_ms"],
    indexes: &[],
    places: &[("block", 0)],
};

pub const VIEW: View = View { name: "counters", version: 2, tables: &[&COUNTERS], apart: None, fold };

/// What events are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dimension {
    /// What happened.
    Kind,
    /// How it went.
    Status,
    /// Where it came from.
    Source,
    /// Whose memory it is.
    Agent,
    /// When it happened, as a day in UTC.
    Day,
}

/// Every dimension with its name.
pub const DIMENSIONS: [(Dimension, &str); 5] = [
    (Dimension::Kind, "kind"),
    (Dimension::Status, "status"),
    (Dimension::Source, "source"),
    (Dimension::Agent, "agent"),
    (Dimension::Day, "day"),
];

/// A number of events, how many of them say how long they took, and how long that was together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Events.
    pub events: i64,
    /// Events with a duration.
    pub timed: i64,
    /// The sum of the durations.
    pub duration_ms: i64,
}

impl Count {
    /// One event.
    pub fn one(duration_ms: Option<i64>) -> Self {
        Self { events: 1, timed: i64::from(duration_ms.is_some()), duration_ms: duration_ms.unwrap_or(0) }
    }

    /// Adds another count to this one.
    pub fn add(&mut self, other: Self) {
        self.events += other.events;
        self.timed += other.timed;
        self.duration_ms = self.duration_ms.saturating_add(other.duration_ms);
    }

    /// The mean duration of the events that have one.
    pub fn mean_ms(&self) -> Option<i64> {
        (self.timed > 0).then(|| self.duration_ms / self.timed)
    }
}

/// The value an event is counted under in each dimension, if any. The receipt of a purge counts for nothing: it would tell
/// of what was not to be told of any more.
pub fn counted<'a>(
    kind: &'a str,
    status: Option<&'a str>,
    source: Option<&'a str>,
    agent: Option<&'a str>,
    ts: Time,
) -> impl Iterator<Item = (Dimension, String)> + 'a {
    let day = ts.day();
    [
        (Dimension::Kind, Some(kind.to_owned())),
        (Dimension::Status, status.map(str::to_owned)),
        (Dimension::Source, source.map(str::to_owned)),
        (Dimension::Agent, agent.map(str::to_owned)),
        (Dimension::Day, Some(day)),
    ]
    .into_iter()
    .filter(move |_| kind != PURGED)
    .filter_map(|(dimension, value)| Some((dimension, value?)))
}

fn fold(event: &Event, _: Live) -> Vec<Change> {
    // What was erased is counted no more: how many there were would still tell something.
    let Some(fields) = &event.fields else { return Vec::new() };
    let block = (event.seq() - 1) / BLOCK_EVENTS;
    let count = Count::one(event.duration_ms());
    let (status, source, agent) =
        (fields.status.map(|s| s.word()), fields.source.as_deref(), fields.agent_id.as_deref());
    counted(&event.header.kind, status, source, agent, event.ts())
        .map(|(dimension, value)| {
            let key = [Value::Int(dimension as i64), Value::Text(value), block.into()];
            let sums = [count.events, count.timed, count.duration_ms].map(Value::Int);
            Change::Add(&COUNTERS, key.into_iter().chain(sums).collect())
        })
        .collect()
}
