//! Conversations of Cursor: rows of `cursorDiskKV` in `state.vscdb`, one about the conversation and one for each message.

use serde_json::Value;

use super::{Entry, What, text};

/// The messages of one conversation, in order: its row, and how the row of a message is found by its id. `time` writes
/// milliseconds since 1970.
pub fn conversation(
    said: &Value,
    message: &mut dyn FnMut(&str) -> Option<Value>,
    time: &dyn Fn(f64) -> Option<String>,
) -> Vec<Entry> {
    let Some(session) = text(&said["composerId"]) else { return Vec::new() };
    let started = said["createdAt"].as_f64().and_then(time);
    let whole = said["conversation"].as_array().cloned().unwrap_or_default();
    let named = said["fullConversationHeadersOnly"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ids = named.iter().filter_map(|header| header["bubbleId"].as_str());
    let messages: Vec<Value> = whole
        .into_iter()
        .chain(ids.filter_map(|id| {
            let mut found = message(id)?;
            found["bubbleId"] = Value::String(id.to_owned());
            Some(found)
        }))
        .collect();
    let mut told = Vec::new();
    for message in messages {
        let Some(id) = text(&message["bubbleId"]) else { continue };
        let ts = text(&message["createdAt"]).or_else(|| started.clone());
        let said = text(&message["text"]).filter(|said| !said.trim().is_empty());
        let is_users = message["type"] == 1;
        let mut whats: Vec<What> = Vec::new();
        whats.extend(said.map(|said| if is_users { What::Prompt(said) } else { What::Answer(said) }));
        let tool = &message["toolFormerData"];
        if let Some(name) = text(&tool["name"]) {
            let read = |value: &Value| {
                let given = value.as_str().unwrap_or_default();
                serde_json::from_str(given).unwrap_or_else(|_| Value::String(given.to_owned()))
            };
            whats.push(What::Call { call: id.clone(), tool: name, input: read(&tool["rawArgs"]) });
            whats.push(What::Output {
                call: id.clone(),
                output: read(&tool["result"]),
                failed: tool["status"] == "error",
            });
        }
        for (at, what) in whats.into_iter().enumerate() {
            let id = if at == 0 { id.clone() } else { format!("{id}.{at}") };
            told.push(Entry { id, session: session.clone(), ts: ts.clone(), folder: None, branch: None, what });
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_come_in_the_order_of_their_headers() {
        let said = json!({"composerId": "c", "createdAt": 1000, "fullConversationHeadersOnly": [{"bubbleId": "b1"}, {"bubbleId": "b2"}, {"bubbleId": "gone"}]});
        let mut rows = |id: &str| match id {
            "b1" => Some(json!({"type": 1, "text": "Fix it"})),
            "b2" => Some(
                json!({"type": 2, "text": "", "toolFormerData": {"name": "run_terminal_cmd", "rawArgs": "{\"command\":\"ls\"}", "result": "{\"exitCode\":1}", "status": "error"}}),
            ),
            _ => None,
        };
        let told = conversation(&said, &mut rows, &|ms| Some(format!("{ms}")));
        assert_eq!(told[0].what, What::Prompt("Fix it".to_owned()));
        assert!(matches!(&told[1].what, What::Call { tool, .. } if tool == "run_terminal_cmd"));
        assert!(matches!(&told[2].what, What::Output { failed: true, .. }) && told.len() == 3);
    }
}
