//! Sessions: what an agent holds for as long as one is open, and what stays.

use idetic_ops::Kind;
use serde_json::{Value, json};

use crate::hermetic::Hermetic;

const SPACE: &str = "local/x";

fn ask(home: &Hermetic, operation: &str, arguments: &Value) -> Value {
    let lines = home.call(SPACE, operation, &arguments.to_string()).expect("answers");
    serde_json::from_str(&lines[0]).expect("JSON")
}

fn refused(home: &Hermetic, operation: &str, arguments: &Value) -> Kind {
    let error = home.call(SPACE, operation, &arguments.to_string()).expect_err("refused");
    assert!(!error.hint.is_empty(), "{operation}: {error}");
    error.kind
}

#[test]
fn a_session_holds_scratch_values_until_it_ends_and_its_events_stay() {
    let home = Hermetic::new();
    home.append(SPACE, &[r#"{"kind":"test","trace_id":"t","content":"before the session"}"#.to_owned()]);
    let started = ask(&home, "session start", &json!({"agent": "coder", "trace": "t", "version": "v1"}));
    assert_eq!((&started["session"], &started["export"]), (&json!("t"), &json!("export CHORA_TRACE_ID=t")));
    ask(&home, "session note", &json!({"words": ["branch", "feature/login"]}));
    ask(&home, "session note", &json!({"words": ["tries", "3"]}));
    ask(&home, "session note", &json!({"words": ["the secret handshake of this session"]}));
    home.append(
        SPACE,
        &[
            r#"{"kind":"tool_call","agent_id":"coder","trace_id":"t","status":"success"}"#.to_owned(),
            r#"{"kind":"tool_call","agent_id":"coder","persona":"subconscious","trace_id":"t","status":"success"}"#
                .to_owned(),
            r#"{"kind":"tool_call","agent_id":"coder","trace_id":"other","status":"success"}"#.to_owned(),
        ],
    );
    let shown = ask(&home, "session show", &json!({}));
    assert_eq!(shown["values"], json!({"branch": "feature/login", "tries": 3}));
    assert_eq!(shown["notes"], json!(["the secret handshake of this session"]));
    assert_eq!((&shown["agent_name"], &shown["operations_count"]), (&json!("coder"), &json!(1)));
    let steps = shown["trace"]["steps"].as_array().expect("its events");
    let kinds: Vec<&str> = steps.iter().filter_map(|step| step["kind"].as_str()).collect();
    assert_eq!(kinds, ["agent.session_started", "tool_call"]);
    // Nothing of it is in the log, in a view or in what is recalled.
    let everything = [home.call(SPACE, "export", "{}"), home.call(SPACE, "recall", r#"{"query":"secret handshake"}"#)];
    assert!(everything.iter().all(|lines| !format!("{lines:?}").contains("handshake of")), "{everything:?}");
    assert_eq!(refused(&home, "session start", &json!({"agent": "coder", "trace": "t"})), Kind::Conflict);

    let ended = ask(&home, "session end", &json!({}));
    assert_eq!((&ended["session"], &ended["operations_count"]), (&json!("t"), &json!(1)));
    assert!(ended["duration_minutes"].as_f64().is_some_and(|minutes| minutes > 0.0), "{ended}");
    let files = home.memory().space(&idetic_ops::core::SpaceName::parse(SPACE).expect("a name")).expect("there");
    let left: Vec<_> = std::fs::read_dir(files.folder().join("sessions")).expect("there").flatten().collect();
    assert!(left.iter().all(|entry| entry.file_name() == "lock"), "{left:?}");
    for operation in ["session show", "session end"] {
        assert_eq!(refused(&home, operation, &json!({})), Kind::NotFound);
    }
    let last: Value =
        serde_json::from_str(home.call(SPACE, "log", "{}").expect("answers").last().expect("one")).expect("JSON");
    assert_eq!((&last["kind"], &last["metadata"]["agent_name"]), (&json!("agent.session_ended"), &json!("coder")));
    let profile = ask(&home, "profile show", &json!({"agent": "coder"}));
    assert_eq!((&profile["session_count"], &profile["agent_version"]), (&json!(1), &json!("v1")));
    // The same trace may carry another session; what the first one held does not come back.
    ask(&home, "session start", &json!({"agent": "coder", "trace": "t"}));
    assert_eq!(ask(&home, "session show", &json!({}))["values"], json!({}));
}

#[test]
fn of_several_open_sessions_one_must_be_named() {
    let home = Hermetic::new();
    assert_eq!(refused(&home, "session show", &json!({})), Kind::NotFound);
    let one = ask(&home, "session start", &json!({"agent": "one"}));
    let two = ask(&home, "session start", &json!({"agent": "two", "trace": "../odd trace's"}));
    assert_eq!(two["export"], r"export CHORA_TRACE_ID='../odd trace'\''s'");
    assert_eq!(one["session"].as_str().map(str::len), Some(36), "a new trace is a UUID: {one}");
    assert_eq!(refused(&home, "session show", &json!({})), Kind::Invalid);
    ask(&home, "session note", &json!({"words": ["k", "1"], "session": one["session"]}));
    assert_eq!(ask(&home, "session show", &json!({"session": one["session"]}))["values"], json!({"k": 1}));
    assert_eq!(ask(&home, "session show", &json!({"session": two["session"]}))["values"], json!({}));
    assert_eq!(refused(&home, "session end", &json!({"session": "no such"})), Kind::NotFound);
    ask(&home, "session end", &json!({"session": two["session"]}));
    assert_eq!(ask(&home, "session show", &json!({}))["agent_name"], "one");
    let names = home.call(SPACE, "profile list", "{}").expect("answers");
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn what_a_session_may_hold_is_bounded_and_what_is_refused_changes_nothing() {
    let home = Hermetic::new();
    assert_eq!(refused(&home, "session start", &json!({"agent": "a\nb"})), Kind::Invalid);
    assert_eq!(refused(&home, "session start", &json!({"trace": ""})), Kind::Invalid);
    ask(&home, "session start", &json!({}));
    ask(&home, "session note", &json!({"words": ["k", "1"]}));
    let much = "x".repeat(2 << 20);
    assert_eq!(refused(&home, "session note", &json!({"words": ["k", much]})), Kind::Invalid);
    assert_eq!(refused(&home, "session note", &json!({"words": [" "]})), Kind::Invalid);
    assert_eq!(refused(&home, "session note", &json!({"words": []})), Kind::Invalid);
    assert_eq!(ask(&home, "session show", &json!({}))["values"], json!({"k": 1}));
    // A session that the log knows nothing of, as after a crash in the middle of its start, is not open.
    let space = home.memory().space(&idetic_ops::core::SpaceName::parse(SPACE).expect("a name")).expect("there");
    let file = space.folder().join("sessions/ghost.json");
    std::fs::write(
        &file,
        r#"{"trace_id":"ghost","agent":"g","version":null,"started":"2025-01-01T00:00:00Z","event":"none"}"#,
    )
    .expect("a file");
    std::fs::write(space.folder().join("sessions/torn.json"), "{").expect("a file");
    assert_eq!(ask(&home, "session show", &json!({}))["agent_name"], "agent");
    assert_eq!(ask(&home, "session start", &json!({"trace": "ghost"}))["session"], "ghost");
}
