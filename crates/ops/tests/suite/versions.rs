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
    let refused = home.call(SPACE, "update", &json!({"id":fact["id"],"text":"x"}).to_string()).expect_err("a fact");
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
