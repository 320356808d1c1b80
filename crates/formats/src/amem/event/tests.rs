//! Every published shape, and the way back.

use idetic_core::Time;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const AT: SourcePosition = SourcePosition { line: 7, occurrence: 1 };

fn record(raw: &str) -> Value {
    let incoming = read(raw, &AT).expect(raw);
    let record: Value = serde_json::from_str(&incoming.record).expect("JSON");
    assert_eq!(record["id"], incoming.id.as_str());
    record
}

fn rewritten(incoming: &Incoming) -> String {
    exported(&incoming.id, &incoming.record)
}

fn exported(id: &str, body: &str) -> String {
    write(&Exported { id, recorded_at: Time(1_700_000_000_000_000), body, source: "default" }).expect(body)
}

const SEED: &str = r#"{"timestamp": "2025-01-17T12:00:00.123Z", "trace_id": "abc123", "status": "success", "schema_version": "1.0", "event_type": "gateway.tool_call", "source": "project-name", "metadata": {"tool_name": "example:tool_name", "backend": "example-backend", "duration_ms": 1234}}"#;

#[test]
fn the_document_s_own_event_comes_in_as_it_is_and_leaves_as_it_came() {
    let incoming = read(SEED, &AT).expect("reads");
    assert_eq!((incoming.shape, incoming.remarks.len()), (Shape::A, 0));
    let record = record(SEED);
    assert_eq!(record["kind"], "gateway.tool_call");
    assert_eq!(record["ts"], "2025-01-17T12:00:00.123Z");
    assert_eq!(
        record["metadata"],
        json!({"tool_name": "example:tool_name", "backend": "example-backend", "duration_ms": 1234})
    );
    assert!(record["content"].as_str().is_some_and(|c| c.contains("example-backend")));
    assert_eq!(rewritten(&incoming), SEED);
    // Another layout of the same object is the same event.
    let spread = SEED.replace(", ", ",\n  ");
    assert_eq!(read(&spread, &AT).expect("reads").id, incoming.id);
    // The second of two equal ones is another event, and says so.
    let second = read(SEED, &SourcePosition { line: 8, occurrence: 2 }).expect("reads");
    assert_ne!(second.id, incoming.id);
    let line = rewritten(&second);
    assert_eq!(read(&line, &AT).expect("reads").record, second.record);
}

#[test]
fn every_shape_is_told_apart_and_has_its_fields_in_place() {
    let cases = [
        (
            Shape::B,
            r#"{"event_id":"evt-1","timestamp":"2025-11-04T16:00:00Z","actor":"claude-code","action":"implement_sap_010_structure","outcome":"in_progress","duration_minutes":30,"metadata":{"status":"directory structure"},"trace_id":"t"}"#,
            json!({"kind":"amem.implement_sap_010_structure","status":"pending","author":"claude-code","source":"claude-code","trace_id":"t"}),
        ),
        (
            Shape::B,
            r#"{"event_id":"s","timestamp":"2025-11-04T14:58:14.411364","actor":"automation-script","action":"script_invocation_demo.py","metadata":{},"outcome":"success"}"#,
            json!({"kind":"amem.script_invocation_demo-py","status":"success","ts":"2025-11-04T14:58:14.411364Z"}),
        ),
        (
            Shape::C,
            r##"{"event_type":"sap_adoption","timestamp":"2025-11-05T15:30:00Z","project":"alpha","notes":"L1 Basic adoption","tags":["sap-028","#demo"],"status":"L3 Pilot (x)"}"##,
            json!({"kind":"amem.sap_adoption","source":"alpha","content":"L1 Basic adoption\nproject: alpha","tags":["sap-028","demo"]}),
        ),
        (
            Shape::D,
            r#"{"event_type":"milestone_completed","timestamp":"2025-11-21T02:15:00Z","trace_id":"c","description":"Phase 2.1 done","context":{"phase":"2.1"},"metadata":{"tags":["x"]}}"#,
            json!({"kind":"amem.milestone_completed","content":"Phase 2.1 done","trace_id":"c","tags":["x"]}),
        ),
        (
            Shape::E,
            r#"{"event_type":"knowledge_query","timestamp":"2025-11-05T22:50:18.259527Z","query":"SAP-010 adoption","results_count":0,"results":[],"session_id":"2025-11-05-22","tags":["a-mem"]}"#,
            json!({"kind":"amem.knowledge_query","conversation_id":"2025-11-05-22","content":"SAP-010 adoption"}),
        ),
        (
            Shape::F,
            r#"{"timestamp":"2025-11-04T21:14:10.911374","evaluation_type":"quick","sap_id":"SAP-001","sap_name":"inbox","duration_seconds":7.8e-05}"#,
            json!({"kind":"amem.quick","ts":"2025-11-04T21:14:10.911374Z","content":"quick: sap id SAP-001, sap name inbox, duration seconds 7.8e-05"}),
        ),
        (
            Shape::G,
            r#"{"timestamp":"2025-11-04","event":"gateway.started","status":"success","trace_id":"t"}"#,
            json!({"kind":"gateway.started","ts":"2025-11-04T00:00:00.000000Z","status":"success"}),
        ),
        (
            Shape::H,
            r#"{"event_type":"x","timestamp":"2025-11-04T00:00:00Z","data":{"message":"hello","n":1}}"#,
            json!({"kind":"amem.x","content":"hello"}),
        ),
        (
            Shape::Trace,
            r#"{"trace_id":"o","start_time":"2025-11-04T13:00:00Z","end_time":"2025-11-04T16:30:00Z","actor":"c","events":["evt-5"],"outcome":"in_progress","summary":"Option B","knowledge_generated":["n"],"tags":["t"]}"#,
            json!({"kind":"amem.trace","ts":"2025-11-04T16:30:00.000000Z","status":"pending","refs":["evt-5","n"],"content":"Option B"}),
        ),
    ];
    for (shape, raw, wanted) in cases {
        let incoming = read(raw, &AT).expect(raw);
        assert_eq!(incoming.shape, shape, "{raw}");
        let record = record(raw);
        for (key, value) in wanted.as_object().expect("an object") {
            assert_eq!(&record[key], value, "{key} of {raw}");
        }
        assert_eq!(record["metadata"]["_amem"]["raw"], raw, "the text is kept");
        let line = rewritten(&incoming);
        assert!(line.starts_with("{\"timestamp\": \"2025-11-"), "{line}");
        let back = read(&line, &AT).expect("reads");
        assert_eq!((back.record, back.shape), (incoming.record, Shape::Own));
    }
}

#[test]
fn what_has_no_place_is_under_metadata_and_nothing_is_overwritten() {
    let record = record(
        r#"{"event_type":"a","timestamp":"2025-11-04T00:00:00Z","status":"odd","z":1.50,"metadata":{"status":"inner","y":2}}"#,
    );
    assert_eq!(record["metadata"]["status"], "inner");
    assert_eq!(record["metadata"]["_amem"]["top"], json!({"status": "odd"}));
    assert_eq!((&record["metadata"]["z"], &record["metadata"]["y"]), (&json!(1.5), &json!(2)));
    assert_eq!(record["status"], Value::Null);
}

#[test]
fn assumptions_about_times_are_said() {
    for (time, word) in [
        ("\"2025-11-04T21:14:10\"", "naive"),
        ("\"2025-11-04\"", "date"),
        ("1762290000", "number"),
        ("\"soon\"", "unreadable"),
        ("null", "missing"),
    ] {
        let raw = format!("{{\"event_type\":\"a\",\"timestamp\":{time}}}");
        let incoming = read(&raw, &AT).expect("reads");
        assert_eq!(incoming.remarks.len(), 1, "{raw}");
        assert_eq!(record(&raw)["metadata"]["_amem"]["time"], word);
    }
    let naive = SEED.replace(".123Z", "");
    let incoming = read(&naive, &AT).expect("reads");
    assert_eq!((incoming.remarks.len(), rewritten(&incoming)), (1, naive));
}

#[test]
fn what_is_no_event_is_a_problem_with_its_line() {
    for raw in [
        r#"{"a":1}"#,
        r#"{"event_type":"x","event_type":"y"}"#,
        r#"{"event_type":NaN}"#,
        "{}",
        r#"{"event_type":"\ud800"}"#,
    ] {
        let problem = read(raw, &AT).expect_err(raw);
        assert!(problem.line == 7 && problem.loses && problem.raw == raw, "{problem:?}");
    }
}

#[test]
fn what_is_too_large_or_too_deep_for_metadata_is_carried_as_its_text() {
    let large = format!(r#"{{"event_type":"big","timestamp":"2025-11-04T00:00:00Z","blob":"{}"}}"#, "x".repeat(70_000));
    let deep = format!(
        r#"{{"event_type":"deep","timestamp":"2025-11-04T00:00:00Z","d":{}1{}}}"#,
        "[".repeat(60),
        "]".repeat(60)
    );
    for raw in [large, deep] {
        let record = record(&raw);
        assert_eq!(record["content"], raw.as_str());
        assert_eq!(record["metadata"]["_amem"]["raw_in"], "content");
        assert_eq!(record["ts"], "2025-11-04T00:00:00.000000Z");
    }
    let huge = format!(r#"{{"event_type":"big","blob":"{}"}}"#, "x".repeat(2 << 20));
    assert!(read(&huge, &AT).expect_err("too large for any field").reason.contains("content"));
}

#[test]
fn a_record_of_ours_is_filled_in_for_the_schema_and_read_back_without_it() {
    let line = exported("m1", r#"{"kind":"user_input","content":"Which Node?","loop_id":"L","author":"ann"}"#);
    assert_eq!(
        line,
        r#"{"timestamp": "2023-11-14T22:13:20.000000Z", "trace_id": "L", "status": "success", "schema_version": "1.0", "event_type": "memory.user_input", "source": "default", "metadata": {"_idetic": {"v": 1, "id": "m1", "kind": "user_input", "author": "ann", "loop_id": "L", "content": "Which Node?", "defaulted": ["trace_id", "status", "schema_version", "source", "metadata"]}}}"#
    );
    let back = record(&line);
    assert_eq!(
        back,
        json!({"id":"m1","ts":"2023-11-14T22:13:20.000000Z","kind":"user_input","author":"ann","loop_id":"L","content":"Which Node?"})
    );
    // A metadata that uses our key is kept whole.
    let odd = exported("m2", r#"{"kind":"note.written","metadata":{"_idetic":{"id":"evil"},"b":1}}"#);
    assert_eq!(record(&odd)["metadata"], json!({"_idetic":{"id":"evil"},"b":1}));
    assert_eq!(record(&odd)["id"], "m2");
}

#[test]
fn an_event_of_ours_that_was_spoilt_is_a_problem() {
    let line = exported("m1", r#"{"kind":"user_input","content":"x"}"#);
    for (from, to) in [
        ("\"id\": \"m1\"", "\"id\": 5"),
        ("\"user_input\"", "\"nonsense\""),
        ("[\"trace_id\"", "[1"),
        ("\"v\": 1", "\"persona\": \"ego\""),
    ] {
        assert!(read(&line.replace(from, to), &AT).is_err(), "{to}");
    }
    let added = read(&line.replace("\"source\": \"default\"", "\"source\": \"default\", \"mood\": \"good\""), &AT)
        .expect("reads");
    assert_eq!(added.remarks.len(), 1);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{1,12}", "\\PC{1,12}", "[\"\\\\{}:,é\n]{1,8}"]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any_text().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4).prop_map(|m| m.into_iter().collect()),
        ]
    })
}

fn any_record() -> impl Strategy<Value = Value> {
    let maybe = |s: BoxedStrategy<Value>| prop::option::of(s);
    let text = || any_text().prop_map(Value::from).boxed();
    let list = || prop::collection::vec(any_text(), 1..3).prop_map(Value::from).boxed();
    let object = prop::collection::btree_map(
        prop_oneof!["[a-z]{1,6}", Just("_idetic".to_owned()), Just("_amem".to_owned())],
        any_json(),
        0..4,
    )
    .prop_map(|m| m.into_iter().collect::<Value>());
    let names = (
        maybe(text()),
        maybe(text()),
        maybe(text()),
        maybe(text()),
        maybe(text()),
        maybe(text()),
        maybe(list()),
        maybe(list()),
    );
    let status = prop_oneof![Just("success"), Just("failure"), Just("timeout")].prop_map(Value::from).boxed();
    let kind = prop_oneof![Just("user_input"), Just("gateway.tool_call"), Just("error"), Just("amem.x")];
    (kind, names, maybe(status), maybe(object.boxed()), prop::bool::ANY).prop_map(
        |(kind, n, status, metadata, timed)| {
            let mut all = serde_json::Map::new();
            all.insert("kind".to_owned(), kind.into());
            let fields = [
                ("author", n.0),
                ("source", n.1),
                ("trace_id", n.2),
                ("loop_id", n.3),
                ("conversation_id", n.4),
                ("content", n.5),
                ("tags", n.6),
                ("refs", n.7),
                ("status", status),
                ("metadata", metadata),
            ];
            all.extend(fields.into_iter().filter_map(|(k, v)| Some((k.to_owned(), v?))));
            if timed {
                all.insert("ts".to_owned(), "2025-01-17T12:00:00+02:00".into());
            }
            Value::Object(all)
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_reads_back_as_the_same_record(body in any_record(), id in "[a-z0-9-]{1,20}") {
        let line = exported(&id, &body.to_string());
        prop_assert!(!line.contains('\n'));
        let back = read(&line, &AT).expect("our own line reads");
        prop_assert_eq!(&back.id, &id);
        let mut wanted = body.clone();
        wanted["id"] = id.clone().into();
        let mut got: Value = serde_json::from_str(&back.record).expect("JSON");
        if body.get("ts").is_none() {
            got.as_object_mut().expect("an object").remove("ts");
        }
        prop_assert_eq!(got, wanted);
        prop_assert_eq!(rewritten(&back), line);
    }

    #[test]
    fn any_object_is_an_event_or_a_problem_and_a_written_event_stays_as_it_is(
        keys in prop::collection::btree_map(prop_oneof![
            Just("event_type"), Just("timestamp"), Just("trace_id"), Just("status"), Just("source"), Just("schema_version"), Just("metadata"),
            Just("action"), Just("actor"), Just("event"), Just("outcome"), Just("data"), Just("context"), Just("tags"), Just("session_id"),
            Just("evaluation_type"), Just("start_time"), Just("events"), Just("_amem"), Just("free"),
        ], prop_oneof![any_json(), Just(json!("2025-11-04T10:00:00")), Just(json!("gateway.tool_call")), Just(json!("success"))], 0..8),
    ) {
        let raw = keys.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Value>().to_string();
        if let Ok(incoming) = read(&raw, &AT) {
            prop_assert!(Record::parse(incoming.record.as_bytes()).is_ok());
            let line = rewritten(&incoming);
            let back = read(&line, &AT).expect("our own line reads");
            prop_assert_eq!(&back.id, &incoming.id);
            prop_assert_eq!(rewritten(&back), line);
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,60}|\\{[\\PC\"]{0,40}\\}") {
        let _ = read(&text, &AT);
    }
}

#[test]
fn a_new_note_is_knowledge_learned_and_comes_back_as_a_note() {
    let body = r#"{"kind":"note.written","content":"text","metadata":{"note":"n","confidence":"high","tags":["a"]}}"#;
    let event = Exported { id: "e1", recorded_at: Time(0), body, source: "default" };
    let line = write(&event).expect("writes");
    assert!(line.contains(r#""event_type": "agent.knowledge_learned""#), "{line}");
    assert!(
        line.contains(r#""metadata": {"note_id": "n", "note": "n", "confidence": "high", "tags": ["a"]"#),
        "{line}"
    );
    let back = read(&line, &SourcePosition { line: 1, occurrence: 1 }).expect("reads");
    assert!(back.record.contains(r#""kind": "note.written""#) && !back.record.contains("note_id"), "{}", back.record);
    let bare = r#"{"kind":"note.written","content":"text","tags":["t"],"metadata":{"note":"n"}}"#;
    let line = write(&Exported { id: "e3", body: bare, ..event }).expect("writes");
    assert!(line.contains(r#""metadata": {"note_id": "n", "confidence": null, "tags": ["t"], "note": "n""#), "{line}");
    let back = read(&line, &AT).expect("reads").record;
    assert!(!back.contains("note_id") && !back.contains("confidence"), "what was filled in is undone: {back}");
    let later = body.replace("\"note\":", "\"supersedes\":\"e1\",\"note\":");
    let line = write(&Exported { id: "e2", body: &later, ..event }).expect("writes");
    assert!(line.contains(r#""event_type": "note.written""#), "only the first time: {line}");
}
