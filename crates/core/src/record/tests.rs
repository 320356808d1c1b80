//! What a record may be, and how each wrong one is refused.

use super::*;
use crate::policy;
use crate::words::{Persona, Status, Visibility};

fn refusal(record: &str) -> String {
    Record::parse(record.as_bytes()).expect_err(record).message
}

#[test]
fn a_full_record_is_read_and_its_bytes_are_kept() {
    let line = r#"{"ts":"2025-01-17T12:00:00Z", "kind":"gateway.tool_call","status":"failure","agent_id":"a","persona":"subconscious","visibility":"internal","author":"ann","source":"proj","trace_id":"t","loop_id":"l","conversation_id":"c","scope":"s","summary":"sum","content":"é \u00e9","refs":["r"],"tags":["x","y"],"metadata":{"z":1.10,"a":1e400},"trust":"tool","causes":["e1"],"id":"mine"}"#;
    let record = Record::parse(line.as_bytes()).expect("valid");
    let fields = Fields::read(&record.body).expect("valid");
    assert_eq!(record.body, line);
    assert_eq!(fields.status, Some(Status::Failure));
    assert_eq!((fields.persona, fields.visibility), (Some(Persona::Subconscious), Some(Visibility::Internal)));
    assert_eq!(fields.content.as_deref(), Some("é é"));
    assert_eq!(fields.metadata.as_ref().map(|m| m.get()), Some(r#"{"z":1.10,"a":1e400}"#), "numbers as received");
    assert_eq!(fields.tags, ["x", "y"]);
}

#[test]
fn the_event_of_specification_000_is_a_record_as_it_stands() {
    let record = Record::parse(
        br#"{"timestamp": "2025-01-17T12:00:00.123Z", "trace_id": "abc123", "status": "success", "schema_version": "1.0",
  "event_type": "gateway.tool_call", "source": "project-name", "metadata": {"duration_ms": 1234}}"#,
    )
    .expect("valid");
    assert_eq!(record.claim.kind, "gateway.tool_call");
    assert_eq!(
        Fields::read(&record.body).expect("valid").ts.map(|t| t.to_string()).as_deref(),
        Some("2025-01-17T12:00:00.123000Z")
    );
    assert!(!record.body.contains('\n'), "one line");
}

#[test]
fn each_wrong_record_is_refused_by_name() {
    for (record, named) in [
        ("", "not a JSON object"),
        ("[1]", "not a JSON object"),
        (r#"{"kind":"test""#, "not a JSON object"),
        (r#"{"kind":"test"} x"#, "not a JSON object"),
        (r#"{}"#, "kind is missing"),
        (r#"{"kind":"banana"}"#, "kind 'banana' is not known"),
        (r#"{"kind":"test","ts":"soon"}"#, "ts: 'soon' is not a time"),
        (r#"{"kind":"test","ts":5}"#, "ts must be a string, not 5"),
        (r#"{"kind":"test","tags":"a"}"#, "tags must be a list of strings"),
        (r#"{"kind":"test","metadata":[1]}"#, "metadata must be an object"),
        (r#"{"kind":"test","status":"ok"}"#, "status 'ok' is not known"),
        (r#"{"kind":"test","kind":"test"}"#, "kind is given twice"),
        (r#"{"kind":"test","event_type":"test"}"#, "kind is given twice, once as 'event_type'"),
        (r#"{"kind":"test","metadata":{"a":1,"a":2}}"#, "key 'a' is given twice"),
        (r#"{"kind":"test","metadata":{"x":[{"a":1,"\u0061":2}]}}"#, "key 'a' is given twice"),
        (r#"{"kind":"test","nothing":null,"nothing":null}"#, "nothing is given twice"),
        (r#"{"kind":"test","schema_version":{"a":1}}"#, "schema_version must be a string or a number"),
        (r#"{"kind":"test","persona":"actor"}"#, "persona is given without agent_id"),
        (r#"{"kind":"test","agent_id":""}"#, "agent_id is empty"),
        (r#"{"kind":"test","agent":"a"}"#, "field 'agent' is not known"),
        (r#"{"kind":"test","seq":1}"#, "seq is assigned by the log"),
        (r#"{"kind":"test","hash":"x"}"#, "hash is assigned by the log"),
        (r#"{"kind":"test","id":""}"#, "id '' is empty"),
        (r#"{"kind":"test","id":"a\u0000"}"#, "control characters"),
        (r#"{"kind":"test","tags":[""]}"#, "tags has an empty entry"),
        (r#"{"kind":"tool_output","trust":"user"}"#, "trust 'user' is higher than a tool_result can have"),
    ] {
        let message = refusal(record);
        assert!(message.contains(named), "{record}: {message}");
    }
    assert!(Record::parse(b"{\"kind\":\"test\",\"content\":\"\xff\"}").expect_err("bytes").message.contains("byte 27"));
}

#[test]
fn limits_hold_to_the_byte() {
    let content = |n: usize| format!(r#"{{"kind":"test","content":"{}"}}"#, "x".repeat(n));
    assert!(Record::parse(content(limits::CONTENT_MAX_BYTES).as_bytes()).is_ok());
    assert!(refusal(&content(limits::CONTENT_MAX_BYTES + 1)).starts_with("content is 1048577 bytes"));
    let nested = |n: usize| format!(r#"{{"kind":"test","metadata":{}1{}}}"#, r#"{"a":"#.repeat(n), "}".repeat(n));
    assert!(Record::parse(nested(limits::METADATA_MAX_DEPTH).as_bytes()).is_ok());
    assert!(refusal(&nested(limits::METADATA_MAX_DEPTH + 1)).contains("33 deep"));
    assert!(refusal(&nested(5000)).contains("5000 deep"));
    let nulls: Vec<String> = (0..64).map(|n| format!(r#","n{n}":null"#)).collect();
    assert!(Record::parse(format!(r#"{{"kind":"test"{}}}"#, nulls[1..].concat()).as_bytes()).is_ok());
    assert_eq!(refusal(&format!(r#"{{"kind":"test"{}}}"#, nulls.concat())), "the record has 65 fields");
    let id = |n: usize| format!(r#"{{"kind":"test","id":"{}"}}"#, "x".repeat(n));
    assert!(Record::parse(id(limits::NAME_MAX_BYTES).as_bytes()).is_ok());
    assert!(refusal(&id(limits::NAME_MAX_BYTES + 1)).starts_with("id is 1025 bytes"));
}

#[test]
fn null_is_not_said() {
    let record = Record::parse(br#"{"kind":"test","agent_id":null,"tags":null,"metadata":null}"#).expect("valid");
    let fields = Fields::read(&record.body).expect("valid");
    assert!(fields.agent_id.is_none() && fields.tags.is_empty() && fields.metadata.is_none());
}

#[test]
fn what_the_receiver_supplies_stands_at_the_end() {
    let mut record = Record::parse(br#"{"kind":"test","content":"}"}"#).expect("valid");
    record.supply("trust", "tool").expect("valid");
    assert_eq!(record.body, r#"{"kind":"test","content":"}","trust":"tool"}"#);
    assert_eq!(record.claim.trust, Some(Trust::Tool));
}

#[test]
fn an_id_is_unique_within_one_agent_and_persona() {
    let key = |who: &str| {
        Record::parse(format!(r#"{{"kind":"test","id":"x"{who}}}"#).as_bytes()).expect("valid").claim.id_key()
    };
    let (shared, actor) = (key(""), key(r#","agent_id":"a""#));
    assert_eq!(actor, key(r#","agent_id":"a","persona":"actor""#));
    assert!(shared != actor && actor != key(r#","agent_id":"a","persona":"subconscious""#));
}

#[test]
fn the_same_content_is_the_same_whatever_the_spelling() {
    assert!(same_content(r#"{"a":1,"b":2}"#, r#"{ "b":2, "a":1 }"#));
    assert!(!same_content(r#"{"a":1}"#, r#"{"a":2}"#));
    assert!(same_content(r#"{"a":["\u0061",{"x":null}]}"#, r#"{"a" : [ "a", {"x" : null} ]}"#));
    // As floats these would be the same number.
    assert!(!same_content(r#"{"n":123456789012345678901}"#, r#"{"n":123456789012345678902}"#));
    assert!(!same_content(r#"{"a":1}"#, r#"{"a":1,"b":1}"#) && !same_content(r#"{"a":[]}"#, r#"{"a":{}}"#));
}

#[test]
fn a_body_that_was_dated_is_known_by_what_was_handed_in() {
    let when = Time(1_767_225_600_123_456);
    let said = r#"{"kind":"change","content":"x"}"#;
    let dated = dated(said.to_owned(), when);
    assert_eq!(dated, r#"{"kind":"change","content":"x","ts":"2026-01-01T00:00:00.123456Z"}"#);
    assert_eq!(Fields::read(&dated).map(|fields| fields.ts), Ok(Some(when)));
    assert!(is_retry(&dated, said) && is_retry(&dated, &dated) && is_retry(said, said));
    assert!(is_retry(&dated, r#"{ "content":"x", "kind":"change" }"#));
    assert!(!is_retry(&dated, r#"{"kind":"change","content":"y"}"#));
    assert!(!is_retry(said, &dated), "a time that only the retry tells is something new");
    let inside = r#"{"kind":"change","metadata":{"a":1,"ts":"2026-01-01T00:00:00.123456Z"}}"#;
    assert!(!is_retry(inside, r#"{"kind":"change","metadata":{"a":1}}"#));
    // Said to be nothing: a second field of that name could not be read.
    for without_room in [r#"{"kind":"change","ts":null}"#, r#"{"kind":"change","timestamp":null}"#] {
        assert_eq!(super::dated(without_room.to_owned(), when), without_room);
    }
}

#[test]
fn what_the_subconscious_says_is_never_the_actors() {
    let admitted = |body: &str| policy::admit(Record::parse(body.as_bytes()).expect("a record"));
    for kind in ["subconscious_output", "subconscious_prompt"] {
        for said in ["", r#","persona":null"#, r#","persona":"subconscious""#] {
            let body = format!(r#"{{"kind":"{kind}","agent_id":"a"{said},"content":"doubt"}}"#);
            let record = admitted(&body).expect("it is right");
            assert_eq!(record.claim.persona, Some(Persona::Subconscious), "{body}");
            assert_eq!(Fields::read(&record.body).expect("a body").persona, Some(Persona::Subconscious), "{body}");
        }
        let body = format!(r#"{{"kind":"{kind}","agent_id":"a","persona":"actor","content":"doubt"}}"#);
        assert_eq!(admitted(&body).expect_err("it is refused").message, format!("a {kind} is never the actor's"));
        // What was stored as the actor's before is read as it was.
        assert_eq!(Record::parse(body.as_bytes()).map(|record| record.claim.persona), Ok(Some(Persona::Actor)));
    }
}
