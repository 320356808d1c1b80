//! `remember`: one event from a text and a flag for every field.

use serde_json::{Value, json};

use super::place::{Place, number, text};

#[test]
fn every_field_a_caller_may_set_has_a_flag() {
    let place = Place::new();
    place.ok(&["remember", "cause", "--id", "c1", "--kind", "user_input"]);
    place.ok(&["remember", "cause", "--id", "c2", "--kind", "tool_result"]);
    #[rustfmt::skip]
    let args = [
        "remember", "The build needs Node 20", "--kind", "decision", "--agent", "bob", "--persona", "subconscious",
        "--author", "ann", "--source", "gateway", "--trace", "t1", "--loop", "l1", "--conversation", "v1",
        "--scope", "build", "--summary", "Node 20", "--tag", "build", "--tag", "node", "--ref", "a.md", "--ref", "b.md",
        "--cause", "c1", "--cause", "c2", "--at", "2025-01-17T12:00:00.5+02:00", "--meta", "duration_ms=120",
        "--meta", "who=me", "--meta", "deep={\"a\":[1.50]}", "--status", "pending", "--visibility", "internal",
        "--trust", "external", "--id", "mine",
    ];
    let ack = place.json(&args);
    assert_eq!(ack, json!({"pos": 3, "id": "mine"}), "the writer is that side of the agent");
    let event = place.json(&["get", "mine"]);
    let expected = json!({
        "seq": 3, "id": "mine", "kind": "decision", "agent_id": "bob", "persona": "subconscious", "author": "ann",
        "source": "gateway", "trace_id": "t1", "loop_id": "l1", "conversation_id": "v1", "scope": "build",
        "summary": "Node 20", "content": "The build needs Node 20", "tags": ["build", "node"], "refs": ["a.md", "b.md"],
        "causes": ["c1", "c2"], "ts": "2025-01-17T10:00:00.500000Z", "status": "pending", "visibility": "internal",
        "trust": "external", "origin": "tool", "metadata": {"duration_ms": 120, "who": "me", "deep": {"a": [1.5]}},
        "recorded_at": event["recorded_at"], "hash": event["hash"], "prev_hash": event["prev_hash"],
    });
    assert_eq!(event, expected);
    let help = place.ok(&["remember", "--help"]);
    for flag in args.iter().filter(|a| a.starts_with("--")) {
        assert!(help.contains(flag), "{flag} is not in the help");
    }
}

#[test]
fn a_text_alone_is_a_memory_of_now_in_the_shared_part() {
    let place = Place::new();
    let plain = place.ok(&["remember", "  spaces and\nlines stay  "]);
    let (seq, id) = plain.trim_end().split_once(' ').expect("the seq and the id");
    assert_eq!((seq, id.len()), ("1", 36));
    let event = place.json(&["get", "1"]);
    assert_eq!(text(&event, "content"), "  spaces and\nlines stay  ");
    assert_eq!(text(&event, "kind"), "memory.remembered");
    assert_eq!(text(&event, "id"), id);
    assert_eq!(event["ts"], event["recorded_at"]);
    for absent in ["agent_id", "persona", "author", "status", "tags", "metadata"] {
        assert_eq!(event.get(absent), None, "{absent}");
    }
}

#[test]
fn what_is_derived_is_trusted_no_more_and_shown_no_wider_than_its_cause() {
    let place = Place::new();
    place.ok(&["remember", "x", "--kind", "tool_result", "--id", "tool", "--visibility", "internal"]);
    place.ok(&["remember", "y", "--cause", "tool"]);
    let event = place.json(&["get", "2"]);
    assert_eq!((text(&event, "trust"), text(&event, "visibility")), ("tool", "internal"));
    place.run(&["remember", "y", "--cause", "tool", "--trust", "user"]).refused(2);
    place.run(&["remember", "y", "--cause", "tool", "--visibility", "external"]).refused(2);
    place.run(&["remember", "y", "--kind", "tool_result", "--trust", "user"]).refused(2);
    let (what, _) = place.run(&["remember", "y", "--cause", "nothing"]).refused(2);
    assert!(what.contains("cause 'nothing' is not an event"), "{what}");
    assert_eq!(place.events(), 2);
}

#[test]
fn an_age_is_stored_as_the_moment_it_meant() {
    let place = Place::new();
    place.ok(&["remember", "x", "--at", "2h"]);
    let event = place.json(&["get", "1"]);
    let hour = |key: &str| text(&event, key)[..19].to_owned();
    let at = |key: &str| -> i64 {
        let parts: Vec<i64> = hour(key)[11..].split(':').map(|p| p.parse().expect("a number")).collect();
        parts[0] * 3600 + parts[1] * 60 + parts[2]
    };
    let apart = (at("recorded_at") - at("ts")).rem_euclid(86_400);
    assert!((7199..=7260).contains(&apart), "{apart} s between {event}");
}

#[test]
fn a_word_that_is_not_known_is_refused_with_the_known_ones() {
    let place = Place::new();
    for (flag, known) in [
        ("--kind", "user_input, actor_output"),
        ("--status", "success, failure, pending, timeout"),
        ("--visibility", "external, internal"),
        ("--trust", "user, agent, tool, external"),
    ] {
        let (what, hint) = place.run(&["remember", "x", flag, "banana"]).refused(2);
        assert!(what.contains("'banana' is not known") && hint.contains(known), "{flag}: {what} / {hint}");
    }
    let (what, hint) = place.run(&["remember", "x", "--agent", "a", "--persona", "ego"]).refused(2);
    assert!(what.contains("'ego'") && hint.contains("actor, subconscious"), "{what} / {hint}");
    for wrong in [
        &["--persona", "actor"][..],
        &["--meta", "novalue"],
        &["--meta", "=x"],
        &["--meta", "a=1", "--meta", "a=2"],
        &["--at", "someday"],
        &["--at", "3m"],
        &["--id", ""],
        &["--agent", ""],
    ] {
        place.run(&[&["remember", "x"], wrong].concat()).refused(2);
    }
    assert_eq!(place.events(), 0);
}

#[test]
fn an_id_makes_a_retry_harmless_and_other_content_a_conflict() {
    let place = Place::new();
    let once =
        |content: &str, more: &[&str]| place.run(&[&["--json", "remember", content, "--id", "k"], more].concat());
    let first: Value = serde_json::from_str(&once("x", &[]).ok()).expect("JSON");
    let again: Value = serde_json::from_str(&once("x", &[]).ok()).expect("JSON");
    assert_eq!(first, again);
    assert_eq!(number(&once("y", &[]).refused_json(4)["seq"]), 1);
    once("y", &["--agent", "bob"]).ok();
    once("y", &["--agent", "bob", "--persona", "subconscious"]).ok();
    once("z", &["--agent", "bob"]).refused_json(4);
    assert_eq!(place.events(), 3, "an id is unique for each agent and persona");
    place.run(&["remember", "a", "--expect", "2"]).refused(4);
    place.ok(&["remember", "a", "--expect", "3"]);
    assert_eq!(once("x", &["--expect", "1"]).ok().trim_end(), r#"{"seq":1,"id":"k"}"#, "a retry gets its answer");
}
