//! The words of an event: what recall is to find it by.

use serde_json::value::RawValue;

use crate::json::{self, Entries};

/// Where people and scripts write what happened, the most telling first.
const TELLING: [&str; 24] = [
    "description",
    "summary",
    "message",
    "title",
    "task_title",
    "subject",
    "task",
    "milestone",
    "work_completed",
    "content",
    "text",
    "notes",
    "note",
    "query",
    "error",
    "error_message",
    "stderr",
    "recovery_action",
    "solution",
    "result",
    "reason",
    "recommendation",
    "decision",
    "context",
];

/// What it was about, said along with the telling words.
const SUBJECTS: [&str; 14] = [
    "tool_name",
    "tool",
    "backend",
    "template",
    "artifact_type",
    "validator",
    "error_type",
    "note_id",
    "agent_name",
    "capability",
    "sap_id",
    "sap_name",
    "project",
    "script",
];

/// Objects whose keys are looked at like those of the event itself.
const WITHIN: [&str; 4] = ["metadata", "data", "context", "insights"];

/// Longest text that is put together from an event.
const TEXT_MAX_BYTES: usize = 16 << 10;
/// Most values that are listed of an event that says nothing in words.
const VALUES_MAX: usize = 40;

/// The words of an event: what it says in words with what it is about, or else its name and its values.
pub(super) fn content(name: &str, entries: &Entries) -> Option<String> {
    let mut places: Vec<Entries> = vec![entries.clone()];
    places.extend(WITHIN.iter().filter_map(|key| json::object(json::get(entries, key)?)));
    let find = |key: &&'static str| {
        let values = places.iter().filter_map(|place| json::get(place, key).and_then(json::text));
        values.filter(|text| !text.trim().is_empty()).map(|text| (*key, text)).next()
    };
    let mut said: Vec<String> = Vec::new();
    for (_, text) in TELLING.iter().filter_map(find) {
        if !said.contains(&text) {
            said.push(text);
        }
    }
    let text = if said.is_empty() {
        values(name, entries)
    } else {
        let about: Vec<String> = SUBJECTS.iter().filter_map(find).map(|(key, text)| format!("{key}: {text}")).collect();
        said.extend((!about.is_empty()).then(|| about.join(", ")));
        said.join("\n")
    };
    let text = cut(&text, TEXT_MAX_BYTES);
    (!text.is_empty()).then(|| text.to_owned())
}

/// What identifies an event rather than says something: of no use to a search for words.
fn is_machinery(key: &str) -> bool {
    ["timestamp", "trace_id", "schema_version", "event_type", "event_id", "session_id", "tags", "_amem", "source"]
        .contains(&key)
}

fn values(name: &str, entries: &Entries) -> String {
    let mut listed = Vec::new();
    for (key, value) in entries.iter().filter(|(key, _)| !is_machinery(key)) {
        if json::text(value).as_deref() == Some(name) {
            continue;
        }
        match json::object(value) {
            Some(inner) if WITHIN.contains(&key.as_str()) => {
                listed.extend(inner.iter().filter_map(|(key, value)| leaf(key, value)));
            }
            Some(inner) => {
                let leaves = inner.iter().filter_map(|(inner, value)| leaf(&format!("{key}.{inner}"), value));
                listed.extend(leaves);
            }
            None => listed.extend(leaf(key, value)),
        }
    }
    listed.truncate(VALUES_MAX);
    let name = name.replace(['_', '.'], " ");
    if listed.is_empty() { name } else { format!("{name}: {}", listed.join(", ")) }
}

/// `key value` of a value without a structure of its own, and of a list of words.
fn leaf(key: &str, value: &RawValue) -> Option<String> {
    if is_machinery(key) {
        return None;
    }
    let text = match value.get().as_bytes().first()? {
        b'"' => json::text(value)?,
        b'[' => json::strings(value)?.join(" "),
        b'{' | b'n' => return None,
        _ => value.get().to_owned(),
    };
    (!text.is_empty()).then(|| format!("{} {}", key.replace('_', " "), cut(&text, 400)))
}

fn cut(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
