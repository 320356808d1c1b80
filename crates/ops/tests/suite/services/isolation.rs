//! Isolation: what other users and other agents know changes not a byte of what one can obtain.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::hashed_words::models;
use crate::hermetic::{Hermetic, counted};

/// Something that somebody stores.
#[derive(Debug, Clone)]
enum Act {
    Fact(usize, usize),
    Episode(usize),
    Invocation(usize, usize),
    End(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let one = prop_oneof![
        (0..4_usize, 0..4_usize).prop_map(|(a, v)| Act::Fact(a, v)),
        (0..4_usize).prop_map(Act::Episode),
        (0..3_usize, 0..4_usize).prop_map(|(c, q)| Act::Invocation(c, q)),
        (0..3_usize).prop_map(Act::End),
    ];
    proptest::collection::vec(one, 1..8)
}

const WORDS: [&str; 4] = ["harbour", "garden", "violin", "lantern"];

fn perform(home: &Hermetic, space: &str, agent: Option<&str>, act: &Act, mark: &str) {
    let (operation, mut arguments) = match act {
        Act::Fact(a, v) => (
            "fact store",
            json!({"text": format!("The {} of Ann is {}{mark}", WORDS[*a], WORDS[*v]),
            "subject": "Ann", "attribute": WORDS[*a], "value": format!("{}{mark}", WORDS[*v])}),
        ),
        Act::Episode(g) => {
            ("episode store", json!({"goal": format!("Repair the {}{mark}", WORDS[*g]), "status": "success"}))
        }
        Act::Invocation(c, q) => (
            "conversation add",
            json!({"query": format!("Where is the {}{mark}?", WORDS[*q]),
            "id": format!("c{c}"), "result": format!("there{mark}")}),
        ),
        Act::End(c) => ("conversation end", json!({"conversation": format!("c{c}")})),
    };
    if let Some(agent) = agent {
        arguments["agent"] = agent.into();
    }
    // What is not there cannot be ended: that is an answer, too.
    let _ = home.call(space, operation, &arguments.to_string());
}

/// Everything that one can obtain, without the ids and numbers that differ between two homes by chance of order.
fn obtain(home: &Hermetic, space: &str, agent: Option<&str>) -> Vec<String> {
    let mut questions: Vec<(&str, Value)> = vec![
        ("fact list", json!({"all": true})),
        ("fact conflicts", json!({})),
        ("episode list", json!({})),
        ("conversation list", json!({})),
    ];
    for word in WORDS {
        questions.push(("fact retrieve", json!({"query": format!("the {word} of Ann"), "at": "2030-01-01"})));
        questions.push(("episode retrieve", json!({"query": format!("repair the {word}")})));
    }
    for c in 0..3 {
        questions.push(("conversation show", json!({"conversation": format!("c{c}"), "as_of": "2030-01-01"})));
    }
    let mut obtained = Vec::new();
    for (operation, mut arguments) in questions {
        if let Some(agent) = agent {
            arguments["agent"] = agent.into();
        }
        match home.call(space, operation, &arguments.to_string()) {
            Ok(lines) => obtained.extend(lines.iter().map(|line| without_chance(line))),
            Err(error) => {
                let folder = home.folder.path().display().to_string();
                obtained.push(format!("{:?} {}", error.kind, error.message.replace(&folder, "HOME")));
            }
        }
    }
    obtained
}

/// A line without ids and moments: they come from a clock and a random source that both homes share with others.
fn without_chance(line: &str) -> String {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for key in [
                    "id",
                    "event",
                    "fact",
                    "fact_id",
                    "episode_id",
                    "timestamp",
                    "valid_from",
                    "valid_until",
                    "causes",
                    "supersedes",
                    "superseded_by",
                    "started",
                    "last",
                    "ended",
                    "score",
                    "other",
                ] {
                    map.remove(key);
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value: Value = serde_json::from_str(line).expect("JSON");
    strip(&mut value);
    value.to_string()
}

#[test]
fn users_and_agents_never_obtain_what_others_know() {
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    let strategy = (acts(), acts(), acts());
    runner
        .run(&strategy, |(own, of_user, of_agent)| {
            for agent in [None, Some("a")] {
                let (alone, among) = (Hermetic::with(counted(), models(true)), Hermetic::with(counted(), models(true)));
                // That there is a space at all is no secret among its agents.
                for home in [&alone, &among] {
                    home.append("ann/x", &[r#"{"kind":"user_input","content":"hello"}"#.to_owned()]);
                }
                for n in 0..own.len().max(of_user.len()).max(of_agent.len()) {
                    if let Some(act) = of_user.get(n) {
                        perform(&among, "bob/x", agent, act, " CANARY");
                    }
                    if let (Some(act), Some(_)) = (of_agent.get(n), agent) {
                        perform(&among, "ann/x", Some("b"), act, " CANARY");
                    }
                    if let Some(act) = own.get(n) {
                        perform(&alone, "ann/x", agent, act, "");
                        perform(&among, "ann/x", agent, act, "");
                    }
                }
                let (one, other) = (obtain(&alone, "ann/x", agent), obtain(&among, "ann/x", agent));
                prop_assert!(!other.join("\n").contains("CANARY"));
                prop_assert_eq!(one, other);
            }
            Ok(())
        })
        .expect("nobody obtains anything");
}
