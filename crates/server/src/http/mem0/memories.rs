//! Memories as mem0 shows them. An update is a new event, and mem0's id stays: it is that of the first version.

use std::collections::{HashMap, HashSet, VecDeque};

use idetic_ops::Error;
use idetic_ops::core::SpaceName;
use idetic_ops::core::words::Trust;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::asked::{Asked, Kept, Refused};
use super::place;

/// The source of what came in through these routes.
pub const SOURCE: &str = "mem0";
/// The kind of what was remembered as it is.
const REMEMBERED: &str = "memory.remembered";
/// Kinds of messages that are kept as what was said.
const SAID: [&str; 3] = ["user_input", "actor_output", "tool_result"];
/// Events that are looked up by their ids at a time: as many values as a filter may have.
const LOOKUP_EVENTS: usize = 1000;
/// How often a memory is there until it is answered: as it was read, as it is shown, and in the text of the answer.
const COPIES: usize = 3;
/// What an update takes in memory, as so many keys: its own and that of what it replaces, while that is looked up and then.
const KEYS_OF_AN_UPDATE: usize = 6;
/// Most events with one id among which a memory is looked for.
const NAMESAKES_MAX: usize = 16;

/// What of a space is a memory to mem0: what was remembered, and what came in here. An agent's subconscious is nobody's to see.
pub fn condition() -> Value {
    json!({"and": [
        {"or": [{"kind": REMEMBERED}, {"source": SOURCE, "kind": {"in": SAID}}]},
        {"persona": {"ne": "subconscious"}},
    ]})
}

/// Whose memory an event is: the agent and its side; neither where it is shared.
pub type Lane = [Option<String>; 2];

/// What names one event of a space: an id alone may be that of several, one of each agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub lane: Lane,
    pub id: String,
}

impl Key {
    /// What it takes in memory.
    fn bytes(&self) -> usize {
        let agent_and_side: usize = self.lane.iter().flatten().map(String::len).sum();
        size_of::<Self>() + self.id.len() + agent_and_side
    }
}

/// What is read of an event where its text is not needed.
#[derive(Deserialize)]
pub struct Head {
    seq: Option<u64>,
    pos: Option<u64>,
    pub id: String,
    pub ts: String,
    kind: String,
    source: Option<String>,
    pub agent_id: Option<String>,
    pub persona: Option<String>,
    pub conversation_id: Option<String>,
    trust: Option<String>,
    content: Option<IgnoredAny>,
    #[serde(default)]
    pub metadata: Labels,
}

/// What is read of the metadata of an event.
#[derive(Default)]
pub struct Labels {
    pub supersedes: Option<String>,
    pub app_id: Option<String>,
}

impl<'de> Deserialize<'de> for Labels {
    // By way of a value: people write metadata, and a key that is in it twice is no error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let metadata = Value::deserialize(deserializer)?;
        let text = |name: &str| metadata[name].as_str().map(str::to_owned);
        Ok(Self { supersedes: text("supersedes"), app_id: text("app_id") })
    }
}

impl Head {
    pub fn of(event: &RawValue) -> Result<Self, Refused> {
        Ok(serde_json::from_str(event.get())?)
    }

    pub fn key(&self) -> Key {
        Key { lane: [self.agent_id.clone(), self.persona.clone()], id: self.id.clone() }
    }

    /// Whether it says something: what was erased does not.
    pub fn has_content(&self) -> bool {
        self.content.is_some()
    }

    /// Its number, as its reader counts events.
    pub fn number(&self) -> u64 {
        self.seq.or(self.pos).unwrap_or_default()
    }

    /// The name by which operations find this event and no other. It is not its id, which may be another's, or look like a number.
    /// The position of a view moves when an event before it is erased, and no other agent's ids are seen there: so it is used only
    /// where the id would be taken for one.
    fn name(&self) -> String {
        let looks_like_number = || self.id.starts_with('#') || self.id.parse::<u64>().is_ok();
        match (self.seq, self.pos) {
            (Some(seq), _) => format!("#{seq}"),
            (None, Some(pos)) if looks_like_number() => format!("#{pos}"),
            _ => self.id.clone(),
        }
    }

    /// Whether it is a memory to mem0, as `condition` has it, and still says something.
    fn is_memory(&self) -> bool {
        let is_said = self.source.as_deref() == Some(SOURCE) && SAID.contains(&self.kind.as_str());
        let is_seen = self.persona.as_deref() != Some("subconscious");
        (is_said || self.kind == REMEMBERED) && is_seen && self.has_content()
    }

    /// How far it is trusted.
    fn trust(&self) -> Option<Trust> {
        Trust::parse(self.trust.as_deref()?).ok()
    }
}

/// An event with all it says.
pub struct Event {
    pub head: Head,
    text: Box<RawValue>,
}

impl Event {
    pub fn of(event: &RawValue) -> Result<Self, Refused> {
        Ok(Self { head: Head::of(event)?, text: event.to_owned() })
    }

    /// What it takes in memory until it is answered.
    pub fn bytes(&self) -> usize {
        COPIES * self.text.get().len()
    }

    /// As a memory that began with another event, or this one.
    pub fn shown(&self, space: &SpaceName, first: &First) -> Value {
        shown(space, &serde_json::from_str(self.text.get()).unwrap_or_default(), first)
    }
}

/// What a memory is besides its newest version.
pub struct First {
    pub id: String,
    ts: String,
}

impl First {
    pub fn of(event: &Head) -> Self {
        Self { id: event.id.clone(), ts: event.ts.clone() }
    }
}

/// A memory: its newest version and where it began.
fn shown(space: &SpaceName, newest: &Value, first: &First) -> Value {
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

/// Looks events up by their ids, which may be those of other events as well: what is met is for `take` to choose from.
pub async fn look_up(
    asked: &Asked,
    space: &SpaceName,
    ids: HashSet<&str>,
    mut take: impl FnMut(&RawValue) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let ids: Vec<&str> = ids.into_iter().collect();
    for some in ids.chunks(LOOKUP_EVENTS) {
        asked.each("log", space, &json!({"filter": {"id": {"in": some}}}), &mut take).await?;
    }
    Ok(())
}

/// One memory.
pub struct Memory {
    pub space: SpaceName,
    pub first: First,
    pub newest: Event,
    /// What operations call its newest version.
    pub name: String,
}

impl Memory {
    /// Looks it up. What a list would not show is not there by its id either.
    pub async fn of(asked: &Asked, id: &str) -> Result<Self, Refused> {
        let (space, event) = place::named(asked, id)?;
        let several = || -> Refused {
            Error::invalid(format!("the id of '{id}' is used by several agents"))
                .hint("delete_all with their agent_id tells them apart, and so do the operations of Idetic")
                .into()
        };
        let mut named = Vec::new();
        let take = |event: &RawValue| {
            named.push(Head::of(event)?);
            if named.len() > NAMESAKES_MAX { Err(several()) } else { Ok(()) }
        };
        let filter = json!({"filter": {"id": event, "persona": {"ne": "subconscious"}}});
        asked.each("log", &space, &filter, take).await?;
        let mut found = Vec::new();
        for event in &named {
            found.extend(Self::with(asked, &space, event).await?);
        }
        if let (Some(own), true) = (&asked.who.grant().agent, found.len() > 1) {
            // An agent's own comes before what is shared.
            found.retain(|memory| memory.newest.head.agent_id.as_ref() == Some(own));
        }
        match (found.pop(), found.is_empty()) {
            (Some(memory), true) => Ok(memory),
            (Some(_), false) => Err(several()),
            (None, _) => Err(missing(id)),
        }
    }

    /// The memory that an event is a version of, if it is one of a memory.
    async fn with(asked: &Asked, space: &SpaceName, event: &Head) -> Result<Option<Self>, Refused> {
        let (mut first, mut newest, mut is_it) = (None, None, false);
        let take = |version: &RawValue| {
            let version = Event::of(version)?;
            is_it |= version.head.key() == event.key();
            first.get_or_insert_with(|| First::of(&version.head));
            newest = Some(version);
            Ok(())
        };
        asked.each("history", space, &json!({"id": event.name()}), take).await?;
        let (Some(first), Some(newest)) = (first, newest.filter(|newest| is_it && newest.head.is_memory())) else {
            return Ok(None);
        };
        Ok(Some(Self { space: space.clone(), first, name: newest.head.name(), newest }))
    }

    /// As mem0 shows it.
    pub fn shown(&self) -> Value {
        self.newest.shown(&self.space, &self.first)
    }
}

/// Why there is no memory.
fn missing(id: &str) -> Refused {
    Error::not_found(format!("there is no memory '{id}'")).hint("get_all lists them").into()
}

/// Which events of a space replace which.
pub struct Replaced {
    before: HashMap<Key, Key>,
    old: HashSet<Key>,
    kept: Kept,
}

impl Replaced {
    /// Where nothing is replaced.
    pub fn nothing(asked: &Asked) -> Self {
        Self { before: HashMap::new(), old: HashSet::new(), kept: asked.kept() }
    }

    /// Of all memories of a space.
    pub async fn of(asked: &Asked, space: &SpaceName) -> Result<Self, Refused> {
        let mut replaced = Self::nothing(asked);
        let mut updates: HashMap<Key, Vec<Update>> = HashMap::new();
        let filter = json!({"filter": {"and": [condition(), {"metadata.supersedes": {"exists": true}}]}});
        let take = |event: &RawValue| {
            let event = Head::of(event)?;
            let update = Update { key: event.key(), number: event.number(), trust: event.trust() };
            if let Some(id) = event.metadata.supersedes {
                let before = Key { id, lane: update.key.lane.clone() };
                replaced.kept.add(KEYS_OF_AN_UPDATE * before.bytes().max(update.key.bytes()))?;
                updates.entry(before).or_default().push(update);
            }
            Ok(())
        };
        asked.each("log", space, &filter, take).await?;
        let take = |event: &RawValue| {
            let before = Head::of(event)?;
            let key = before.key();
            for update in updates.get(&key).into_iter().flatten().filter(|update| update.may_replace(&before)) {
                replaced.old.insert(key.clone());
                replaced.before.insert(update.key.clone(), key.clone());
            }
            Ok(())
        };
        look_up(asked, space, updates.keys().map(|key| key.id.as_str()).collect(), take).await?;
        Ok(replaced)
    }

    /// How many memories a filter selects by their newest versions, and the last so many of them in the order of the log.
    pub async fn newest(
        &self,
        asked: &Asked,
        space: &SpaceName,
        filter: &Value,
        most: usize,
        kept: &mut Kept,
    ) -> Result<(usize, VecDeque<Key>), Refused> {
        let (mut count, mut last) = (0, VecDeque::new());
        let take = |event: &RawValue| {
            let key = Head::of(event)?.key();
            if self.is_old(&key) {
                return Ok(());
            }
            count += 1;
            if last.len() == most {
                last.pop_front();
            } else {
                kept.add(key.bytes())?;
            }
            last.push_back(key);
            Ok(())
        };
        asked.each("log", space, &json!({"filter": filter}), take).await?;
        Ok((count, last))
    }

    /// Whether there is a newer version.
    pub fn is_old(&self, event: &Key) -> bool {
        self.old.contains(event)
    }

    /// The first version. Where two events of a lane have one id, a circle of them ends where it is known.
    pub fn first<'a>(&'a self, event: &'a Key) -> &'a Key {
        let (mut at, mut seen) = (event, HashSet::new());
        while let Some(before) = self.before.get(at).filter(|_| seen.insert(at)) {
            at = before;
        }
        at
    }
}

/// An event that says that it replaces another, which it names within its own lane.
struct Update {
    key: Key,
    number: u64,
    trust: Option<Trust>,
}

impl Update {
    /// Anybody may say so: it holds of what came before and is trusted no more.
    fn may_replace(&self, before: &Head) -> bool {
        let may_change = self.trust.zip(before.trust()).is_some_and(|(own, other)| own.may_change(other));
        may_change && self.number > before.number()
    }
}
