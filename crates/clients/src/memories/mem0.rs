//! mem0: the answers of `get_all`, and the rows of its `history.db`.

use serde_json::{Map, Value};

use super::{Item, object, take_first, take_object, take_text, take_texts, take_time};

/// The columns of the history that are no part of a memory.
const OF_HISTORY: [&str; 4] = ["id", "event", "old_memory", "is_deleted"];

/// One memory of an export.
pub fn memory(said: Value) -> Result<Item, String> {
    let mut said = object(said)?;
    let id = take_text(&mut said, "id").ok_or("it has no id")?;
    let text = take_first(&mut said, &["memory", "text", "data"]).ok_or("it has no text in 'memory'")?;
    Ok(Item {
        id,
        text,
        made: take_time(&mut said, "created_at"),
        changed: take_time(&mut said, "updated_at"),
        expires: take_time(&mut said, "expiration_date"),
        user: take_text(&mut said, "user_id"),
        agent: take_text(&mut said, "agent_id"),
        conversation: take_text(&mut said, "run_id"),
        tags: take_texts(&mut said, "categories"),
        metadata: take_object(&mut said, "metadata"),
        rest: without_nulls(said),
        ..Item::default()
    })
}

/// What a memory said from one moment on; nothing where the row tells that it was deleted.
pub fn version(mut row: Map<String, Value>) -> Result<Option<Item>, String> {
    if row.get("event").and_then(Value::as_str) == Some("DELETE") {
        return Ok(None);
    }
    OF_HISTORY.iter().for_each(|column| drop(row.remove(*column)));
    let id = take_text(&mut row, "memory_id").ok_or("it has no memory_id")?;
    let text = take_text(&mut row, "new_memory").ok_or("it has no text in 'new_memory'")?;
    let (made, changed) = (take_time(&mut row, "created_at"), take_time(&mut row, "updated_at"));
    Ok(Some(Item {
        id,
        text,
        made: changed.or(made),
        changed: changed.or(made),
        rest: without_nulls(row),
        ..Item::default()
    }))
}

fn without_nulls(object: Map<String, Value>) -> Map<String, Value> {
    object.into_iter().filter(|(_, value)| !value.is_null()).collect()
}
