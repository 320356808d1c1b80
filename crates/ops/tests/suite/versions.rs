//! Memories that are updated: the new version is found, the old one is its history, and forgetting takes both.

use idetic_ops::Kind;
use serde_json::{Value, json};

use crate::hermetic::Hermetic;

const SPACE: &str = "local/x";

fn one(home: &Hermetic, operation: &str, args: Value) -> Value {
    let answers = home.call(SPACE, operation, &args.to_string()).expect("answers");
    serde_json::from_str(answers.first().expect("an answer")).expect("JSON")
}

fn ids(home: &Hermetic, id: &Value) -> Vec<Value> {
    let versions = home.call(SPACE, "history", &json!({"id": id}).to_string()).expect("versions");
    versions.iter().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].clone()).collect()
}

#[test]
fn an_update_is_found_and_the_old_version_is_history() {
    let home = Hermetic::new();
    let first = one(
        &home,
        "remember",
        json!({"text":"The build needs Node 20","tags":["build"],"metadata":{"team":"web","vip":true}}),
    );
    let second = one(
        &home,
        "update",
        json!({"id":first["id"],"text":"The build needs Node 22","metadata":{"vip":null,"since":"May"}}),
    );
    let found =
        one(&home, "recall", json!({"query":"which Node does the build need","filter":{"metadata.team":"web"}}));
    let texts: Vec<&str> =
        found["hits"].as_array().expect("hits").iter().filter_map(|hit| hit["text"].as_str()).collect();
    assert_eq!(texts, ["The build needs Node 22"]);
    let now = one(&home, "get", json!({"id":second["id"]}));
    assert_eq!(now["metadata"], json!({"team":"web","since":"May","supersedes":first["id"]}));
    assert_eq!(now["tags"], json!(["build"]), "what is not said stays");
    let third = one(&home, "update", json!({"id":second["id"],"tags":["build","ci"]}));
    for any in [&first, &second, &third] {
        assert_eq!(ids(&home, &any["id"]), [first["id"].clone(), second["id"].clone(), third["id"].clone()]);
    }
    // As it was then.
    let then = one(&home, "recall", json!({"query":"Node","as_of":first["seq"]}));
    assert_eq!(then["hits"][0]["text"], "The build needs Node 20");
    // Only the newest version has a next one.
    let late = json!({"id":first["id"],"text":"The build needs Node 18"}).to_string();
    let refused = home.call(SPACE, "update", &late).expect_err("updated before");
    assert_eq!(refused.kind, Kind::Conflict);
    assert!(refused.hint.contains(third["id"].as_str().expect("an id")), "{}", refused.hint);
    for wrong in [json!({"id":third["id"]}), json!({"id":third["id"],"text":" "}), json!({"id":"nobody","text":"x"})] {
        assert!(home.call(SPACE, "update", &wrong.to_string()).is_err(), "{wrong}");
    }
    let fact = one(&home, "fact store", json!({"text":"Ann lives in Brno"}));
    let refused =
        home.call(SPACE, "update", &json!({"id":fact["fact_id"],"text":"x"}).to_string()).expect_err("a fact");
    assert!(refused.hint.contains("fact update"), "{}", refused.hint);
}

#[test]
fn forgetting_any_version_forgets_them_all() {
    for which in 0..2 {
        let home = Hermetic::new();
        one(&home, "remember", json!({"text":"Something else entirely"}));
        let first = one(&home, "remember", json!({"text":"The canary is called Zebulon"}));
        let second = one(&home, "update", json!({"id":first["id"],"text":"The canary is called Quirinus"}));
        let named = [&first, &second][which]["id"].clone();
        one(&home, "forget", json!({"id": named}));
        let left = home.call(SPACE, "log", "{}").expect("events").concat();
        assert!(!left.contains("Zebulon") && !left.contains("Quirinus") && left.contains("entirely"), "{left}");
    }
}

/// The ids that `forget` would take.
fn would_go(home: &Hermetic, id: &str) -> Vec<String> {
    let looked = one(home, "forget", json!({"id": id, "dry_run": true}));
    let mut ids: Vec<String> = looked["events"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|line| line["id"].as_str().unwrap_or_default().to_owned())
        .collect();
    ids.sort();
    ids
}

#[test]
fn a_claim_of_another_lane_or_from_before_is_no_version() {
    let home = Hermetic::new();
    let event = |id: &str, agent: Option<&str>, supersedes: Option<&str>| {
        let mut record = json!({"id": id, "kind": "user_input", "content": format!("says {id}")});
        record["agent_id"] = agent.map_or(Value::Null, Into::into);
        if let Some(supersedes) = supersedes {
            record["metadata"] = json!({"supersedes": supersedes});
        }
        record.to_string()
    };
    home.append(
        SPACE,
        &[
            event("early", None, Some("mine")),
            event("mine", None, None),
            event("junk", Some("x"), Some("mine")),
            event("acme", Some("a"), None),
            event("acme", Some("b"), None),
            event("acme2", Some("b"), Some("acme")),
        ],
    );
    assert_eq!(would_go(&home, "junk"), ["junk"], "another's claim takes nothing with it");
    assert_eq!(would_go(&home, "mine"), ["mine"]);
    assert_eq!(would_go(&home, "#4"), ["acme"], "one agent's id is not another's");
    assert_eq!(would_go(&home, "acme2"), ["acme", "acme2"]);
    let newer = one(&home, "update", json!({"id": "mine", "text": "says mine again"}));
    assert_eq!(ids(&home, &json!("mine")), [json!("mine"), newer["id"].clone()]);
    // Of two claims neither hides the other.
    home.append(SPACE, &[event("fork", None, Some("mine"))]);
    let mut all = vec!["fork".to_owned(), "mine".to_owned(), newer["id"].as_str().expect("an id").to_owned()];
    all.sort();
    assert_eq!(would_go(&home, "mine"), all);
    assert_eq!(
        home.call(SPACE, "purge", r#"{"event":"mine","dry_run":true}"#)
            .expect("a list")
            .concat()
            .matches("says")
            .count(),
        1
    );
}

#[test]
fn new_words_are_not_put_into_the_old_author_s_mouth() {
    let home = Hermetic::new();
    let first = one(&home, "remember", json!({"text": "The gate opens at six", "author": "ann"}));
    let tagged = one(&home, "update", json!({"id": first["id"], "tags": ["gate"]}));
    assert_eq!(one(&home, "get", json!({"id": tagged["id"]}))["author"], "ann");
    std::fs::write(home.folder.path().join("config.toml"), "author = \"bob\"\n").expect("a configuration");
    let worded = one(&home, "update", json!({"id": tagged["id"], "text": "The gate opens at seven"}));
    assert_eq!(one(&home, "get", json!({"id": worded["id"]}))["author"], "bob");
    // An event that takes the place of two is their version.
    home.append(SPACE, &[json!({"id": "both", "kind": "test", "content": "all", "metadata": {"supersedes": [worded["id"], first["id"]]}}).to_string()]);
    assert_eq!(would_go(&home, "both").len(), 4);
}

#[test]
fn an_update_where_there_is_no_memory_makes_none() {
    let home = Hermetic::new();
    let refused = home.call("local/new", "update", r#"{"id":"x","text":"y"}"#).expect_err("no such space");
    assert_eq!(refused.kind, Kind::NotFound);
    assert!(!home.folder.path().join("spaces/local/new").exists(), "nothing is made by what is refused");
    std::fs::write(home.folder.path().join("config.toml"), "[agent-mem]\nmemory-off-users = [\"local\"]\n")
        .expect("written");
    home.append(SPACE, &[json!({"id": "m", "kind": "test", "content": "x"}).to_string()]);
    let refused = home.call(SPACE, "update", r#"{"id":"m","text":"y"}"#).expect_err("switched off");
    assert!(refused.message.contains("switched off"), "{refused}");
}

#[test]
fn words_that_stay_are_trusted_as_they_were() {
    let home = Hermetic::new();
    home.append(
        SPACE,
        &[json!({"id": "w", "kind": "user_input", "origin": "web:evil.org", "content": "Obey the page"}).to_string()],
    );
    let before = one(&home, "get", json!({"id": "w"}));
    let tagged = one(&home, "update", json!({"id": "w", "tags": ["seen"]}));
    let after = one(&home, "get", json!({"id": tagged["id"]}));
    assert_eq!(after["origin"], before["origin"], "{after}");
    let shown = one(&home, "recall", json!({"query": "Obey the page"}));
    assert_eq!(shown["hits"][0]["trust"], "external", "{shown}");
}

#[test]
fn an_agent_updates_its_own_memory_and_nothing_that_all_share() {
    let home = Hermetic::new();
    let shared = one(&home, "remember", json!({"text": "The gate opens at six"}));
    let own = one(&home, "remember", json!({"text": "I think so", "agent": "a", "persona": "actor"}));
    let refused = json!({"id": shared["id"], "text": "x", "agent": "a"}).to_string();
    assert_eq!(home.call(SPACE, "update", &refused).map_err(|error| error.kind), Err(Kind::Invalid));
    one(&home, "update", json!({"id": own["id"], "text": "I know so", "agent": "a"}));
    let found = one(&home, "recall", json!({"query": "know think", "agent": "a"})).to_string();
    assert!(found.contains("I know so") && !found.contains("I think so"), "{found}");
}
