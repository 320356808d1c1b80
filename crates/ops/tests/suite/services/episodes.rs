//! Episodes over the services of specification 002: stored, found, deleted, and the least relevant pruned.

use serde_json::{Value, json};

use super::facts::{home, one};

#[test]
fn an_episode_is_stored_found_with_all_its_parts_and_deleted() {
    let home = home();
    let stored = one(
        &home,
        "episode store",
        json!({"goal": "Fix the harbour gate", "steps": ["looked at it", "oiled it"], "outcome": "it opens",
               "lessons": "oil it in autumn", "metadata": {"shift": 2}, "user": "local", "collection": "x"}),
    );
    let id = stored["episode_id"].as_str().expect("an id").to_owned();
    let found = one(&home, "episode retrieve", json!({"query": "harbour gate", "top_k": 3}));
    let episode = &found["episodes"][0];
    for (key, value) in [
        ("id", json!(id)),
        ("goal", json!("Fix the harbour gate")),
        ("steps", json!(["looked at it", "oiled it"])),
        ("outcome", json!("it opens")),
        ("lessons", json!("oil it in autumn")),
        ("metadata", json!({"shift": 2})),
    ] {
        assert_eq!(episode[key], value, "{key}: {episode}");
    }
    assert!(episode["timestamp"].is_string() && episode.get("embedding").is_some(), "{episode}");
    one(&home, "episode delete", json!({"episode_id": id}));
    assert_eq!(one(&home, "episode retrieve", json!({"query": "harbour gate"}))["episodes"], json!([]));
}

#[test]
fn a_dream_prunes_what_is_least_relevant_where_the_settings_say_so() {
    let home = home();
    std::fs::write(home.folder.path().join("config.toml"), "[agent-mem]\nkeep-facts = 2\nkeep-episodes = 1\n")
        .expect("a configuration");
    for n in 0..4 {
        one(&home, "fact store", json!({"text": format!("Crane {n} stands at pier {n}")}));
        one(&home, "episode store", json!({"goal": format!("Move crane {n}"), "outcome": "moved"}));
    }
    home.call("local/x", "dream", "{}").expect("dreams");
    let left = |operation: &str| home.call("local/x", operation, "{}").expect("a list").len();
    assert_eq!(left("fact list"), 2);
    let episodes: Value = one(&home, "episode retrieve", json!({"query": "Move crane", "top_k": 10}));
    assert_eq!(episodes["episodes"].as_array().map(Vec::len), Some(1));
}
