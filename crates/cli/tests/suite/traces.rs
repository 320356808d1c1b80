//! `trace` and `stats`: what took how long, where it failed, and how much there is of what.

use serde_json::{Value, json};

use super::place::{Place, number, text};

/// The workflow of specification 000, section 3.3: six events of one request, as its own writer would log them.
fn workflow() -> Vec<String> {
    let event = |time: &str, kind: &str, metadata: Value| {
        json!({"timestamp": format!("2025-01-17T{time}Z"), "trace_id": "abc123", "status": "success",
            "schema_version": "1.0", "event_type": kind, "source": "chora", "metadata": metadata})
        .to_string()
    };
    vec![
        event("12:00:00.000", "agent.session_started", json!({"agent_name": "claude-code"})),
        event("12:00:00.100", "gateway.tool_call", json!({"tool_name": "chora:generate_content"})),
        event("12:00:00.600", "backend.content_generated", json!({"duration_ms": 500})),
        event("12:00:00.720", "gateway.tool_call", json!({"tool_name": "chora:assemble_artifact"})),
        event("12:00:01.920", "backend.artifact_assembled", json!({"duration_ms": 1200})),
        event("12:00:02.000", "agent.session_ended", json!({})),
    ]
}

fn steps(trace: &Value, key: &str) -> Vec<Value> {
    trace["steps"].as_array().expect("a list").iter().map(|s| s[key].clone()).collect()
}

#[test]
fn the_workflow_of_the_specification_takes_two_seconds_and_its_slowest_step_is_the_assembly() {
    let place = Place::new();
    let mut events = workflow();
    // They may arrive in any order: what counts is when they happened.
    events.swap(0, 4);
    place.append(&events);
    let trace = place.json(&["trace", "abc123"]);
    assert_eq!((&trace["total_ms"], &trace["first_failure"]), (&json!(2000), &Value::Null));
    assert_eq!(text(&trace, "started"), "2025-01-17T12:00:00.000000Z");
    assert_eq!(text(&trace, "ended"), "2025-01-17T12:00:02.000000Z");
    assert_eq!(steps(&trace, "seq"), [5, 2, 3, 4, 1, 6]);
    assert_eq!(steps(&trace, "duration_ms"), [0, 100, 500, 120, 1200, 80]);
    assert_eq!(steps(&trace, "measured"), [false, false, true, false, true, false]);
    assert_eq!(trace["bottleneck"], 1, "the seq of the assembly");
    let shown = place.ok(&["trace", "abc123"]);
    assert_eq!(shown.lines().next(), Some("abc123  6 steps, 2.0s, from 2025-01-17 12:00:00Z"));
    let slowest: Vec<&str> = shown.lines().filter(|l| l.contains("← slowest")).collect();
    assert!(slowest.len() == 1 && slowest[0].contains("backend.artifact_assembled  1.2s"), "{shown}");
    assert!(!shown.contains("first failure"), "{shown}");
    assert_eq!(shown.lines().filter(|l| l.contains('~')).count(), 4, "what was not measured is marked: {shown}");
}

#[test]
fn the_first_step_that_failed_or_timed_out_is_marked() {
    let place = Place::new();
    let event = |second: u32, status: &str| {
        json!({"kind": "tool_call", "trace_id": "t", "ts": format!("2025-01-17T12:00:{second:02}Z"), "status": status,
            "summary": format!("step {second}")})
        .to_string()
    };
    place.append(&[event(0, "success"), event(3, "failure"), event(2, "timeout"), event(9, "success")]);
    let trace = place.json(&["trace", "t"]);
    assert_eq!((&trace["first_failure"], &trace["bottleneck"]), (&json!(3), &json!(4)));
    let shown = place.ok(&["trace", "t"]);
    let marked: Vec<&str> = shown.lines().filter(|l| l.contains("← first failure")).collect();
    assert!(marked.len() == 1 && marked[0].contains("+2.0s  ⏱ tool_call  ~2.0s  step 2"), "{shown}");
    place.run(&["trace", "unknown"]).refused(3);
}

#[test]
fn without_a_name_the_recent_traces_are_listed_the_latest_first() {
    let place = Place::new();
    place.append(&workflow());
    let other = |trace: &str, agent: &str, second: u32, status: &str| {
        json!({"kind": "tool_call", "trace_id": trace, "agent_id": agent, "status": status,
            "ts": format!("2025-01-18T12:00:{second:02}Z")})
        .to_string()
    };
    place.append(&[
        other("two", "a", 5, "failure"),
        other("three", "a", 1, "success"),
        other("two", "b", 9, "timeout"),
    ]);
    let listed = place.lines(&["trace"]);
    let of = |key: &str| listed.iter().map(|t| t[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("trace_id"), ["two", "three", "abc123"]);
    assert_eq!(of("events"), [2, 1, 6]);
    assert_eq!(of("failures"), [2, 0, 0]);
    assert_eq!(of("total_ms"), [4000, 0, 2000]);
    assert_eq!(place.lines(&["trace", "--limit", "1"]).len(), 1);
    let shown = place.ok(&["trace"]);
    assert!(shown.lines().next().is_some_and(|l| l.contains("two  2 events, 4.0s  2 failed")), "{shown}");
}

fn line(stats: &Value, by: &str, value: &str) -> (u64, Option<u64>) {
    let lines = stats[by].as_array().expect("a list");
    let found = lines.iter().find(|l| l["value"] == value).unwrap_or_else(|| panic!("no {value} in {stats}"));
    (number(&found["count"]), found["mean_duration_ms"].as_u64())
}

#[test]
fn stats_count_by_kind_status_source_agent_and_day_with_mean_durations() {
    let place = Place::new();
    place.append(&workflow());
    let more = |day: u32, status: &str, took: Value| {
        json!({"kind": "gateway.tool_call", "agent_id": "bob", "ts": format!("2025-02-{day:02}"), "status": status,
            "source": "other", "metadata": took})
        .to_string()
    };
    place.append(&[
        more(1, "failure", json!({"duration_ms": 100})),
        more(1, "success", json!({"duration_seconds": 0.3})),
        more(2, "success", json!({})),
    ]);
    let stats = place.json(&["stats"]);
    assert_eq!((number(&stats["events"]), number(&stats["as_of"])), (9, 9));
    assert_eq!(line(&stats, "by_kind", "gateway.tool_call"), (5, Some(200)), "the mean of those that say how long");
    assert_eq!(line(&stats, "by_kind", "agent.session_ended"), (1, None));
    assert_eq!(line(&stats, "by_status", "success"), (8, Some((500 + 1200 + 300) / 3)));
    assert_eq!(line(&stats, "by_status", "failure"), (1, Some(100)));
    assert_eq!(line(&stats, "by_source", "chora"), (6, Some(850)));
    assert_eq!(line(&stats, "by_agent", "bob"), (3, Some(200)));
    let days: Vec<_> = stats["by_day"].as_array().expect("a list").iter().map(|d| text(d, "value")).collect();
    assert_eq!(days, ["2025-01-17", "2025-02-01", "2025-02-02"]);
    assert_eq!(text(&stats["by_kind"][0], "value"), "gateway.tool_call", "the most frequent first");

    let since = place.json(&["stats", "--since", "2025-02-01"]);
    assert_eq!(number(&since["events"]), 3);
    assert_eq!(line(&since, "by_source", "other"), (3, Some(200)));
    let between = place.json(&["stats", "--since", "2025-01-18", "--until", "2025-02-01"]);
    assert_eq!(number(&between["events"]), 2);
    let shown = place.ok(&["stats"]);
    assert!(shown.starts_with("9 events\n\nby kind\n  gateway.tool_call"), "{shown}");
    assert!(shown.lines().any(|l| l.trim_start().starts_with("bob") && l.ends_with("3   mean 200ms")), "{shown}");
}
