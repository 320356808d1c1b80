//! What was found, in the form that research clients ask for: results with an id, a title and an address, then one whole.

use serde_json::{Map, Value, json};

/// Characters of a title.
const TITLE_MAX_CHARS: usize = 100;
/// What of an event is told beside its text.
const METADATA: [&str; 9] =
    ["kind", "ts", "author", "source", "agent_id", "conversation_id", "trace_id", "status", "trust"];

/// The results of a search.
pub fn found(recalled: &str) -> String {
    let recalled: Value = serde_json::from_str(recalled).unwrap_or_default();
    let hits = recalled["hits"].as_array().cloned().unwrap_or_default();
    let results = hits.iter().map(|hit| json!({"id": hit["id"], "title": title(hit), "url": url(hit)}));
    json!({"results": results.collect::<Vec<_>>()}).to_string()
}

/// One of them, whole.
pub fn fetched(event: &str) -> String {
    let event: Value = serde_json::from_str(event).unwrap_or_default();
    let text = ["content", "summary"].into_iter().find_map(|name| event[name].as_str()).unwrap_or_default();
    let metadata: Map<String, Value> = METADATA
        .into_iter()
        .filter_map(|name| event[name].as_str().map(|value| (name.to_owned(), json!(value))))
        .collect();
    json!({"id": event["id"], "title": title(&event), "text": text, "url": url(&event), "metadata": metadata})
        .to_string()
}

fn title(of: &Value) -> String {
    let text = ["summary", "text", "content"].into_iter().find_map(|name| of[name].as_str()).unwrap_or_default();
    let line = text.trim().lines().next().unwrap_or_default();
    if line.is_empty() {
        of["kind"].as_str().unwrap_or_default().to_owned()
    } else {
        line.chars().take(TITLE_MAX_CHARS).collect()
    }
}

fn url(of: &Value) -> String {
    super::resources::uri("event", of["id"].as_str().unwrap_or_default())
}
