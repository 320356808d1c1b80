//! LangGraph: the items of its store, and the messages in its checkpoints.

use idetic_core::Time;
use serde_json::{Map, Value};

use super::{Item, What, msgpack, object, take_first, take_text, take_time, text_of, words};

/// The number under which LangGraph packs an object: `[module, class, fields, how to make it]`.
const OBJECTS: [i64; 5] = [0, 1, 2, 5, 6];

/// One item of the store: a row of its table.
pub fn item(mut row: Map<String, Value>) -> Result<Item, String> {
    let prefix = take_text(&mut row, "prefix").unwrap_or_default();
    let key = take_text(&mut row, "key").ok_or("it has no key")?;
    let said = take_text(&mut row, "value").unwrap_or_default();
    let value = serde_json::from_str(&said).map_err(|error| format!("its value is not JSON: {error}"))?;
    let mut metadata = object(value)?;
    let text = text_of(&mut metadata);
    let (made, changed) = (take_time(&mut row, "created_at"), take_time(&mut row, "updated_at"));
    let expires = take_time(&mut row, "expires_at");
    row.retain(|_, value| !value.is_null());
    row.insert("namespace".to_owned(), prefix.split('.').collect());
    row.insert("key".to_owned(), key.as_str().into());
    Ok(Item { id: format!("{prefix}:{key}"), text, made, changed, expires, metadata, rest: row, ..Item::default() })
}

/// The messages of one checkpoint of a conversation, in order.
pub fn messages(thread: &str, packed: &[u8]) -> Result<Vec<Item>, String> {
    let mut checkpoint = msgpack::read(packed).ok_or("it is not a checkpoint that LangGraph wrote")?;
    let made = checkpoint["ts"].as_str().and_then(|ts| Time::parse(ts).ok());
    let messages = checkpoint["channel_values"]["messages"].take();
    let messages = messages.as_array().cloned().unwrap_or_default();
    let items = messages.into_iter().enumerate().filter_map(|(at, message)| {
        let (class, fields) = fields(message)?;
        Some(said(thread, at, &class, fields, made))
    });
    Ok(items.flatten().collect())
}

/// The class of a packed object and its fields; a message may also be a plain object.
fn fields(packed: Value) -> Option<(String, Map<String, Value>)> {
    match packed {
        Value::Object(fields) => Some((String::new(), fields)),
        Value::Array(mut pair) if pair.len() == 2 && pair[0].as_i64().is_some_and(|n| OBJECTS.contains(&n)) => {
            let class = pair[1][1].as_str().unwrap_or_default().to_owned();
            object(pair[1][2].take()).ok().map(|fields| (class, fields))
        }
        _ => None,
    }
}

/// What a message says, and the calls of tools that it makes.
fn said(thread: &str, at: usize, class: &str, mut fields: Map<String, Value>, made: Option<Time>) -> Vec<Item> {
    let id = take_text(&mut fields, "id").unwrap_or_else(|| at.to_string());
    let role = take_first(&mut fields, &["type", "role"]).unwrap_or_else(|| class.to_owned());
    let text = words(&fields.remove("content").unwrap_or_default());
    let calls = fields.remove("tool_calls").and_then(|calls| calls.as_array().cloned()).unwrap_or_default();
    fields.retain(|_, value| !is_empty(value));
    let item = |id: String, what: What, text: String, rest: Map<String, Value>| {
        let conversation = Some(thread.to_owned());
        Item { id: format!("{thread}:{id}"), what, text, made, conversation, rest, ..Item::default() }
    };
    let what = match role.as_str() {
        "human" | "user" | "HumanMessage" => What::Prompt,
        "tool" | "ToolMessage" => What::Output {
            tool: fields.get("name").and_then(Value::as_str).unwrap_or("tool").to_owned(),
            call: take_text(&mut fields, "tool_call_id").map(|call| format!("{thread}:{call}")),
            failed: fields.get("status").and_then(Value::as_str) == Some("error"),
        },
        "system" | "SystemMessage" => What::System,
        _ => What::Answer,
    };
    let mut items = Vec::new();
    if !text.trim().is_empty() || matches!(what, What::Output { .. }) {
        items.push(item(id.clone(), what, text, fields));
    }
    items.extend(calls.into_iter().enumerate().map(|(nth, call)| {
        let tool = call["name"].as_str().unwrap_or("tool").to_owned();
        let id = call["id"].as_str().map_or_else(|| format!("{id}.{nth}"), str::to_owned);
        item(id, What::Call { tool, input: call["args"].clone() }, String::new(), Map::new())
    }));
    items
}

/// Whether a value says nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(inner) => inner.is_empty(),
        Value::Array(inner) => inner.is_empty(),
        _ => false,
    }
}
