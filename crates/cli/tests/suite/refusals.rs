//! Bad input never appends anything of its batch, and says where it stands and what is wrong with it.

use serde_json::json;

use super::place::{Answer, Place, json_lines, said, text};

/// A line that must be refused.
struct Bad {
    /// What is wrong with it.
    name: &'static str,
    /// Its bytes.
    line: Vec<u8>,
    /// The exit code.
    code: i32,
    /// What the message must name.
    what: &'static str,
    /// What the advice must name.
    hint: &'static str,
}

fn bad(name: &'static str, line: impl Into<Vec<u8>>, what: &'static str, hint: &'static str) -> Bad {
    Bad { name, line: line.into(), code: 2, what, hint }
}

fn record(more: &str) -> String {
    format!("{{\"kind\":\"user_input\",{more}}}")
}

fn nested(depth: usize) -> String {
    record(&format!("\"metadata\":{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)))
}

/// Everything the log refuses, for its form, its words or its size.
fn malformed() -> Vec<Bad> {
    let assigned = ["seq", "hash", "prev_hash", "recorded_at"];
    let mut all = vec![
        bad("an unknown kind", r#"{"kind":"banana"}"#, "kind 'banana' is not known", "known kinds: user_input"),
        bad("no kind", r#"{"content":"x"}"#, "kind is missing", "session"),
        bad("a bad time", record(r#""ts":"yesterday""#), "ts: 'yesterday' is not a time", "2025-01-17T12:00:00Z"),
        bad("a day that never was", record(r#""ts":"2025-02-30""#), "'2025-02-30' is not a time", "ISO 8601"),
        bad("a number for a time", record(r#""ts":1700000000"#), "ts must be a string", ""),
        bad("broken JSON", r#"{"kind":"user_input","#, "not a JSON object", "one JSON object on one line"),
        bad("a list", "[1,2]", "not a JSON object", "one JSON object on one line"),
        bad("two objects", format!("{0}{0}", said("x")), "not a JSON object", "one JSON object on one line"),
        bad("invalid UTF-8", b"{\"kind\":\"error\",\"content\":\"\xff\"}".as_slice(), "not UTF-8: byte 28", "UTF-8"),
        bad("a duplicate key", record(r#""kind":"error""#), "kind is given twice", "keep one"),
        bad("a deep duplicate", record(r#""metadata":{"a":{"b":1,"\u0062":2}}"#), "key 'b' is given twice", "keep one"),
        bad("two spellings", record(r#""ts":"2025-01-17","timestamp":"2025-01-18""#), "ts is given twice", "spellings"),
        bad("content over the limit", said(&"x".repeat((1 << 20) + 1)), "content is 1048577 bytes", "1048576 bytes"),
        bad(
            "a summary over the limit",
            record(&format!("\"summary\":\"{}\"", "x".repeat(65537))),
            "summary is",
            "65536",
        ),
        bad("a long name", record(&format!("\"author\":\"{}\"", "x".repeat(1025))), "author is 1025 bytes", "1024"),
        bad(
            "much metadata",
            record(&format!("\"metadata\":{{\"a\":\"{}\"}}", "x".repeat(65536))),
            "metadata is",
            "65536",
        ),
        bad("deep metadata", nested(33), "metadata is nested 33 deep", "at most 32"),
        bad("very deep metadata", nested(5000), "metadata is nested 5000 deep", "at most 32"),
        bad("metadata that is no object", record(r#""metadata":[1]"#), "metadata must be an object", ""),
        bad(
            "a long record",
            record(&format!("\"content\":\"{}\"", "\\u0041".repeat(1_400_000))),
            "8400034 bytes",
            "8388608",
        ),
        bad("an unknown field", record(r#""colour":"red""#), "field 'colour' is not known", "under metadata"),
        bad("an unknown status", record(r#""status":"meh""#), "status 'meh' is not known", "success, failure"),
        bad("a persona of nobody", record(r#""persona":"actor""#), "persona is given without agent_id", "agent"),
        bad("an empty id", record(r#""id":"""#), "id '' is empty", "leave id out"),
        bad("tags that are no list", record(r#""tags":"a""#), "tags must be a list of strings", ""),
    ];
    all.extend(assigned.map(|name| Bad {
        name,
        line: record(&format!("\"{name}\":1")).into(),
        code: 2,
        what: "is assigned by the log",
        hint: "idetic import",
    }));
    all
}

fn check(bad: &Bad, answer: &Answer, place: &str) {
    let (what, hint) = answer.refused(bad.code);
    assert!(what.contains(place), "{}: no '{place}' in: {what}", bad.name);
    assert!(what.contains(bad.what), "{}: no '{}' in: {what}", bad.name, bad.what);
    assert!(hint.contains(bad.hint), "{}: no '{}' in: {hint}", bad.name, bad.hint);
    assert!(what.len() + hint.len() < 2000, "{}: nobody reads {} bytes", bad.name, what.len() + hint.len());
}

#[test]
fn a_malformed_line_refuses_its_file_and_leaves_no_event() {
    let place = Place::new();
    place.append(&[said("before")]);
    for bad in malformed() {
        let good = format!("{}\n", said("good")).repeat(2).into_bytes();
        let file = place.write("bad.jsonl", [&good[..], &bad.line, b"\n", &good].concat());
        let answer = place.run(&["append", &file]);
        check(&bad, &answer, "line 3");
        assert_eq!(answer.out, "", "{}: something was acknowledged", bad.name);
        assert_eq!(place.events(), 1, "{}: something was appended", bad.name);
    }
    place.verify();
}

#[test]
fn a_malformed_line_of_a_stream_leaves_only_what_was_acknowledged_before() {
    let place = Place::new();
    let mut there = 0;
    for bad in malformed() {
        let good = format!("{}\n", said("good")).repeat(2).into_bytes();
        let answer = place.feed(&["append", "-"], [&good[..], &bad.line, b"\n", &good].concat());
        check(&bad, &answer, "line 3");
        // A long line may come in pieces, and then what stands before it was at hand alone.
        let acknowledged = json_lines(&answer.out).len() as u64;
        let stands = if acknowledged == 0 { "nothing was appended" } else { "everything up to line 2 is appended" };
        assert!(acknowledged == 0 || acknowledged == 2, "{}", bad.name);
        assert!(answer.err.contains(stands), "{}: no '{stands}' in {}", bad.name, answer.err);
        there += acknowledged;
        assert_eq!(place.events(), there, "{}", bad.name);
    }
    place.verify();
}

#[test]
fn an_id_used_again_with_other_content_leaves_no_event() {
    let place = Place::new();
    place.append(&[json!({"id": "mine", "kind": "user_input", "content": "x"}).to_string()]);
    let reused = json!({"id": "mine", "kind": "user_input", "content": "y"}).to_string();
    let lines = format!("{}\n{}\n{reused}\n", said("a"), said("b"));
    let file = place.write("bad.jsonl", &lines);
    for answer in [place.run(&["append", &file]), place.feed(&["append", "-"], &lines)] {
        let bad = Bad { name: "reused", line: vec![], code: 4, what: "'mine' belongs to event 1", hint: "another id" };
        check(&bad, &answer, "lines 1 to 3");
        assert_eq!(answer.out, "");
        assert_eq!(place.events(), 1);
    }
}

#[test]
fn what_is_just_within_the_limits_is_taken() {
    let place = Place::new();
    let content = "x".repeat(1 << 20);
    let escaped = record(&format!("\"content\":\"{}\"", "\\u0041".repeat(1 << 20)));
    let metadata = record(&format!("\"metadata\":{{\"a\":\"{}\"}}", "x".repeat(65536 - 8)));
    let names = record(&format!("\"id\":\"{0}\",\"author\":\"{0}\"", "x".repeat(1024)));
    let lines = [said(&content), escaped, metadata, names, nested(32)];
    assert_eq!(place.append(&lines), [1, 2, 3, 4, 5]);
    assert_eq!(text(&place.json(&["get", "1"]), "content"), content);
    assert_eq!(text(&place.json(&["get", "2"]), "content"), "A".repeat(1 << 20));
    assert_eq!(place.lines(&["log"]).len(), 5);
    place.verify();
}

#[test]
fn the_message_lists_every_known_kind() {
    let place = Place::new();
    let (_, hint) = place.feed(&["append", "-"], "{\"kind\":\"banana\"}\n").refused(2);
    #[rustfmt::skip]
    let kinds = [
        "user_input", "actor_output", "tool_call", "tool_result", "subconscious_prompt", "subconscious_output",
        "system_event", "error", "feedback", "decision", "create", "modify", "delete", "test", "fix", "dependency",
        "blocker", "milestone", "escalation", "handoff", "archive", "change", "result", "session",
    ];
    for kind in kinds {
        assert!(hint.contains(kind), "{kind} is not in {hint}");
        place.append(&[json!({"kind": kind}).to_string()]);
    }
    place.append(&[r#"{"event_type":"gateway.tool_call"}"#, r#"{"kind":"tool_output"}"#]);
    assert_eq!(place.events(), 26);
}
