//! Contradictions: the newest valid fact answers, the old one keeps its dates, and both kinds of past give the old answer.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::hermetic::Hermetic;

/// One person, some places one after the other, perhaps the same one again, told in some order among other facts.
fn story() -> impl Strategy<Value = (usize, Vec<usize>, Vec<usize>)> {
    (0..5_usize, proptest::collection::vec(0..6_usize, 2..6)).prop_flat_map(|(attribute, mut places)| {
        places.dedup();
        let order = Just((0..places.len()).collect::<Vec<usize>>()).prop_shuffle();
        (Just(attribute), Just(places), order)
    })
}

const ATTRIBUTES: [(&str, &str, [&str; 6]); 5] = [
    ("lives_in", "lives in", ["Brno", "Oslo", "Graz", "Lyon", "Porto", "Turin"]),
    ("works_at", "works at", ["Acme", "Globex", "Initech", "Umbrella", "Hooli", "Stark"]),
    ("favourite_colour", "has as favourite colour", ["red", "blue", "green", "violet", "amber", "teal"]),
    ("locker", "has the locker called", ["Otter", "Falcon", "Comet", "Badger", "Swift", "Heron"]),
    ("team", "belongs to team", ["Alpha", "Bravo", "Delta", "Echo", "Gamma", "Omega"]),
];

fn year(n: usize, month: u32) -> String {
    format!("{}-{month:02}-01T00:00:00Z", 2010 + 2 * n)
}

#[test]
fn the_newest_valid_fact_answers_and_the_past_gives_the_old_answer() {
    let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    runner
        .run(&story(), |(attribute, places, order)| {
            let home = Hermetic::new();
            let (name, verb, values) = ATTRIBUTES[attribute];
            let ask = |arguments: Value| -> Vec<String> {
                let lines = home.call("local/x", "fact retrieve", &arguments.to_string()).expect("answers");
                let found: Value = serde_json::from_str(&lines[0]).expect("JSON");
                let facts = found["facts"].as_array().expect("a list");
                facts.iter().filter(|f| f["subject"] == "Ann").filter_map(|f| f["value"].as_str().map(str::to_owned)).collect()
            };
            let question = format!("Ann {verb}?");
            let mut told: Vec<usize> = Vec::new();
            let mut heads: Vec<(u64, usize)> = Vec::new();
            for (n, at) in order.iter().enumerate() {
                let value = values[places[*at]];
                let other = json!({"text": format!("Bob {verb} {value}"), "subject": "Bob", "attribute": name, "value": value, "at": year(*at, 6)});
                home.call("local/x", "fact store", &other.to_string()).expect("stores");
                let fact = json!({"text": format!("Ann {verb} {value}"), "subject": "Ann", "attribute": name, "value": value, "at": year(*at, 1)});
                home.call("local/x", "fact store", &fact.to_string()).expect("stores");
                told.push(*at);
                let latest = *told.iter().max().expect("one");
                heads.push((2 * (n as u64 + 1), latest));
            }
            // Now: the last place alone.
            let last = values[places[order.len() - 1]];
            prop_assert_eq!(ask(json!({"query": question})), vec![last.to_owned()]);
            // At a moment within each stay: that one.
            for (at, place) in places.iter().enumerate().take(order.len()) {
                prop_assert_eq!(ask(json!({"query": question, "at": year(at, 7)})), vec![values[*place].to_owned()]);
            }
            // As it stood after each was told: the latest that was known.
            for (seq, latest) in heads {
                prop_assert_eq!(ask(json!({"query": question, "as_of": seq})), vec![values[places[latest]].to_owned()]);
            }
            // Nothing is lost: all of them with their dates.
            let all = home.call("local/x", "fact list", r#"{"subject":"Ann","all":true}"#).expect("answers");
            prop_assert_eq!(all.len(), order.len());
            let open: Vec<Value> = all
                .iter()
                .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
                .filter(|fact| fact["valid_until"].is_null() || fact["superseded_by"].is_null())
                .map(|fact| fact["value"].clone())
                .collect();
            prop_assert_eq!(open, vec![Value::from(last)]);
            Ok(())
        })
        .expect("every story holds");
}
