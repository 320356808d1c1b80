//! Episodes: what was attempted, how it ended, until when it is kept.

use serde::Deserialize;

use super::facts::lane;
use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::words::{Status, Trust};
use crate::{Event, Time, event};

/// The kind of an event that holds an episode: goal, steps, outcome and lessons in its metadata.
pub const EPISODE_STORED: &str = "episode.stored";
/// The kind of an event that tells the steps, the outcome and the lessons of an episode in words.
pub const EPISODE_TOLD: &str = "episode.told";
/// The kind of an event that takes one away.
pub const EPISODE_DELETED: &str = "episode.deleted";

/// One row for each episode. `success` is 1, 0, or nothing where nobody said.
pub static EPISODES: Table = Table {
    name: "episodes",
    shape: Shape::Entity { key: 3 },
    columns: &[
        "agent",
        "persona",
        "episode",
        "goal",
        "outcome",
        "success",
        "ts",
        "conversation",
        "expires",
        "private",
        "deleted",
        "event",
        "seq",
        "trust",
    ],
    indexes: &[&["episode"], &["conversation"]],
    places: &[("seq", 1)],
};

/// How many episodes are there that were not deleted.
pub static EPISODE_COUNT: Table = Table {
    name: "episode_count",
    shape: Shape::Tally { key: 1 },
    columns: &["what", "episodes"],
    indexes: &[],
    places: &[],
};

pub const VIEW: View = View { name: "episodes", version: 2, tables: &[&EPISODES, &EPISODE_COUNT], apart: None, fold };

/// What the metadata of an event about an episode says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    episode: Option<String>,
    goal: Option<String>,
    outcome: Option<String>,
    expires: Option<String>,
}

fn fold(event: &Event, live: Live) -> Vec<Change> {
    let kind = event.header.kind.as_str();
    let Some(fields) = event.fields.as_ref().filter(|_| kind == EPISODE_STORED || kind == EPISODE_DELETED) else {
        return Vec::new();
    };
    let metadata = fields.metadata.as_ref().map_or("{}", |metadata| metadata.get());
    let said: Said = serde_json::from_str(metadata).unwrap_or_default();
    let lane = lane(fields);
    let count = |by: i64| Change::Add(&EPISODE_COUNT, vec!["episodes".into(), by.into()]);
    if kind == EPISODE_DELETED {
        let Some(episode) = said.episode else { return Vec::new() };
        let key: Vec<Value> = lane.into_iter().chain([Value::Text(episode)]).collect();
        let may = |row: &Vec<Value>| {
            let trust = row[13].text().and_then(|word| Trust::parse(word).ok());
            row[10].int() == 0 && trust.is_none_or(|trust| event.trust().may_change(trust))
        };
        let Some(mut row) = live(&EPISODES, &key).filter(may) else { return Vec::new() };
        row[10] = Value::Int(1);
        row[11] = event.header.id.as_str().into();
        row[12] = event.seq().into();
        return vec![Change::Put(&EPISODES, row), count(-1)];
    }
    let success = match fields.status {
        Some(Status::Success) => Value::Int(1),
        Some(Status::Failure | Status::Timeout) => Value::Int(0),
        _ => Value::Null,
    };
    let mut row: Vec<Value> = lane.into_iter().collect();
    row.extend([
        event.header.id.as_str().into(),
        said.goal.as_deref().or(fields.summary.as_deref()).into(),
        said.outcome.as_deref().into(),
        success,
        event.ts().0.into(),
        fields.conversation_id.as_deref().into(),
        fields.expires_at.or_else(|| Time::parse(said.expires.as_deref()?).ok()).map(|time| time.0).into(),
        Value::Int(event::is_private(&fields.tags).into()),
        Value::Int(0),
        event.header.id.as_str().into(),
        event.seq().into(),
        event.trust().word().into(),
    ]);
    vec![Change::Put(&EPISODES, row), count(1)]
}
