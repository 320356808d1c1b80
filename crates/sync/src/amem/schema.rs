//! What the document requires of an event (section 3.1) and of a note (section 4.1), and what it only recommends.

use idetic_core::Time;
use idetic_core::words::Status;
use idetic_formats::amem::index::month;
use idetic_formats::amem::note::{Note, Value as Front};
use idetic_formats::amem::{catalogue, names, tags};
use serde_json::Value;

use super::report::TroubleKind::{self, Error, Remark};

/// What is wrong, and how bad that is.
pub(super) type Fault = (TroubleKind, String);

/// The version of the schema that the document describes.
const VERSION: &str = "1.0";

/// How an event differs from the schema; `path` is the file it stands in.
pub(super) fn event(raw: &str, path: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let Ok(Value::Object(event)) = serde_json::from_str::<Value>(raw) else { return faults };
    for key in ["timestamp", "trace_id", "status", "schema_version", "event_type", "source"] {
        match event.get(key) {
            None | Some(Value::Null) => faults.push((Error, format!("{key} is missing"))),
            Some(Value::String(text)) if text.trim().is_empty() => faults.push((Error, format!("{key} is empty"))),
            Some(Value::String(_)) => {}
            Some(other) => faults.push((Error, format!("{key} is not a text but {}", kind_of(other)))),
        }
    }
    let text = |key: &str| event.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let time = text("timestamp").map(Time::parse);
    if let Some(Err(_)) = &time {
        faults.push((Error, "timestamp is not an ISO 8601 time".to_owned()));
    }
    let status = text("status").map(Status::parse);
    if let Some(Err(_)) = &status {
        faults.push((Error, "status is not one of success, failure, pending, timeout".to_owned()));
    }
    if let Some(version) = text("schema_version").filter(|version| *version != VERSION) {
        faults.push((Remark, format!("schema_version is \"{version}\"; the document describes \"{VERSION}\"")));
    }
    if let Some(name) = text("event_type")
        && !(name.split('.').count() > 1 && name.split('.').all(|part| !part.trim().is_empty()))
    {
        faults.push((Error, format!("event_type '{name}' is not of the form namespace.action")));
    }
    if let Some(other) = event.get("metadata").filter(|metadata| !metadata.is_object()) {
        faults.push((Error, format!("metadata is not an object but {}", kind_of(other))));
    }
    let of_month = path.strip_prefix("events/").and_then(|rest| rest.split_once('/')).map(|(month, _)| month);
    if let (Some(Ok(time)), Some(of_month)) = (time, of_month.filter(|month| is_month(month)))
        && month(time) != of_month
    {
        faults.push((Error, format!("it is of {} and stands in the folder of {of_month}", month(time))));
    }
    if let (Some(stem), Some(trace)) = (trace_of(path), text("trace_id"))
        && stem != trace
        && names::trace_id(stem).is_some_and(|of_file| of_file != trace)
    {
        faults.push((Error, "its trace_id is not that of the file".to_owned()));
    }
    if let Some(name) = text("event_type") {
        let metadata = event.get("metadata").and_then(Value::as_object);
        let keys: Vec<&str> = metadata.into_iter().flat_map(|all| all.keys().map(String::as_str)).collect();
        let warnings = catalogue::check(name, status.and_then(Result::ok), &keys);
        faults.extend(warnings.into_iter().map(|warning| (Remark, format!("{name}: {warning}"))));
    }
    faults
}

/// The name of the trace whose file this is, where it is one.
fn trace_of(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once('/')?;
    let is_trace = folder.starts_with("events/") && folder.ends_with("/traces");
    file.trim_end_matches(".gz").strip_suffix(".jsonl").filter(|_| is_trace)
}

fn is_month(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.len() == 7 && bytes[4] == b'-' && name.bytes().filter(u8::is_ascii_digit).count() == 6
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// How a note differs from the schema.
pub(super) fn note(note: &Note) -> Vec<Fault> {
    let mut faults = Vec::new();
    let missing: Vec<&str> =
        ["id", "created", "updated", "tags"].into_iter().filter(|key| note.get(key).is_none()).collect();
    if !missing.is_empty() {
        faults.push((Error, format!("the frontmatter has no {}", missing.join(", "))));
    }
    for (key, said) in [("created", &note.created), ("updated", &note.updated)] {
        if said.as_ref().is_some_and(|text| Time::parse(text).is_err()) {
            faults.push((Error, format!("{key} is not an ISO 8601 time")));
        }
    }
    if matches!(note.get("tags"), Some(Front::Text(text)) if !text.trim().is_empty()) {
        faults.push((Error, "tags is not a list".to_owned()));
    }
    let words: [(&str, &[&str]); 3] = [
        ("status", &["draft", "validated", "deprecated"]),
        ("confidence", &["low", "medium", "high"]),
        ("source", &["agent-learning", "human-curated", "external", "research"]),
    ];
    for (key, known) in words {
        if let Some(Front::Text(said)) = note.get(key)
            && !said.is_empty()
            && !known.contains(&said.as_str())
        {
            faults.push((Error, format!("{key} '{said}' is not one of {}", known.join(", "))));
        }
    }
    if names::check_note_id(&note.id).is_err() {
        faults.push((Remark, format!("the id '{}' is not in kebab-case", note.id)));
    }
    for tag in note.tags.iter().filter(|tag| tags::normal(tag) != **tag) {
        faults.push((Remark, format!("tag '{tag}' is usually written '{}'", tags::normal(tag))));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"timestamp":"2025-01-17T12:00:00.123Z","trace_id":"abc","status":"success","schema_version":"1.0","event_type":"app.done","source":"p"}"#;

    fn errors(raw: &str, path: &str) -> Vec<String> {
        let all = event(raw, path).into_iter();
        all.filter(|(kind, _)| *kind == Error).map(|(_, reason)| reason).collect()
    }

    #[test]
    fn what_section_3_1_requires_is_missed() {
        assert_eq!(event(GOOD, "events/2025-01/events.jsonl"), []);
        assert_eq!(event(GOOD, "events/2025-01/traces/abc.jsonl"), []);
        for key in ["timestamp", "trace_id", "status", "schema_version", "event_type", "source"] {
            let without = GOOD.replace(&format!("\"{key}\":"), "\"other\":");
            assert_eq!(errors(&without, "x.jsonl"), [format!("{key} is missing")]);
        }
        let wrong = [
            ("\"2025-01-17T12:00:00.123Z\"", "17", "timestamp is not a text but a number"),
            ("\"2025-01-17T12:00:00.123Z\"", "\"soon\"", "timestamp is not an ISO 8601 time"),
            ("\"success\"", "\"done\"", "status is not one of success, failure, pending, timeout"),
            ("\"1.0\"", "1.0", "schema_version is not a text but a number"),
            ("app.done", "done", "event_type 'done' is not of the form namespace.action"),
            ("\"source\":\"p\"", "\"source\":\"p\",\"metadata\":[1]", "metadata is not an object but a list"),
        ];
        for (from, to, reason) in wrong {
            assert_eq!(errors(&GOOD.replace(from, to), "x.jsonl"), [reason]);
        }
        assert_eq!(
            errors(GOOD, "events/2025-02/events.jsonl"),
            ["it is of 2025-01 and stands in the folder of 2025-02"]
        );
        assert_eq!(errors(GOOD, "events/2025-01/traces/def.jsonl"), ["its trace_id is not that of the file"]);
        let newer = event(&GOOD.replace("\"1.0\"", "\"1.1\""), "x.jsonl");
        assert!(matches!(&newer[..], [(Remark, reason)] if reason.contains("1.1")), "{newer:?}");
    }

    #[test]
    fn what_section_4_1_requires_is_missed() {
        let faults = |text: &str| note(&Note::read("a-note", text).0);
        let good = "---\nid: a-note\ncreated: 2025-01-17T12:00:00Z\nupdated: 2025-01-17\ntags: [a]\nstatus: draft\n---\n\n# A\n";
        assert_eq!(faults(good), []);
        assert_eq!(faults("# A\n"), [(Error, "the frontmatter has no id, created, updated, tags".to_owned())]);
        for (from, to, reason) in [
            ("draft", "baseline", "status 'baseline' is not one of draft, validated, deprecated"),
            ("2025-01-17\n", "today\n", "updated is not an ISO 8601 time"),
            ("[a]", "a", "tags is not a list"),
            ("status: draft", "confidence: sure", "confidence 'sure' is not one of low, medium, high"),
            (
                "status: draft",
                "source: blog",
                "source 'blog' is not one of agent-learning, human-curated, external, research",
            ),
        ] {
            assert_eq!(faults(&good.replace(from, to)), [(Error, reason.to_owned())]);
        }
    }
}
