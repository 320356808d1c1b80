//! One question to several spaces: what each finds, ranked together.

use idetic_ops::core::views::RECALLED;
use idetic_ops::core::words::Trust;
use idetic_ops::{Grant, Kind};
use serde_json::{Value, json};

use crate::hashed_words::models;
use crate::hermetic::{Hermetic, counted};

/// Texts about different things, with a question about each.
const SAYINGS: [(&str, &str); 12] = [
    ("The invoice for the printer is due on Friday", "when is the printer invoice due?"),
    ("Ann painted the boat red in April", "which colour did Ann paint the boat?"),
    ("The build needs Node 22 and eight gigabytes", "which Node version does the build need?"),
    ("Our cat eats only tuna from the blue tin", "what does the cat eat?"),
    ("The deploy runs at noon from the release branch", "when does the deploy run?"),
    ("Grandmother lives in Graz near the river", "where does grandmother live?"),
    ("The staging password rotates every month", "how often does the staging password rotate?"),
    ("The kitchen lamp takes a small halogen bulb", "which bulb does the kitchen lamp take?"),
    ("Standup moved to half past nine on Mondays", "when is standup on Mondays?"),
    ("The dentist appointment is on the third of May", "when is the dentist appointment?"),
    ("The customer Acme pays in Swiss francs", "in which currency does Acme pay?"),
    ("The garden hose leaks at the second joint", "where does the garden hose leak?"),
];

fn ask(home: &Hermetic, space: &str, operation: &str, arguments: Value) -> Value {
    let lines = home.call(space, operation, &arguments.to_string()).unwrap_or_else(|e| panic!("{operation}: {e}"));
    serde_json::from_str(&lines[0]).expect("JSON")
}

fn filled() -> Hermetic {
    let home = Hermetic::with(counted(), models(true));
    for (at, (text, _)) in SAYINGS.iter().enumerate() {
        let record = json!({"kind":"user_input","id":format!("s{at}"),"content":text}).to_string();
        home.append("local/all", std::slice::from_ref(&record));
        // One space is small: its statistics are nothing like the other's.
        let space = if at % 4 == 0 { "local/home" } else { "local/work" };
        home.append(space, &[record]);
    }
    for space in ["local/all", "local/work", "local/home"] {
        home.call(space, "reembed", "{}").expect("embeds");
    }
    home
}

#[test]
fn the_answer_comes_first_whichever_space_has_it() {
    let home = filled();
    let (mut first, mut first_of_one) = (0, 0);
    for (at, (_, question)) in SAYINGS.iter().enumerate() {
        let merged = ask(&home, "local/all", "recall", json!({"query": question, "spaces": ["work", "home"]}));
        first += usize::from(merged["hits"][0]["id"] == format!("s{at}"));
        let whole = ask(&home, "local/all", "recall", json!({"query": question}));
        first_of_one += usize::from(whole["hits"][0]["id"] == format!("s{at}"));
        assert_eq!(merged["hits"].as_array().map(Vec::len), Some(10));
        let scores: Vec<f64> =
            merged["hits"].as_array().expect("hits").iter().filter_map(|hit| hit["score"].as_f64()).collect();
        assert!(scores.is_sorted_by(|one, other| one >= other) && scores[0] <= 2.0, "{scores:?}");
        let own = ask(&home, "local/work", "recall", json!({"query": question}));
        let ids = |answer: &Value, space: Option<&str>| -> Vec<String> {
            let hits = answer["hits"].as_array().expect("hits").iter();
            let of = hits.filter(|hit| space.is_none_or(|space| hit["space"] == space));
            of.map(|hit| hit["id"].to_string()).collect()
        };
        assert!(ids(&own, None).starts_with(&ids(&merged, Some("local/work"))), "a space's own order stays");
    }
    assert!(first + 1 >= first_of_one, "{first} in two spaces, {first_of_one} in one");
}

#[test]
fn what_is_asked_of_them_holds_of_the_merged_answer() {
    let home = filled();
    let arguments = json!({"query": SAYINGS[1].1, "spaces": ["work", "local/home", "work"], "k": 3});
    let merged = ask(&home, "local/all", "recall", arguments);
    assert_eq!(merged["hits"].as_array().map(Vec::len), Some(3), "no space is asked twice: {merged}");
    let best = merged["hits"][0]["score"].as_f64().expect("a score");
    let cut =
        ask(&home, "local/all", "recall", json!({"query": SAYINGS[1].1, "spaces": ["work","home"], "min_score": best}));
    assert!(cut["hits"].as_array().is_some_and(|hits| !hits.is_empty() && hits.len() < 12), "{cut}");
    let packed = ask(&home, "local/all", "context", json!({"query": SAYINGS[1].1, "spaces": ["work","home"]}));
    assert!(
        packed["text"].as_str().is_some_and(|text| text.contains("boat red") && text.contains(", in local/work)")),
        "{packed}"
    );
}

#[test]
fn what_is_not_granted_is_not_there() {
    let home = filled();
    let held = Grant { user: Some("local".to_owned()), collection: Some("work".to_owned()), ..Grant::default() };
    let say = |spaces: Value| {
        let arguments = json!({"query":"boat","spaces":spaces}).to_string();
        home.call_within(held.clone(), "local/work", "recall", &arguments).expect_err("not granted")
    };
    let (foreign, missing) = (say(json!(["work", "home"])), say(json!(["work", "none"])));
    assert_eq!(foreign.kind, Kind::NotFound);
    assert_eq!(foreign.message.replace("local/home", "local/none"), missing.message);
    assert_eq!((foreign.hint, foreign.cause), (missing.hint, missing.cause));
    for (wrong, why) in [
        (json!({"query":"x","spaces":["ann/work"]}), "is not a space of user 'local'"),
        (json!({"query":"x","spaces":["work"],"as_of":3}), "a seq is the number of an event in one space"),
        (json!({"query":"x","spaces":vec!["work"; 17]}), "more than 16"),
        (json!({"query":"x","spaces":["none"]}), "there is no space local/none"),
    ] {
        let refused = home.call("local/all", "recall", &wrong.to_string()).expect_err(why);
        assert!(refused.message.contains(why), "{refused}");
    }
}

#[test]
fn what_is_true_is_asked_of_the_clock_in_several_spaces_too() {
    let home = filled();
    let fact = json!({"text":"The red boat belongs to Ann","until":"2025-01-01T12:30:00Z"});
    ask(&home, "local/work", "fact store", fact);
    for _ in 0..3600 {
        home.env.now();
    }
    let best = |spaces: Value| {
        let mut arguments = json!({"query": "whose is the red boat?"});
        if !spaces.is_null() {
            arguments["spaces"] = spaces;
        }
        ask(&home, "local/work", "context", arguments)["text"].to_string()
    };
    let (alone, together) = (best(Value::Null), best(json!(["work", "home"])));
    assert_eq!(alone.contains("belongs to Ann"), together.contains("belongs to Ann"), "{alone} {together}");
    assert!(!together.contains("belongs to Ann"), "it is over: {together}");
}

#[test]
fn only_what_is_returned_is_kept_as_shown() {
    let home = filled();
    let held = Grant { trust: Some(Trust::Agent), ..Grant::default() };
    let arguments = json!({"query": SAYINGS[1].1, "spaces": ["work", "home"], "k": 1}).to_string();
    home.call_within(held, "local/work", "recall", &arguments).expect("answers");
    let shown: Vec<String> = ["local/work", "local/home"]
        .iter()
        .flat_map(|space| home.call(space, "log", "{}").expect("a log"))
        .filter(|line| line.contains(RECALLED))
        .collect();
    assert_eq!(shown.len(), 1, "one hit is of one space: {shown:?}");
}
