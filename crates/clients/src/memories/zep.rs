//! Zep: what its API answers. Messages of threads, edges of the graph (facts, each with the time it holds for), nodes, episodes.

use idetic_core::Time;
use serde_json::{Map, Value};

use super::{Item, What, object, take_first, take_object, take_text, take_time};

/// Lists in its answers whose items are read.
pub const LISTS: [&str; 10] =
    ["messages", "edges", "facts", "relevant_facts", "nodes", "episodes", "items", "results", "sessions", "threads"];
/// What names a thread.
const THREADS: [&str; 4] = ["thread_id", "session_id", "thread_uuid", "session_uuid"];
/// What names a user.
const USERS: [&str; 2] = ["user_id", "user_uuid"];

/// The items in a part of an answer, or why one could not be read: a thread has many messages. `around` is what the answer says
/// besides.
pub fn items(mut said: Value, around: &Map<String, Value>) -> Vec<Result<Item, String>> {
    let Some(Value::Array(messages)) = said.get_mut("messages").map(Value::take) else {
        return vec![item(said, around)];
    };
    let thread = object(said).unwrap_or_default();
    let read =
        |(at, message): (usize, Value)| item(message, &thread).map_err(|why| format!("message {}: {why}", at + 1));
    messages.into_iter().enumerate().map(read).collect()
}

fn item(said: Value, around: &Map<String, Value>) -> Result<Item, String> {
    let mut said = object(said)?;
    let id = take_first(&mut said, &["uuid", "uuid_", "id"]);
    let told = |keys: &[&str]| keys.iter().find_map(|key| around.get(*key)?.as_str()).map(str::to_owned);
    let (user, conversation) = (take_first(&mut said, &USERS), take_first(&mut said, &THREADS));
    let (user, conversation) = (user.or_else(|| told(&USERS)), conversation.or_else(|| told(&THREADS)));
    let made = take_time(&mut said, "created_at");
    let item = Item { made, user, conversation, metadata: take_object(&mut said, "metadata"), ..Item::default() };
    let id = id.ok_or("it has no uuid")?;
    if said.contains_key("fact") {
        return fact(Item { id, ..item }, said);
    }
    let role = take_first(&mut said, &["role_type", "role"]);
    let Some(text) = take_first(&mut said, &["content", "summary"]) else {
        return Err("it has neither content, a fact nor a summary".to_owned());
    };
    let what = match role.as_deref() {
        Some("user") => What::Prompt,
        Some("assistant") => What::Answer,
        Some("tool" | "function") => What::Output { tool: "tool".to_owned(), call: None, failed: false },
        Some("system") => What::System,
        _ => What::Memory,
    };
    // A node has a name besides.
    let summary = said.get("name").and_then(Value::as_str).filter(|_| what == What::Memory).map(str::to_owned);
    Ok(Item { id, what, text, summary, rest: telling(said), ..item })
}

/// An edge of the graph.
fn fact(item: Item, mut said: Map<String, Value>) -> Result<Item, String> {
    let text = take_text(&mut said, "fact").ok_or("its fact is empty")?;
    let from = take_time(&mut said, "valid_at");
    let stated = said.get("invalid_at").cloned();
    // Without a moment from which it was false it is at least no longer held to be true.
    let (invalid, expired) = (take_time(&mut said, "invalid_at"), take_time(&mut said, "expired_at"));
    let mut ends = [invalid, expired].into_iter().flatten();
    // What ended before it began holds for no longer than the least there is: without an end it would hold for ever.
    let least = invalid.or(expired).and(from).map(|from| Time(from.0.saturating_add(1)));
    let until = ends.find(|end| from.is_none_or(|from| from < *end)).or(least);
    if invalid.is_some() && until != invalid {
        said.extend(stated.map(|stated| ("invalid_at".to_owned(), stated)));
    }
    let what = What::Fact {
        subject: take_text(&mut said, "source_node_name"),
        attribute: said.get("name").and_then(Value::as_str).map(str::to_lowercase),
        value: take_text(&mut said, "target_node_name"),
        from,
        until,
    };
    Ok(Item { what, text, changed: expired, rest: telling(said), ..item })
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
    fn a_message_that_cannot_be_read_takes_no_other_of_its_thread_along() {
        let thread = json!({"thread_id": "t", "user_id": "ann", "messages": [
            {"uuid": "1", "role": "user", "content": "one"},
            {"uuid": "2", "role": "assistant"},
            {"role": "user", "content": "no id"},
            {"uuid": "4", "role": "assistant", "content": "four"}]});
        let read = items(thread, &Map::new());
        let texts: Vec<_> = read.iter().map(|item| item.as_ref().map(|item| item.text.as_str())).collect();
        let (no_text, no_id) = (
            "message 2: it has neither content, a fact nor a summary".to_owned(),
            "message 3: it has no uuid".to_owned(),
        );
        assert_eq!(texts, [Ok("one"), Err(&no_text), Err(&no_id), Ok("four")]);
        let last = read[3].as_ref().expect("a message");
        assert_eq!((last.conversation.as_deref(), last.user.as_deref()), (Some("t"), Some("ann")));
    }

    #[test]
    fn a_fact_that_ended_has_an_end_also_where_it_ended_before_it_began() {
        let (early, begin, late) = ("2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z");
        let least = "2025-01-01T00:00:00.000001Z";
        for (valid, invalid, expired, expected, kept) in [
            (Some(begin), None, None, None, None),
            (Some(begin), Some(late), Some(early), Some(late), None),
            (Some(begin), Some(early), Some(late), Some(late), Some(early)),
            (Some(begin), Some(begin), None, Some(least), Some(begin)),
            (Some(begin), Some(early), Some(early), Some(least), Some(early)),
            (Some(begin), None, Some(early), Some(least), None),
            (None, Some(early), None, Some(early), None),
            (None, None, Some(late), Some(late), None),
        ] {
            let said = json!({"uuid": "e", "fact": "Ann lives in Oslo", "valid_at": valid, "invalid_at": invalid, "expired_at": expired});
            let read = item(said.clone(), &Map::new()).expect("a fact");
            let What::Fact { from, until, .. } = &read.what else { panic!("{read:?}") };
            let time = |text: Option<&str>| text.map(|text| Time::parse(text).expect("a time"));
            assert_eq!((*from, *until), (time(valid), time(expected)), "{said}");
            assert_eq!(read.rest.get("invalid_at").and_then(Value::as_str), kept, "{said}");
        }
    }
}
