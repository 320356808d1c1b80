//! What is derived takes the lowest trust and the strictest visibility of what it comes from.

use idetic_ops::Kind;
use serde_json::Value;

use crate::hermetic::Hermetic;

fn remember(home: &Hermetic, arguments: &str) -> idetic_ops::Result<Value> {
    let acks = home.call("local/x", "remember", arguments)?;
    let ack: Value = serde_json::from_str(&acks[0]).expect("an acknowledgement");
    let got = home.call("local/x", "get", &format!(r#"{{"event":"{}"}}"#, ack["seq"]))?;
    Ok(serde_json::from_str(&got[0]).expect("an event"))
}

#[test]
fn a_conclusion_from_a_tool_is_trusted_like_a_tool() {
    let home = Hermetic::new();
    let tool = remember(&home, r#"{"text":"42","kind":"tool_result","visibility":"internal"}"#).expect("stored");
    let user = remember(&home, r#"{"text":"hi","kind":"user_input","id":"hello"}"#).expect("stored");
    assert_eq!((&tool["trust"], &user["trust"]), (&"tool".into(), &"user".into()));
    let causes = format!(r#""causes":["{}","hello"]"#, tool["id"].as_str().expect("an id"));
    let derived = remember(&home, &format!(r#"{{"text":"so",{causes}}}"#)).expect("stored");
    assert_eq!((&derived["trust"], &derived["visibility"]), (&"tool".into(), &"internal".into()));
    let refused = remember(&home, &format!(r#"{{"text":"so","trust":"user",{causes}}}"#)).expect_err("too high");
    assert!(refused.kind == Kind::Invalid && refused.message.contains("than that of its cause"), "{refused}");
    let refused = remember(&home, &format!(r#"{{"text":"so","visibility":"external",{causes}}}"#));
    assert_eq!(refused.expect_err("too wide").kind, Kind::Invalid);
}

#[test]
fn a_cause_may_stand_earlier_in_the_same_batch_and_an_unknown_one_is_refused() {
    let home = Hermetic::new();
    let batch = r#"{"events":[{"kind":"tool_result","id":"a"},{"kind":"decision","causes":["a"]}]}"#;
    home.call("local/x", "append", batch).expect("appends");
    let derived = home.call("local/x", "get", r#"{"event":"2"}"#).expect("answers");
    assert!(derived[0].contains(r#""trust":"tool""#), "{derived:?}");
    let unknown = home.call("local/x", "append", r#"{"events":[{"kind":"decision","causes":["nobody"]}]}"#);
    assert_eq!(unknown.expect_err("no such event").kind, Kind::Invalid);
    assert_eq!(home.call("local/x", "log", "{}").expect("answers").len(), 2, "nothing was appended");
}

#[test]
fn another_agents_event_of_the_same_id_lends_no_trust() {
    let home = Hermetic::new();
    home.append("local/x", &[r#"{"kind":"tool_result","id":"m","agent_id":"a","trust":"external"}"#.to_owned()]);
    let batch = r#"{"events":[{"kind":"user_input","id":"m","agent_id":"b"},
        {"kind":"decision","agent_id":"a","causes":["m"],"trust":"user"}]}"#;
    let refused = home.call("local/x", "append", batch).expect_err("its own cause is external");
    assert!(refused.kind == Kind::Invalid && refused.message.contains("than that of its cause"), "{refused}");
}
