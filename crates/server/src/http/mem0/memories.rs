//! Memories as mem0 shows them. An update is a new event, and mem0's id stays: it is that of the first version.

use std::collections::{HashMap, HashSet};

use idetic_ops::Error;
use idetic_ops::core::SpaceName;
use idetic_ops::core::words::Trust;
use serde_json::{Map, Value, json};

use super::asked::{Asked, Refused};
use super::place;

/// The source of what came in through these routes.
pub const SOURCE: &str = "mem0";
/// Kinds of messages that are kept as what was said.
const SAID: [&str; 3] = ["user_input", "actor_output", "tool_result"];
/// Events that are looked up by their ids at a time: as many values as a filter may have.
pub const LOOKUP_EVENTS: usize = 1000;

/// What of a space is a memory to mem0: what was remembered, and what came in here. An agent's subconscious is nobody's to see.
pub fn condition() -> Value {
    json!({"and": [
        {"or": [{"kind": "memory.remembered"}, {"source": SOURCE, "kind": {"in": SAID}}]},
        {"persona": {"ne": "subconscious"}},
    ]})
}

/// What a memory is besides its newest version.
pub struct First {
    pub id: String,
    pub ts: Value,
}

impl First {
    pub fn of(event: &Value) -> Self {
        Self { id: event["id"].as_str().unwrap_or_default().to_owned(), ts: event["ts"].clone() }
    }
}

/// A memory: its newest version and where it began.
pub fn shown(space: &SpaceName, newest: &Value, first: &First) -> Value {
    let mut metadata = newest["metadata"].as_object().cloned().unwrap_or_default();
    metadata.remove("supersedes");
    let app = metadata.remove("app_id").unwrap_or_default();
    let role = match newest["kind"].as_str() {
        Some("actor_output") => "assistant",
        Some("tool_result") => "tool",
        _ => "user",
    };
    json!({
        "id": place::id(space, &first.id),
        "memory": newest["content"].as_str().unwrap_or_default(),
        "user_id": place::user(space),
        "agent_id": newest["agent_id"],
        "app_id": app,
        "run_id": newest["conversation_id"],
        "actor_id": newest["author"],
        "role": role,
        "metadata": metadata,
        "categories": newest.get("tags").cloned().unwrap_or_else(|| json!([])),
        "created_at": first.ts,
        "updated_at": newest["ts"],
    })
}

/// Only some fields of it, where only some are wanted.
pub fn cut(memory: Value, fields: Option<&[String]>) -> Value {
    match (memory, fields) {
        (Value::Object(memory), Some(fields)) => Value::Object(
            memory.into_iter().filter(|(name, _)| name == "id" || fields.contains(name)).collect::<Map<_, _>>(),
        ),
        (memory, _) => memory,
    }
}

/// Events of a space by their ids.
pub async fn events(asked: &Asked, space: &SpaceName, ids: &[String]) -> Result<HashMap<String, Value>, Refused> {
    let mut found = HashMap::new();
    for some in ids.chunks(LOOKUP_EVENTS) {
        let take = |event: Value| drop(found.insert(event["id"].as_str().unwrap_or_default().to_owned(), event));
        asked.each("log", space, &json!({"filter": {"id": {"in": some}}}), take).await?;
    }
    Ok(found)
}

/// One memory.
pub struct Memory {
    pub space: SpaceName,
    pub first: First,
    pub newest: Value,
    /// All of them, the oldest first.
    pub versions: Vec<Value>,
}

impl Memory {
    /// Looks it up. What a list would not show is not there by its id either.
    pub async fn of(asked: &Asked, id: &str) -> Result<Self, Refused> {
        let (space, event) = place::named(asked, id)?;
        let mut versions = Vec::new();
        asked.each("history", &space, &json!({"id": event}), |version| versions.push(version)).await?;
        let (Some(first), Some(newest)) = (versions.first().map(First::of), versions.last().cloned()) else {
            return Err(missing(id));
        };
        let filter = json!({"and": [condition(), {"id": {"in": [newest["id"]]}}]});
        let mut is_there = false;
        asked.each("log", &space, &json!({"filter": filter}), |event| is_there = !event["content"].is_null()).await?;
        if is_there { Ok(Self { space, first, newest, versions }) } else { Err(missing(id)) }
    }

    /// As mem0 shows it.
    pub fn shown(&self) -> Value {
        shown(&self.space, &self.newest, &self.first)
    }
}

/// Why there is no memory.
fn missing(id: &str) -> Refused {
    Error::not_found(format!("there is no memory '{id}'")).hint("get_all lists them").into()
}

/// Which events of a space replace which.
#[derive(Default)]
pub struct Replaced {
    before: HashMap<String, String>,
    old: HashSet<String>,
}

impl Replaced {
    /// Of all memories of a space.
    pub async fn of(asked: &Asked, space: &SpaceName) -> Result<Self, Refused> {
        let mut updates = Vec::new();
        let filter = json!({"filter": {"and": [condition(), {"metadata.supersedes": {"exists": true}}]}});
        asked.each("log", space, &filter, |event| updates.push(Update::of(&event))).await?;
        let updates: Vec<Update> = updates.into_iter().flatten().collect();
        let ids: Vec<String> = updates.iter().map(|update| update.before.clone()).collect();
        let before = events(asked, space, &ids).await?;
        let mut replaced = Self::default();
        for update in updates {
            if before.get(&update.before).is_some_and(|before| update.may_replace(before)) {
                replaced.old.insert(update.before.clone());
                replaced.before.insert(update.id, update.before);
            }
        }
        Ok(replaced)
    }

    /// The ids of the memories that a filter selects by their newest versions, in the order of the log.
    pub async fn newest(&self, asked: &Asked, space: &SpaceName, filter: &Value) -> Result<Vec<String>, Refused> {
        let mut ids = Vec::new();
        let take = |event: Value| ids.extend(event["id"].as_str().filter(|id| !self.is_old(id)).map(str::to_owned));
        asked.each("log", space, &json!({"filter": filter}), take).await?;
        Ok(ids)
    }

    /// Whether there is a newer version.
    pub fn is_old(&self, id: &str) -> bool {
        self.old.contains(id)
    }

    /// The id of the first version. An event that names itself, or a circle of them, ends where it is known.
    pub fn first<'a>(&'a self, id: &'a str) -> &'a str {
        let (mut at, mut seen) = (id, HashSet::new());
        while let Some(before) = self.before.get(at).filter(|_| seen.insert(at)) {
            at = before;
        }
        at
    }
}

/// An event that says that it replaces another.
struct Update {
    id: String,
    before: String,
    lane: [Value; 2],
    trust: Option<Trust>,
}

impl Update {
    fn of(event: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let (id, before) = (text(&event["id"])?, text(&event["metadata"]["supersedes"])?);
        Some(Self { id, before, lane: lane(event), trust: trust(event) })
    }

    /// Anybody may say so: it holds in the same lane, of what is trusted no more.
    fn may_replace(&self, before: &Value) -> bool {
        let may_change = self.trust.zip(trust(before)).is_some_and(|(own, other)| own.may_change(other));
        may_change && self.lane == lane(before)
    }
}

fn lane(event: &Value) -> [Value; 2] {
    [event["agent_id"].clone(), event["persona"].clone()]
}

fn trust(event: &Value) -> Option<Trust> {
    Trust::parse(event["trust"].as_str()?).ok()
}
