//! Conversations of ChatGPT's export: `conversations.json`, each a tree of messages of which one path is what was said last.

use serde_json::Value;

use super::{Entry, What, text, words};

/// Longest path that is followed.
const MESSAGES_MAX: usize = 100_000;

/// The messages of one conversation, in order; `time` writes seconds since 1970.
pub fn conversation(said: &Value, time: &dyn Fn(f64) -> Option<String>) -> Vec<Entry> {
    let Some(session) = text(&said["conversation_id"]).or_else(|| text(&said["id"])) else { return Vec::new() };
    let started = said["create_time"].as_f64().and_then(time);
    let mut path = Vec::new();
    let mut at = text(&said["current_node"]).or_else(|| last(&said["mapping"]));
    while let Some(node) = at.filter(|_| path.len() < MESSAGES_MAX).map(|id| &said["mapping"][id]) {
        path.push(node);
        at = text(&node["parent"]);
    }
    let entry = |node: &Value| {
        let message = &node["message"];
        let content = &message["content"];
        let said = if content["parts"].is_array() { words(&content["parts"]) } else { words(&content["text"]) };
        let is_hidden = message["metadata"]["is_visually_hidden_from_conversation"] == true;
        let what = match message["author"]["role"].as_str()? {
            _ if said.trim().is_empty() || is_hidden => return None,
            "user" => What::Prompt(said),
            "assistant" => What::Answer(said),
            _ => return None,
        };
        let ts = message["create_time"].as_f64().and_then(time).or_else(|| started.clone());
        Some(Entry { id: text(&message["id"])?, session: session.clone(), ts, folder: None, branch: None, what })
    };
    path.into_iter().rev().filter_map(entry).collect()
}

/// The last node, where none is marked as the current one: that without children.
fn last(mapping: &Value) -> Option<String> {
    let nodes = mapping.as_object()?;
    let is_leaf = |node: &Value| node["children"].as_array().is_none_or(Vec::is_empty);
    nodes.iter().filter(|(_, node)| is_leaf(node)).map(|(id, _)| id.clone()).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_to_the_current_message_is_what_was_said() {
        let said = serde_json::json!({"id": "c", "create_time": 5.0, "current_node": "3", "mapping": {
            "0": {"message": null, "children": ["1"]},
            "1": {"parent": "0", "message": {"id": "m1", "author": {"role": "user"}, "create_time": 6.5, "content": {"content_type": "text", "parts": ["Hello"]}}, "children": ["2", "3"]},
            "2": {"parent": "1", "message": {"id": "m2", "author": {"role": "assistant"}, "content": {"parts": ["Once"]}}, "children": []},
            "3": {"parent": "1", "message": {"id": "m3", "author": {"role": "assistant"}, "content": {"parts": ["Again"]}}, "children": []}}});
        let told = conversation(&said, &|seconds| Some(format!("{seconds}")));
        let texts: Vec<_> = told.iter().map(|entry| (entry.id.as_str(), entry.ts.as_deref(), &entry.what)).collect();
        assert_eq!(
            texts,
            [
                ("m1", Some("6.5"), &What::Prompt("Hello".to_owned())),
                ("m3", Some("5"), &What::Answer("Again".to_owned())),
            ]
        );
    }
}
