//! A clock that ran ahead once: what is told later is found by the time it was told at, and the space says what happened.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use idetic_ops::core::Time;
use idetic_ops::{Env, Models};
use serde_json::{Value, json};

use crate::hermetic::{Hermetic, START, counted};

const DAY: i64 = 86_400_000_000;
const FIVE_YEARS: i64 = 5 * 365 * DAY;

/// A home whose clock can be set.
fn home() -> (Hermetic, Arc<AtomicI64>) {
    let clock = Arc::new(AtomicI64::new(START));
    let (now, chance) = (Arc::clone(&clock), counted());
    let env = Env::new(move || Time(now.load(Ordering::Relaxed)), move |bytes| chance.fill(bytes));
    (Hermetic::with(env, Models::default()), clock)
}

fn said(text: &str) -> String {
    json!({"kind": "user_input", "content": text}).to_string()
}

fn asked(home: &Hermetic, operation: &str, arguments: &Value) -> Vec<Value> {
    let lines = home.call_all("local/default", operation, &arguments.to_string()).0;
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn what_is_told_after_a_clock_ran_ahead_has_its_own_time() {
    let (home, clock) = home();
    home.append("local/default", &[said("the harbour is closed")]);
    assert!(asked(&home, "status", &json!({}))[0].get("clock_ahead_ms").is_none());
    clock.store(START + FIVE_YEARS, Ordering::Relaxed);
    home.append("local/default", &[said("a wrong clock")]);
    clock.store(START + DAY, Ordering::Relaxed);
    home.append("local/default", &[said("the lighthouse is green")]);
    clock.store(START + 300 * DAY, Ordering::Relaxed);
    home.append("local/default", &[said("the lighthouse is red")]);

    let day = |days: i64| Time(START + days * DAY).to_string();
    let listed = |since: i64, until: i64| -> Vec<u64> {
        let events = asked(&home, "log", &json!({"since": day(since), "until": day(until)}));
        events.iter().filter_map(|event| event["seq"].as_u64()).collect()
    };
    assert_eq!(listed(-1, 2), [1, 3]);
    assert_eq!(listed(299, 301), [4]);

    let hits = asked(&home, "recall", &json!({"query": "lighthouse", "explain": true}))[0]["hits"].clone();
    let hit = |seq: u64| {
        let found = hits.as_array().and_then(|hits| hits.iter().find(|hit| hit["seq"] == seq));
        found.unwrap_or_else(|| panic!("{hits}")).clone()
    };
    assert_eq!((hit(3)["ts"].clone(), hit(4)["ts"].clone()), (day(1).into(), day(300).into()));
    let recency = |seq| hit(seq)["parts"]["recency"].as_f64().unwrap_or_default();
    assert!(recency(3) < recency(4) / 100.0, "{hits}");

    let ahead = FIVE_YEARS - 300 * DAY;
    assert_eq!(asked(&home, "status", &json!({}))[0]["clock_ahead_ms"], ahead / 1000);
    let checks = asked(&home, "doctor", &json!({}))[0]["checks"].clone();
    let clock = checks.as_array().and_then(|checks| checks.iter().find(|check| check["check"] == "clock"));
    let clock = clock.expect("it is checked");
    assert!(clock["found"].as_str().is_some_and(|found| found.contains("ran ahead")), "{clock}");
    assert_eq!(clock["ok"], false);
    home.call("local/default", "verify", "{}").expect("the log is sound");
}

#[test]
fn as_of_a_time_still_finds_whole_pasts() {
    let (home, clock) = home();
    clock.store(START + FIVE_YEARS, Ordering::Relaxed);
    home.append("local/default", &[said("a wrong clock")]);
    clock.store(START, Ordering::Relaxed);
    home.append("local/default", &[said("a right one")]);
    let at = |time: i64| asked(&home, "log", &json!({"as_of": Time(time).to_string()})).len();
    assert_eq!((at(START + DAY), at(START + FIVE_YEARS)), (0, 2));
}

#[test]
fn an_event_dated_in_the_future_makes_no_other_old() {
    let (home, clock) = home();
    home.append("local/default", &[said("the lighthouse is green")]);
    clock.store(START + DAY, Ordering::Relaxed);
    home.append("local/default", &[said("the harbour is open")]);
    let recency = |query: &str, as_of: u64| {
        let found = asked(&home, "recall", &json!({"query": query, "explain": true, "as_of": as_of}));
        found[0]["hits"][0]["parts"]["recency"].as_f64().expect("a part")
    };
    let before = recency("lighthouse", 2);
    let later = Time(START + FIVE_YEARS).to_string();
    let dated = json!({"kind": "user_input", "content": "the ferry sails", "ts": later}).to_string();
    home.append("local/default", &[dated]);
    assert!(recency("lighthouse", 3) > before / 2.0, "{before} and then {}", recency("lighthouse", 3));
    let asked_then = recency("lighthouse", 3);
    clock.store(START + 2 * FIVE_YEARS, Ordering::Relaxed);
    assert_eq!((recency("lighthouse", 2), recency("lighthouse", 3)), (before, asked_then), "a past does not change");
}
