//! Letta: agent files (`.af`), whose agents have blocks of memory, messages and files.

use std::collections::HashMap;

use idetic_core::Hash;
use serde_json::{Map, Value};

use super::{Item, What, object, take_first, take_text, take_time, words};

/// What Letta calls the tool by which an agent answers.
const ANSWERS: &str = "send_message";
/// What Letta calls a message in which a person speaks; all others of a user's role are its own.
const SPOKEN: &str = "user_message";
/// How much of a hash tells two messages of an agent apart.
const HASH_CHARS: usize = 16;

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
    let mut items = Vec::new();
    let mut named = HashMap::<Value, u32>::new();
    agents.iter().for_each(|agent| *named.entry(agent["name"].clone()).or_default() += 1);
    for (at, agent) in agents.into_iter().enumerate() {
        let is_alone = named.get(&agent["name"]).is_none_or(|count| *count < 2);
        let mut agent = object(agent)?;
        let mut name = take_first(&mut agent, &["name", "id"]).ok_or("an agent has no name")?;
        // Several agents may have one name.
        if !is_alone {
            let id = take_text(&mut agent, "id").unwrap_or_else(|| at.to_string());
            name = format!("{name}-{id}");
        }
        let ids = list(&mut agent, "block_ids");
        let own = blocks.iter().filter(|block| ids.contains(&block["id"])).cloned();
        let inline = ["core_memory", "memory_blocks"].map(|key| list(&mut agent, key));
        let all = inline.into_iter().flatten().chain(own);
        items.extend(all.map(|said| block(&name, said)));
        items.extend(list(&mut agent, "messages").into_iter().map(|said| message(&name, said)).flat_map(spread));
        let sources = list(&mut agent, "source_ids");
        let read = files.iter().filter(|file| sources.contains(&file["source_id"])).cloned();
        items.extend(read.map(|said| document(&name, said)));
    }
    Ok(items)
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
fn block(agent: &str, said: Value) -> Result<Item, String> {
    let mut said = object(said)?;
    let label = take_text(&mut said, "label").ok_or("a block has no label")?;
    let text = take_text(&mut said, "value").unwrap_or_default();
    Ok(Item {
        id: format!("{agent}:block:{label}"),
        text,
        made: take_time(&mut said, "created_at"),
        changed: take_time(&mut said, "updated_at"),
        agent: Some(agent.to_owned()),
        tags: vec![label],
        rest: telling(said),
        ..Item::default()
    })
}

fn document(agent: &str, said: Value) -> Result<Item, String> {
    let mut said = object(said)?;
    let name = take_first(&mut said, &["file_name", "original_file_name"]).ok_or("a file has no name")?;
    Ok(Item {
        id: format!("{agent}:file:{name}"),
        text: take_text(&mut said, "content").unwrap_or_default(),
        summary: Some(name),
        made: take_time(&mut said, "file_creation_date"),
        agent: Some(agent.to_owned()),
        rest: telling(said),
        ..Item::default()
    })
}

/// What a message says. Its own id is its place in this file: another export has another message there.
fn message(agent: &str, said: Value) -> Result<Vec<Item>, String> {
    let hash = Hash::of(format!("{}{}{}", said["created_at"], said["role"], said["content"]).as_bytes()).to_string();
    let mut said = object(said)?;
    let id = format!("{agent}:{}", hash.get(..HASH_CHARS).unwrap_or(&hash));
    let role = take_text(&mut said, "role").ok_or("a message has no role")?;
    let content = said.remove("content").or_else(|| said.remove("text")).unwrap_or_default();
    let made = take_time(&mut said, "created_at");
    let calls = list(&mut said, "tool_calls");
    let (what, text) = told(agent, &role, &words(&content), &mut said);
    let conversation = Some(format!("letta:{agent}"));
    let item = Item { made, agent: Some(agent.to_owned()), conversation, ..Item::default() };
    let mut items = Vec::new();
    if !text.trim().is_empty() {
        items.push(Item { id: id.clone(), what, text, rest: telling(said), ..item.clone() });
    }
    for (nth, call) in calls.into_iter().enumerate() {
        let tool = call["function"]["name"].as_str().unwrap_or("tool").to_owned();
        let given = call["function"]["arguments"].as_str().unwrap_or_default();
        let input: Value = serde_json::from_str(given).unwrap_or_else(|_| given.into());
        let answer = input["message"].as_str().filter(|_| tool == ANSWERS).map(str::to_owned);
        let id = call["id"].as_str().map_or_else(|| format!("{id}.{nth}"), |call| format!("{agent}:{call}"));
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

    #[test]
    fn agents_of_one_name_are_told_apart() {
        let block = |text: &str| json!([{"label": "human", "value": text}]);
        let agent = |name: &str, id: &str, text: &str| json!({"name": name, "id": id, "core_memory": block(text)});
        let file = json!({"agents": [agent("helper", "agent-0", "a"), agent("helper", "agent-1", "b"), agent("other", "agent-2", "c")]});
        let items = items(file).expect("an agent file").into_iter().map(|item| item.expect("a block").id);
        assert_eq!(
            items.collect::<Vec<_>>(),
            ["helper-agent-0:block:human", "helper-agent-1:block:human", "other:block:human"]
        );
    }
}
