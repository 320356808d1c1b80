//! Letta: agent files (`.af`), whose agents have blocks of memory, messages and files.

use std::collections::HashSet;

use idetic_core::{Hash, Time};
use serde_json::{Map, Value};

use super::{Item, What, object, take_first, take_text, take_time, words};

/// What Letta calls the tool by which an agent answers.
const ANSWERS: &str = "send_message";
/// What Letta calls a message in which a person speaks; all others of a user's role are its own.
const SPOKEN: &str = "user_message";
/// What Letta puts before the number of an agent in a file.
const NUMBERED: &str = "agent-";
/// How much of a hash tells two messages of an agent apart.
const HASH_CHARS: usize = 16;
/// The same of two agents of one name.
const KEY_CHARS: usize = 8;

/// An agent as its items name it.
struct Agent {
    name: String,
    /// What tells it from others of its name.
    key: Option<String>,
    /// Both: what its items are known by.
    known: String,
}

/// Everything an agent file remembers, in order; or why one thing could not be read.
pub fn items(file: Value) -> Result<Vec<Result<Item, String>>, String> {
    let mut file = object(file)?;
    let blocks = list(&mut file, "blocks");
    let files = list(&mut file, "files");
    let agents = match file.get("agents") {
        Some(_) => list(&mut file, "agents"),
        // Before there were several agents in a file, it was the agent.
        None if file.contains_key("core_memory") => vec![Value::Object(file)],
        None => return Err("it has neither 'agents' nor 'core_memory'".to_owned()),
    };
    let (mut items, mut known) = (Vec::new(), HashSet::new());
    for (at, agent) in agents.into_iter().enumerate() {
        let mut said = object(agent)?;
        let mut agent = agent_of(&mut said)?;
        // Copies of an agent may have its name and were made when it was.
        while !known.insert(agent.known.clone()) {
            agent.key = Some(agent.key.map_or_else(|| at.to_string(), |key| format!("{key}-{at}")));
            agent.known = format!("{}-{at}", agent.known);
        }
        let ids = list(&mut said, "block_ids");
        let own = blocks.iter().filter(|block| ids.contains(&block["id"])).cloned();
        let inline = ["core_memory", "memory_blocks"].map(|key| list(&mut said, key));
        let all = inline.into_iter().flatten().chain(own);
        items.extend(all.map(|said| block(&agent, said)));
        items.extend(list(&mut said, "messages").into_iter().map(|said| message(&agent, said)).flat_map(spread));
        let sources = list(&mut said, "source_ids");
        let read = files.iter().filter(|file| sources.contains(&file["source_id"])).cloned();
        items.extend(read.map(|said| document(&agent, said)));
    }
    Ok(items)
}

fn agent_of(said: &mut Map<String, Value>) -> Result<Agent, String> {
    let key = key(said);
    let name = take_first(said, &["name", "id"]).ok_or("an agent has no name")?;
    let known = key.as_ref().map_or_else(|| name.clone(), |key| format!("{name}-{key}"));
    Ok(Agent { name, key, known })
}

/// What tells an agent from others of its name in every file it is exported to: its id, or else when it was made, which its first
/// message says. Letta numbers the agents of a file, so the agent of the next file may have the same number, and this agent
/// another one there: that number is used only where there is nothing else.
fn key(agent: &Map<String, Value>) -> Option<String> {
    let id = agent.get("id").and_then(Value::as_str);
    let is_number = |id: &str| {
        id.strip_prefix(NUMBERED).is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    if let Some(id) = id.filter(|id| !is_number(id)) {
        return Some(id.to_owned());
    }
    let messages = agent.get("messages").and_then(Value::as_array);
    let first = messages.and_then(|messages| messages.iter().find(|message| message["role"] == "system"));
    let made = first.and_then(|first| first["created_at"].as_str()).or(agent.get("created_at").and_then(Value::as_str));
    let hash = made.map(|made| {
        // However the same moment is written.
        let made = Time::parse(made).map_or_else(|_| made.to_owned(), |time| time.to_string());
        let hash = Hash::of(made.as_bytes()).to_string();
        hash.get(..KEY_CHARS).unwrap_or(&hash).to_owned()
    });
    hash.or(id.map(str::to_owned))
}

fn list(object: &mut Map<String, Value>, key: &str) -> Vec<Value> {
    match object.remove(key) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}

fn spread(items: Result<Vec<Item>, String>) -> Vec<Result<Item, String>> {
    match items {
        Ok(items) => items.into_iter().map(Ok).collect(),
        Err(why) => vec![Err(why)],
    }
}

/// A block of an agent's memory: there is one of each label.
fn block(agent: &Agent, said: Value) -> Result<Item, String> {
    let mut said = object(said)?;
    let label = take_text(&mut said, "label").ok_or("a block has no label")?;
    let text = take_text(&mut said, "value").unwrap_or_default();
    Ok(Item {
        id: format!("{}:block:{label}", agent.known),
        text,
        made: take_time(&mut said, "created_at"),
        changed: take_time(&mut said, "updated_at"),
        agent: Some(agent.name.clone()),
        agent_key: agent.key.clone(),
        tags: vec![label],
        rest: telling(said),
        ..Item::default()
    })
}

fn document(agent: &Agent, said: Value) -> Result<Item, String> {
    let mut said = object(said)?;
    let name = take_first(&mut said, &["file_name", "original_file_name"]).ok_or("a file has no name")?;
    Ok(Item {
        id: format!("{}:file:{name}", agent.known),
        text: take_text(&mut said, "content").unwrap_or_default(),
        summary: Some(name),
        made: take_time(&mut said, "file_creation_date"),
        agent: Some(agent.name.clone()),
        agent_key: agent.key.clone(),
        rest: telling(said),
        ..Item::default()
    })
}

/// What a message says. Its own id is its place in this file: another export has another message there.
fn message(agent: &Agent, said: Value) -> Result<Vec<Item>, String> {
    let hash = Hash::of(format!("{}{}{}", said["created_at"], said["role"], said["content"]).as_bytes()).to_string();
    let mut said = object(said)?;
    let Agent { name, key, known } = agent;
    let id = format!("{known}:{}", hash.get(..HASH_CHARS).unwrap_or(&hash));
    let role = take_text(&mut said, "role").ok_or("a message has no role")?;
    let content = said.remove("content").or_else(|| said.remove("text")).unwrap_or_default();
    let made = take_time(&mut said, "created_at");
    let calls = list(&mut said, "tool_calls");
    let (what, text) = told(known, &role, &words(&content), &mut said);
    let conversation = Some(format!("letta:{known}"));
    let item = Item { made, agent: Some(name.clone()), agent_key: key.clone(), conversation, ..Item::default() };
    let mut items = Vec::new();
    if !text.trim().is_empty() {
        items.push(Item { id: id.clone(), what, text, rest: telling(said), ..item.clone() });
    }
    for (nth, call) in calls.into_iter().enumerate() {
        let tool = call["function"]["name"].as_str().unwrap_or("tool").to_owned();
        let given = call["function"]["arguments"].as_str().unwrap_or_default();
        let input: Value = serde_json::from_str(given).unwrap_or_else(|_| given.into());
        let answer = input["message"].as_str().filter(|_| tool == ANSWERS).map(str::to_owned);
        let id = call["id"].as_str().map_or_else(|| format!("{id}.{nth}"), |call| format!("{known}:{call}"));
        items.push(match answer {
            Some(text) => Item { id, what: What::Answer, text, ..item.clone() },
            None => Item { id, what: What::Call { tool, input }, ..item.clone() },
        });
    }
    Ok(items)
}

/// Who speaks, and what is said: Letta wraps most messages in JSON, and says there whether a person spoke.
fn told(agent: &str, role: &str, text: &str, said: &mut Map<String, Value>) -> (What, String) {
    let wrapped: Option<Map<String, Value>> = serde_json::from_str(text).ok();
    let inner = wrapped.as_ref().and_then(|wrapped| wrapped.get("message")?.as_str()).map(str::to_owned);
    let kind = wrapped.as_ref().and_then(|wrapped| wrapped.get("type")?.as_str());
    let words = inner.unwrap_or_else(|| text.to_owned());
    match role {
        "user" if kind.is_none_or(|kind| kind == SPOKEN) => (What::Prompt, words),
        "user" | "system" => (What::System, words),
        "tool" => {
            let returned = said.get("tool_returns").and_then(|all| all[0]["status"].as_str());
            let failed = returned == Some("error") || text.contains("\"status\": \"Failed\"");
            let tool = take_text(said, "name").unwrap_or_else(|| "tool".to_owned());
            let call = take_text(said, "tool_call_id").map(|call| format!("{agent}:{call}"));
            (What::Output { tool, call, failed }, words)
        }
        _ => (What::Answer, words),
    }
}

fn telling(mut said: Map<String, Value>) -> Map<String, Value> {
    said.retain(|_, value| !value.is_null());
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The ids of what is in a file with these agents.
    fn ids(agents: Value) -> Vec<String> {
        let items = items(json!({"agents": agents})).expect("an agent file").into_iter();
        items.map(|item| item.expect("a block or a message").id).collect()
    }

    fn agent(name: &str, id: &str) -> Value {
        json!({"name": name, "id": id, "core_memory": [{"label": "human", "value": "x"}]})
    }

    /// The same with a first message.
    fn made(name: &str, id: &str, at: &str) -> Value {
        let mut agent = agent(name, id);
        agent["messages"] = json!([{"role": "system", "content": "", "created_at": at}]);
        agent
    }

    #[test]
    fn agents_of_one_name_are_told_apart() {
        let numbered = [agent("helper", "agent-0"), agent("helper", "agent-1"), agent("other", "agent-2")];
        assert_eq!(
            ids(json!(numbered)),
            ["helper-agent-0:block:human", "helper-agent-1:block:human", "other-agent-2:block:human"]
        );
        assert_eq!(ids(json!([agent("helper", "agent-5f0c")])), ["helper-agent-5f0c:block:human"]);
        let nameless = |name: &str| json!({"name": name, "core_memory": [{"label": "human", "value": "x"}]});
        assert_eq!(
            ids(json!([nameless("helper"), nameless("helper")])),
            ["helper:block:human", "helper-1:block:human"],
            "without an id the place has to do"
        );
    }

    #[test]
    fn an_agent_is_the_same_in_every_file_and_another_of_its_name_is_not() {
        let (one, other) = ("2026-01-20T11:00:00Z", "2026-02-20T11:00:00Z");
        let alone = ids(json!([made("helper", "agent-0", one)]));
        // Each is the first of its file.
        assert_ne!(ids(json!([made("helper", "agent-0", other)])), alone);
        let together =
            json!([made("helper", "agent-0", other), made("helper", "agent-1", "2026-01-20T12:00:00+01:00")]);
        assert_eq!(ids(together)[1..], alone);
        let copies = ids(json!([made("helper", "agent-0", one), made("helper", "agent-1", one)]));
        assert_eq!((&copies[..1], copies.len()), (&alone[..], 2));
        assert_ne!(copies[0], copies[1]);
    }
}
