//! Conversations: kept in order, ended, told as episodes, and what was said in them.

use serde_json::{Value, json};

use super::facts::{home, one};

#[test]
fn a_conversation_is_kept_in_order_and_ends_as_an_episode_of_its_goal() {
    let home = home();
    let begun = one(&home, "conversation start", json!({"goal":"Plan the trip"}));
    let id = begun["conversation_id"].as_str().expect("an id").to_owned();
    for n in 0..3 {
        let added = json!({"query":format!("question {n}"),"conversation_id":id,"summary":format!("did {n}"),"result":format!("result {n}")});
        assert_eq!(one(&home, "conversation add", added)["success"], true);
    }
    let shown = one(&home, "conversation show", json!({"conversation_id":id}));
    let queries: Vec<&str> = shown["conversation"]["invocations"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|i| i["query"].as_str())
        .collect();
    assert_eq!(queries, ["question 0", "question 1", "question 2"]);
    let ended = one(&home, "conversation end", json!({"conversation_id":id}));
    let episode = one(&home, "episode get", json!({"episode":ended["episode"]}));
    assert_eq!((&episode["goal"], &episode["outcome"]), (&json!("Plan the trip"), &json!("result 2")));
    assert_eq!(one(&home, "conversation end", json!({"conversation_id":id}))["done"], "was ended");
    let made = one(&home, "conversation add", json!({"query":"and without an id?"}));
    assert!(made["conversation_id"].as_str().is_some_and(|id| id.starts_with("conv-")));
}

#[test]
fn what_was_asked_in_an_invocation_is_said_by_someone() {
    let home = home();
    one(
        &home,
        "conversation add",
        json!({"query":"My name is Ann and I live in Brno.","id":"c1","result":"Hello Ann"}),
    );
    let ended = home.call("local/x", "conversation end", r#"{"conversation_id":"c1"}"#).expect("answers");
    let values: Vec<Value> =
        ended[1..].iter().map(|l| serde_json::from_str::<Value>(l).expect("JSON")["value"].clone()).collect();
    assert_eq!(values, ["Ann", "Brno"], "{ended:?}");
    let fact = one(&home, "fact retrieve", json!({"query":"where does the user live?"}));
    assert_eq!(fact["facts"][0]["source"], "c1");
    one(&home, "conversation start", json!({"conversation_id":"c1"}));
    let again = home.call("local/x", "conversation end", r#"{"conversation_id":"c1"}"#).expect("answers");
    assert_eq!(again.len(), 1, "taken once: {again:?}");
}

#[test]
fn a_conversation_that_events_name_can_be_shown_and_ended() {
    let home = home();
    let said =
        |text: &str, ts: &str| json!({"kind":"user_input","conversation_id":"c9","content":text,"ts":ts}).to_string();
    home.append("local/x", &[said("I work at Acme.", "2025-01-01T10:00:00Z"), said("Thanks!", "2025-01-01T11:00:00Z")]);
    let shown = one(&home, "conversation show", json!({"conversation":"c9"}));
    assert_eq!(shown["conversation"]["invocations"], json!([]));
    let ended = home.call("local/x", "conversation end", r#"{"conversation":"c9"}"#).expect("answers");
    assert!(ended.len() == 2 && ended[1].contains("Acme"), "{ended:?}");
    assert_eq!(one(&home, "conversation end", json!({"conversation":"c9"}))["done"], "was ended");
    home.append("local/x", &[said("I live in Bergen.", "2025-01-02T10:00:00Z")]);
    let again = home.call("local/x", "conversation end", r#"{"conversation":"c9"}"#).expect("answers");
    assert!(again.len() == 2 && again[1].contains("Bergen"), "what was said since is taken: {again:?}");
    home.call("local/x", "conversation show", r#"{"conversation":"c10"}"#).expect_err("nobody names it");
}

#[test]
fn a_conversation_that_went_on_is_told_once() {
    let home = home();
    one(&home, "conversation start", json!({"conversation_id":"trip","goal":"Plan the trip"}));
    let add = |n: u32| {
        one(
            &home,
            "conversation add",
            json!({"query":format!("question {n}"),"id":"trip","result":format!("result {n}")}),
        )
    };
    let end = || one(&home, "conversation end", json!({"conversation":"trip"}))["episode"].clone();
    let told = || home.call("local/x", "episode list", "{}").expect("answers");
    add(0);
    add(1);
    let first = end();
    add(2);
    let second = end();
    assert_ne!(first, second);
    assert!(told().len() == 1 && told()[0].contains("result 2"), "{:?}", told());
    one(&home, "conversation start", json!({"conversation_id":"trip","goal":"Plan the whole trip"}));
    assert_eq!(
        one(&home, "conversation show", json!({"conversation":"trip"}))["conversation"]["goal"],
        "Plan the whole trip"
    );
    assert_eq!(end(), Value::Null, "nothing was added");
    assert_eq!(told().len(), 1);
}

#[test]
fn a_conversation_and_its_invocations_keep_their_metadata() {
    let home = home();
    let begun = json!({"conversation_id":"m","metadata":{"channel":"web","seats":2}});
    one(&home, "conversation start", begun);
    let summary = json!({"query":"Which seat?","result":"12A","metadata":{"latency_ms":40}});
    let added = json!({"conversation_id":"m","metadata":{"channel":"phone"},"invocation_summary":summary});
    one(&home, "conversation add", added);
    let shown = one(&home, "conversation show", json!({"conversation_id":"m"}));
    assert_eq!(shown["conversation"]["metadata"], json!({"channel":"phone","seats":2}), "what was said last counts");
    assert_eq!(shown["conversation"]["invocations"][0]["metadata"], json!({"latency_ms":40}));
    let unknown = json!({"conversation_id":"m","invocation_summary":{"query":"x","colour":"red"}}).to_string();
    assert!(home.call("local/x", "conversation add", &unknown).is_err(), "a key nobody knows is refused");
    one(&home, "conversation add", json!({"query":"plain","conversation_id":"n"}));
    let plain = one(&home, "conversation show", json!({"conversation_id":"n"}));
    assert_eq!(plain["conversation"]["metadata"], json!({}));
}

#[test]
fn metadata_of_one_agent_s_conversation_is_not_another_s() {
    let home = home();
    for agent in ["a", "b"] {
        one(&home, "conversation start", json!({"conversation_id":"c","agent":agent,"metadata":{"of":agent, agent:1}}));
    }
    for agent in ["a", "b"] {
        let shown = one(&home, "conversation show", json!({"conversation_id":"c","agent":agent}));
        assert_eq!(shown["conversation"]["metadata"], json!({"of":agent, agent:1}), "{agent}");
    }
    let secret = json!({"conversation_id":"s","agent":"a","persona":"subconscious","metadata":{"canary":1}});
    one(&home, "conversation start", secret);
    one(&home, "conversation start", json!({"conversation_id":"s","metadata":{"plain":1}}));
    let shown = one(&home, "conversation show", json!({"conversation_id":"s"}));
    assert_eq!(shown["conversation"]["metadata"], json!({"plain":1}));
}

#[test]
fn a_conversation_that_is_begun_again_and_again_keeps_its_last_turns() {
    let home = home();
    for n in 0..3 {
        one(&home, "conversation add", json!({"conversation_id":"c","query":format!("question {n}")}));
    }
    for n in 0..40 {
        one(&home, "conversation start", json!({"conversation_id":"c","metadata":{"visit":n}}));
    }
    let shown = one(&home, "conversation show", json!({"conversation_id":"c","last":2}));
    let queries: Vec<&Value> =
        shown["conversation"]["invocations"].as_array().expect("a list").iter().map(|turn| &turn["query"]).collect();
    assert_eq!(queries, ["question 1", "question 2"]);
}
