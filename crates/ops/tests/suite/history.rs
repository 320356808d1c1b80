//! Random histories: records as agents of all five specifications would write them.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Batches of valid records. Few names, so that they meet often.
pub fn histories(batches: usize) -> impl Strategy<Value = Vec<Vec<String>>> {
    vec(vec(record(), 1..4), 1..batches)
}

fn record() -> impl Strategy<Value = String> {
    let who = of((0..3u8, prop::bool::ANY));
    let parts = (0..6usize, of(0..400i64), of(0..4usize), who, of(0..4u8), of(0..3u8), of(0..3u8));
    let rest = (vec(0..5u8, 0..3), vec(0..5u8, 0..3), of(0..5000u32), of("[a-zé 世]{0,12}"), prop::bool::ANY);
    let told = of((0..6usize, 0..4u8, 0..4u8));
    (parts, rest, told).prop_map(|(parts, (tags, refs, took, text, source), told)| {
        let (kind, minutes, status, who, trace, turn, talk) = parts;
        let mut record = Map::new();
        let mut put = |key: &str, value: Value| record.insert(key.to_owned(), value);
        let kinds = ["user_input", "actor_output", "tool_call", "tool_result", "gateway.tool_call", "decision"];
        put("kind", kinds[kind].into());
        if let Some(minutes) = minutes {
            put("ts", format!("2025-01-{:02}T{:02}:{:02}:00Z", 1 + minutes / 40, minutes % 24, minutes % 60).into());
        }
        if let Some(status) = status {
            put("status", ["success", "failure", "pending", "timeout"][status].into());
        }
        if let Some((agent, subconscious)) = who {
            put("agent_id", format!("agent{agent}").into());
            put("persona", if subconscious { "subconscious" } else { "actor" }.into());
        }
        let named = |prefix: &str, n: u8| Value::from(format!("{prefix}{n}"));
        trace.map(|n| put("trace_id", named("trace", n)));
        turn.map(|n| put("loop_id", named("loop", n)));
        talk.map(|n| put("conversation_id", named("talk", n)));
        put("tags", tags.iter().map(|n| named("tag", *n)).collect());
        put("refs", refs.iter().map(|n| named("ref", *n)).collect());
        took.map(|ms| put("metadata", json!({ "duration_ms": ms })));
        if let Some((kind, one, other)) = told {
            // An event of a changelog, about few things that stand in each other's way.
            put("kind", ["create", "modify", "blocker", "fix", "delete", "decision"][kind].into());
            put("scope", named("node", other));
            put(
                "metadata",
                json!({"entity": named("node", one), "blocked_by": named("node", other), "duration_ms": took}),
            );
        }
        text.map(|text| put("content", text.into()));
        if source {
            put("source", "proj".into());
        }
        Value::Object(record).to_string()
    })
}
