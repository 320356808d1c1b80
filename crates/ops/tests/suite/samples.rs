//! Real records of the five specifications, expressed as events: every field and the raw text are carried.
//!
//! The files lie beside the project, not in it. Where they are missing the tests say so and pass.
#![expect(clippy::print_stderr, reason = "a test says what it skipped and what it counted")]

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::hermetic::Hermetic;

fn samples(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec/samples").join(folder);
    let Ok(entries) = std::fs::read_dir(&root) else {
        eprintln!("SKIPPED: the sample files in shared/spec/samples/{folder} are not here");
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    let name = |p: &Path| p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    paths.iter().map(|p| (name(p), std::fs::read_to_string(p).expect("a readable sample"))).collect()
}

/// Appends events and reads them back.
fn round_trip(events: &[Value]) -> Vec<Value> {
    let home = Hermetic::new();
    home.append("local/x", &events.iter().map(Value::to_string).collect::<Vec<_>>());
    let lines = home.call("local/x", "log", "{}").expect("answers");
    lines.iter().map(|l| serde_json::from_str(l).expect("an event")).collect()
}

fn slug(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let slug: String = text.chars().map(plain).collect();
    format!("amem.x{}", slug.chars().take(100).collect::<String>())
}

/// A record of any of the shapes A to H: what has a place goes there, everything else under metadata, the line whole.
fn from_amem(raw: &str, record: &Map<String, Value>) -> Value {
    let text = |keys: &[&str]| keys.iter().find_map(|k| record.get(*k).and_then(Value::as_str)).map(str::to_owned);
    let status = text(&["status", "outcome"]).map(|s| if s == "in_progress" { "pending".to_owned() } else { s });
    let status = status.filter(|s| ["success", "failure", "pending", "timeout"].contains(&s.as_str()));
    json!({
        "id": text(&["event_id"]),
        "ts": text(&["timestamp", "start_time"]),
        "kind": slug(&text(&["event_type", "event", "action", "evaluation_type"]).unwrap_or_else(|| "trace".to_owned())),
        "status": status,
        "author": text(&["actor"]),
        "source": text(&["source", "project"]),
        "trace_id": text(&["trace_id"]),
        "conversation_id": text(&["session_id"]),
        "summary": text(&["description", "summary"]),
        "content": raw,
        "tags": record.get("tags").filter(|t| t.is_array()),
        "metadata": record,
    })
}

#[test]
fn every_published_record_of_specification_000_is_carried_whole() {
    let mut lines = 0;
    for (name, text) in samples("amem") {
        let pieces: Vec<&str> = if name.ends_with(".jsonl") {
            text.lines().filter(|l| !l.trim().is_empty()).collect()
        } else {
            vec![&text]
        };
        let mut events: Vec<Value> = pieces
            .iter()
            .map(|raw| match serde_json::from_str::<Value>(raw) {
                Ok(Value::Object(record)) => from_amem(raw, &record),
                // A damaged line and a note are carried as the text they are.
                _ => json!({"kind": "amem.text", "content": raw}),
            })
            .collect();
        // Real logs use one id for several events: the later ones keep theirs under metadata only.
        let mut seen = std::collections::HashSet::new();
        for event in events.iter_mut().filter(|e| e["id"].is_string()) {
            if !seen.insert(event["id"].to_string()) {
                event["id"] = Value::Null;
            }
        }
        for ((raw, event), back) in pieces.iter().zip(&events).zip(round_trip(&events)) {
            assert_eq!(back["content"], **raw, "{name}: the raw text");
            for (key, value) in event.as_object().expect("an object").iter().filter(|(_, v)| !v.is_null()) {
                let same = match key.as_str() {
                    "ts" => back["ts"].as_str().is_some_and(|t| t[..10] == value.as_str().unwrap_or("")[..10]),
                    _ => &back[key] == value,
                };
                assert!(same || *value == json!([]), "{name}: {key} was {value} and is {}", back[key]);
            }
            lines += 1;
        }
    }
    eprintln!("figure: records and files of specification 000 carried whole: {lines}");
}

#[test]
fn every_published_event_of_specifications_003_and_004_is_carried_whole() {
    let mut carried = 0;
    for (name, text) in samples("markdown").into_iter().filter(|(name, _)| name.starts_with("CHANGELOG")) {
        let blocks = changelog_blocks(&text);
        assert!(!blocks.is_empty(), "{name} holds events");
        let events: Vec<Value> = blocks.iter().map(|block| from_changelog(block)).collect();
        for ((block, event), back) in blocks.iter().zip(&events).zip(round_trip(&events)) {
            assert_eq!(back["content"], **block, "{name}: the block's text");
            for key in ["id", "kind", "author", "agent_id", "scope", "summary", "refs", "tags", "metadata"] {
                let unsaid = event[key].is_null() || event[key] == json!([]);
                assert!(unsaid || back[key] == event[key], "{name}: {key}: {}", event[key]);
            }
            carried += 1;
        }
    }
    eprintln!("figure: changelog events of specifications 003 and 004 carried whole: {carried}");
}

/// The blocks of a changelog of either generation, without the samples that stand in fences.
fn changelog_blocks(text: &str) -> Vec<&str> {
    let (mut starts, mut fenced, mut at) = (Vec::new(), false, 0);
    for line in text.split_inclusive('\n') {
        fenced ^= line.starts_with("```");
        let dated = line.starts_with("## 2") && line.contains(" — ");
        if !fenced && (line.starts_with("### evt-") || dated) {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| text[*start..end].trim_end()).collect()
}

fn from_changelog(block: &str) -> Value {
    let heading = block.lines().next().unwrap_or_default().trim_start_matches('#').trim();
    let field = |names: [&str; 2]| {
        let line = block.lines().find_map(|l| names.iter().find_map(|n| l.strip_prefix(n)));
        line.map(|l| l.trim().to_owned())
    };
    let list = |text: Option<String>| -> Vec<String> {
        let items = text.unwrap_or_default();
        items.split(',').map(str::trim).filter(|s| !s.is_empty() && *s != "none").map(str::to_owned).collect()
    };
    let details: Map<String, Value> = block
        .lines()
        .filter_map(|l| l.strip_prefix("- ")?.split_once(": "))
        .map(|(key, value)| (key.to_owned(), value.into()))
        .collect();
    let parts: Vec<&str> = heading.split(" | ").map(str::trim).collect();
    let (id, ts, agent, kind) = match parts[..] {
        [id, ts, agent, kind] => (Some(id), ts, Some(agent), kind.to_owned()),
        _ => (None, &heading[..16], None, field(["**Type:**", "**Type**:"]).unwrap_or_default()),
    };
    json!({
        "id": id, "ts": ts, "agent_id": agent, "author": agent, "kind": kind,
        "scope": field(["**Scope**:", "**Scope:**"]),
        "summary": field(["**Summary**:", "**Summary:**"]).unwrap_or_else(|| heading.to_owned()),
        "refs": list(field(["**Refs**:", "**Refs:**"])),
        "tags": list(field(["**Tags**:", "**Tags:**"])),
        "metadata": details,
        "content": block,
    })
}
