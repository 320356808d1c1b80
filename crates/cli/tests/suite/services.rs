//! Facts, episodes, conversations and the agent as their users meet them.

use serde_json::Value;

use super::place::Place;

#[test]
fn a_fact_is_stored_superseded_and_asked_for_in_both_kinds_of_past() {
    let place = Place::new();
    let first = place.json(&[
        "fact",
        "store",
        "Ann lives in Brno",
        "--subject",
        "Ann",
        "--attribute",
        "lives_in",
        "--value",
        "Brno",
        "--at",
        "2021-01-01",
    ]);
    let second = place.json(&["fact", "store", "Ann lives in Oslo", "--at", "2024-05-01"]);
    assert_eq!(second["supersedes"], first["fact_id"], "the sentence says its parts itself");
    let value = |args: &[&str]| -> Value {
        let found = place.json(&[&["fact", "retrieve", "where does Ann live?", "--top-k", "1"], args].concat());
        found["facts"][0]["value"].clone()
    };
    assert_eq!(value(&[]), "Oslo");
    assert_eq!(value(&["--at", "2022-06-01"]), "Brno");
    assert_eq!(value(&["--as-of", "1"]), "Brno");
    let listed = place.ok(&["fact", "list", "--all"]);
    assert!(listed.contains("Ann lives in Brno") && listed.contains("superseded by"), "{listed}");
    let history = place.ok(&["fact", "history", first["fact_id"].as_str().expect("an id")]);
    assert_eq!(history.lines().count(), 2, "{history}");
    // Recall knows both and shows what is true first.
    let recalled = place.json(&["recall", "Ann lives in"]);
    assert!(recalled["hits"][0]["text"].as_str().is_some_and(|text| text.contains("Oslo")), "{recalled}");
}

#[test]
fn what_is_wrong_with_a_fact_is_said() {
    let place = Place::new();
    for (args, wanted) in [
        (vec!["fact", "store", "  "], "the fact is empty"),
        (vec!["fact", "store", "x y", "--at", "2025-01-01", "--until", "2024-01-01"], "before it begins"),
        (vec!["fact", "store", "x y", "--confidence", "7"], "not between 0 and 1"),
        (vec!["fact", "retrieve", "x", "--top-k", "0"], "out of range"),
        (vec!["fact", "store", "x y", "--cause", "nobody"], "is not an event of this space"),
        (vec!["episode", "store", "g", "--status", "perhaps"], "not known"),
        (vec!["extract", "--model"], "--conversation"),
    ] {
        place.run(&["remember", "something"]);
        let answer = place.run(&args);
        assert_eq!(answer.code, 2, "{args:?}: {answer:?}");
        assert!(answer.err.contains(wanted), "{args:?}: {}", answer.err);
    }
    assert_eq!(place.run(&["fact", "get", "nobody"]).code, 3);
    assert_eq!(place.run(&["conversation", "show", "nobody"]).code, 3);
}

#[test]
fn an_agent_without_a_model_says_how_to_get_one() {
    let place = Place::new();
    for args in [&["ask", "hello"][..], &["do", "it"], &["chat"]] {
        let answer = place.run(args);
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(
            answer.err.contains("no language model is configured") && answer.err.contains("base_url"),
            "{}",
            answer.err
        );
    }
    let learned = place.json(&["learn", "Be brief", "--agent", "coder"]);
    assert_eq!(learned["note"], "Be brief");
    assert!(place.lines(&["usage"]).is_empty());
}

#[test]
fn a_model_that_is_not_there_is_an_error_with_every_step_recorded() {
    let place = Place::new();
    let config = "[model]\nbase_url = \"http://127.0.0.1:9/v1\"\nname = \"x\"\nretries = 0\n";
    std::fs::write(place.home().join("config.toml"), config).expect("a configuration");
    let answer = place.run(&["ask", "I live in Brno. And you?"]);
    assert_eq!(answer.code, 5, "{answer:?}");
    assert!(answer.err.contains("not available"), "{}", answer.err);
    let kinds: Vec<Value> = place.lines(&["log"]).into_iter().map(|event| event["kind"].clone()).collect();
    for kind in ["user_input", "error", "conversation.invocation", "fact.stored"] {
        assert!(kinds.contains(&kind.into()), "{kind}: {kinds:?}");
    }
    place.ok(&["verify"]);
}

#[test]
fn status_shows_quotas_and_use() {
    let place = Place::new();
    std::fs::write(place.home().join("config.toml"), "[quota]\nfacts = 1\n").expect("a configuration");
    place.ok(&["fact", "store", "The door is green"]);
    let full = place.run(&["fact", "store", "The roof is red"]);
    assert_eq!(full.code, 1, "{full:?}");
    assert!(full.err.contains("1 of 1 facts"), "{}", full.err);
    let status = place.json(&["status"]);
    let facts = status["quota"].as_array().and_then(|lines| lines.iter().find(|line| line["what"] == "facts")).cloned();
    assert_eq!(facts, Some(serde_json::json!({"what": "facts", "used": 1, "limit": 1})));
    assert!(place.ok(&["status"]).contains("1 of 1 facts"));
}
