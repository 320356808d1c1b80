//! LangGraph: the items of its store, and the messages in its checkpoints.

use std::collections::HashMap;

use idetic_core::{Hash, Time};
use serde_json::{Map, Value, json};

use super::{Item, What, msgpack, object, take_first, take_text, take_time, text_of, words};

/// The numbers under which LangGraph packs objects: `[module, class, fields, how to make it]`.
const OBJECTS: [i64; 5] = [0, 1, 2, 4, 5];
/// How much of a hash tells two messages of a conversation apart.
const HASH_CHARS: usize = 16;

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

/// The messages of one checkpoint of a conversation, in order, or why one could not be read. `packing` is what LangGraph says how
/// the checkpoint is written; its first versions did not say it.
pub fn messages(thread: &str, packing: &str, packed: &[u8]) -> Result<Vec<Result<Item, String>>, String> {
    let json = || serde_json::from_slice::<Value>(packed).ok();
    let checkpoint = match packing {
        "" => msgpack::read(packed).or_else(json),
        "json" => json(),
        "msgpack" => msgpack::read(packed),
        other => return Err(format!("it is written as '{other}', which cannot be read")),
    };
    let Some(Value::Object(mut checkpoint)) = checkpoint else {
        let most = msgpack::VALUES_MAX;
        return Err(format!("it is not a checkpoint that LangGraph wrote, or has more than {most} values"));
    };
    let made = checkpoint.get("ts").and_then(Value::as_str).and_then(|ts| Time::parse(ts).ok());
    let messages = match checkpoint.get_mut("channel_values") {
        None | Some(Value::Null) => None,
        Some(Value::Object(channels)) => channels.remove("messages"),
        Some(_) => return Err("its channel_values are no object".to_owned()),
    };
    let messages = match messages {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(messages)) => messages,
        Some(_) => return Err("its messages are no list".to_owned()),
    };
    let mut repeats = HashMap::new();
    let items = messages.into_iter().enumerate().flat_map(|(at, message)| match fields(message) {
        Some((class, fields)) => said(thread, &mut repeats, &class, fields, made).into_iter().map(Ok).collect(),
        None => vec![Err(format!("message {} is in no form that LangGraph writes", at + 1))],
    });
    Ok(items.collect())
}

/// The class of a packed object and its fields; a message may also be a plain object.
fn fields(packed: Value) -> Option<(String, Map<String, Value>)> {
    match packed {
        // As JSON an object says how it is made.
        Value::Object(mut made) if made.contains_key("lc") => {
            let class = made.get("id").and_then(|id| id.as_array()?.last()?.as_str()).unwrap_or_default().to_owned();
            object(made.remove("kwargs")?).ok().map(|fields| (class, fields))
        }
        Value::Object(fields) => Some((String::new(), fields)),
        Value::Array(mut pair) if pair.len() == 2 && pair[0].as_i64().is_some_and(|n| OBJECTS.contains(&n)) => {
            let inner = pair.pop()?;
            let class = inner.get(1)?.as_str().unwrap_or_default().to_owned();
            object(inner.get(2)?.clone()).ok().map(|fields| (class, fields))
        }
        _ => None,
    }
}

/// What a message is known by that has no id: what it says, and how often that was said before it. Its place would not do: a state
/// that keeps its last messages has another message there in every checkpoint.
fn known(repeats: &mut HashMap<String, u32>, role: &str, fields: &Map<String, Value>) -> String {
    let said = ["content", "tool_calls", "tool_call_id"].map(|key| fields.get(key).cloned().unwrap_or_default());
    let hash = Hash::of(json!([role, said]).to_string().as_bytes()).to_string();
    let hash = hash.get(..HASH_CHARS).unwrap_or(&hash).to_owned();
    let count = repeats.entry(hash.clone()).or_default();
    *count += 1;
    format!("{hash}-{count}")
}

/// What a message says, and the calls of tools that it makes.
fn said(
    thread: &str,
    repeats: &mut HashMap<String, u32>,
    class: &str,
    mut fields: Map<String, Value>,
    made: Option<Time>,
) -> Vec<Item> {
    let role = take_first(&mut fields, &["type", "role"]).unwrap_or_else(|| class.to_owned());
    let id = take_text(&mut fields, "id").unwrap_or_else(|| known(repeats, &role, &fields));
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn texts(packing: &str, packed: &[u8]) -> Result<Vec<Result<String, String>>, String> {
        Ok(messages("t", packing, packed)?.into_iter().map(|item| item.map(|item| item.text)).collect())
    }

    #[test]
    fn checkpoints_in_json_are_read_and_what_cannot_be_read_is_named() {
        let said = br#"{"channel_values": {"messages": [
            {"lc": 2, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"],
             "kwargs": {"content": "hello", "id": "1"}},
            {"type": "ai", "content": "hi", "id": "2"},
            17]}}"#;
        let unread = Err("message 3 is in no form that LangGraph writes".to_owned());
        for packing in ["json", ""] {
            let expected = vec![Ok("hello".to_owned()), Ok("hi".to_owned()), unread.clone()];
            assert_eq!(texts(packing, said), Ok(expected), "{packing}");
        }
        let human = messages("t", "json", said).expect("a checkpoint").remove(0).expect("a message");
        assert_eq!(human.what, What::Prompt);
        for (packing, packed) in [
            ("msgpack", &said[..]),
            ("msgpack", b"\x07"),
            ("json", b"[1]"),
            ("json", b"{\"channel_values\": 1}"),
            ("json", b"{\"channel_values\": {\"messages\": 1}}"),
            ("pickle", b"\x80"),
        ] {
            assert!(texts(packing, packed).is_err(), "{packing} {packed:?}");
        }
        assert_eq!(texts("json", b"{\"channel_values\": {}}"), Ok(Vec::new()), "a graph without messages");
    }

    #[test]
    fn messages_without_ids_are_known_by_what_they_say_wherever_they_stand() {
        let ids = |said: &[(&str, &str)]| -> Vec<String> {
            let messages: Vec<Value> = said.iter().map(|(role, text)| json!({"type": role, "content": text})).collect();
            let checkpoint = json!({"channel_values": {"messages": messages}}).to_string();
            let items = messages_of(checkpoint.as_bytes());
            items.into_iter().map(|item| item.id).collect()
        };
        let all = [("human", "hello"), ("ai", "hi"), ("human", "ok"), ("ai", "ok"), ("human", "ok"), ("human", "bye")];
        let whole = ids(&all);
        assert_eq!(whole.iter().collect::<HashSet<_>>().len(), all.len(), "{whole:?}");
        assert_eq!(ids(&all[..4]), whole[..4], "the same in the next checkpoint");
        // The state keeps its last four: what is new there has an id of its own.
        assert_eq!(ids(&all[2..]), whole[2..]);
        let call =
            |id: &str| json!({"type": "ai", "content": "", "tool_calls": [{"id": id, "name": "lookup", "args": {}}]});
        let checkpoint = json!({"channel_values": {"messages": [call("c1"), call("c2")]}}).to_string();
        let calls: Vec<String> = messages_of(checkpoint.as_bytes()).into_iter().map(|item| item.id).collect();
        assert_eq!(calls, ["t:c1", "t:c2"]);
    }

    fn messages_of(packed: &[u8]) -> Vec<Item> {
        let read = messages("t", "json", packed).expect("a checkpoint");
        read.into_iter().map(|item| item.expect("a message")).collect()
    }
}
