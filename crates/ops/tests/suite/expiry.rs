//! What expires: as if it had never been from that moment on, for every reader, whether or not upkeep ever ran.

use std::sync::Arc;

use idetic_ops::core::SpaceName;
use idetic_ops::core::words::Trust;
use idetic_ops::purge::{Plan, PurgeJournal, Selection, receipt};
use idetic_ops::{Grant, Kind, Space};
use serde_json::{Value, json};

use crate::hashed_words::models;
use crate::hermetic::{Hermetic, counted};

/// The clock of a home stands before this until it is asked so often.
const SOON: &str = "2025-01-02T00:00:00Z";
const LOOKS_TO_THEN: usize = 12 * 3600;

fn home() -> Hermetic {
    Hermetic::with(counted(), models(true))
}

fn lines(home: &Hermetic, operation: &str, arguments: Value) -> Vec<String> {
    home.call("local/x", operation, &arguments.to_string())
        .unwrap_or_else(|e| panic!("{operation} {arguments}: {e} {}", e.hint))
}

fn one(home: &Hermetic, operation: &str, arguments: Value) -> Value {
    serde_json::from_str(lines(home, operation, arguments).first().expect("an answer")).expect("JSON")
}

fn wait(home: &Hermetic) {
    for _ in 0..LOOKS_TO_THEN {
        home.env.now();
    }
}

fn space(home: &Hermetic, name: &str) -> Arc<Space> {
    home.memory().space(&SpaceName::parse(name).expect("a name")).expect("a space")
}

/// The ids of the events that have their content.
fn kept(home: &Hermetic) -> Vec<String> {
    let stored = space(home, "local/x").raw_log().read(1, 1000).expect("reads");
    stored.into_iter().filter(|event| event.secret.is_some()).map(|event| event.header.id).collect()
}

/// Every reader, with what it asks for something about an otter.
const READERS: &[(&str, &str)] = &[
    ("recall", r#"{"query":"otter password of the guest wifi"}"#),
    ("recall", r#"{"query":"otter","mode":"lexical","filter":{"tags":"otter"}}"#),
    ("context", r#"{"query":"what is the otter password of the guest wifi?"}"#),
    ("log", "{}"),
    ("log", r#"{"tags":["otter"]}"#),
    ("ltm", r#"{"limit":0}"#),
    ("fact list", "{}"),
    ("fact retrieve", r#"{"query":"otter"}"#),
    ("note list", "{}"),
    ("note search", r#"{"query":"otter"}"#),
    ("episode list", "{}"),
    ("episode retrieve", r#"{"query":"otter"}"#),
    ("conversation list", "{}"),
    ("trace", "{}"),
    ("loops", r#"{"agent":"a"}"#),
    ("graph", "{}"),
    ("query", r#"{"sql":"SELECT id, content FROM events"}"#),
    ("query", r#"{"sql":"SELECT * FROM event_tags"}"#),
    ("query", r#"{"sql":"SELECT id, content FROM facts"}"#),
    ("query", r#"{"sql":"SELECT id, title FROM notes"}"#),
    ("query", r#"{"sql":"SELECT id, goal FROM episodes"}"#),
    ("query", r#"{"sql":"SELECT * FROM traces"}"#),
    ("query", r#"{"sql":"SELECT * FROM nodes"}"#),
    ("query", r#"{"sql":"SELECT id, goal FROM conversations"}"#),
    ("session preview", r#"{"project":"github.com/acme/shop"}"#),
];

fn say_all(home: &Hermetic) {
    let until = |value: Value| {
        let mut value = value;
        value["expires_at"] = SOON.into();
        value
    };
    let records = [
        until(
            json!({"kind":"user_input","id":"m1","content":"The guest wifi is otter","tags":["otter"],"trace_id":"t-otter"}),
        ),
        until(json!({"kind":"conversation.started","conversation_id":"c-otter","metadata":{"goal":"otter"}})),
        until(json!({"kind":"decision","scope":"otter","content":"otter wifi","agent_id":"a","loop_id":"l-otter"})),
        until(json!({"kind":"decision","scope":"otter-node","content":"otter wifi"})),
    ];
    home.append("local/x", &records.map(|record| record.to_string()));
    lines(home, "remember", until(json!({"text":"The otter password of the guest wifi","tags":["otter","rule"]})));
    lines(home, "fact store", until(json!({"text":"The guest wifi is called otter"})));
    lines(home, "fact store", json!({"text":"Ann likes the otter","causes":["m1"]}));
    lines(home, "note write", until(json!({"title":"Otter wifi","content":"otter","tags":["otter"],"force":true})));
    lines(home, "episode store", until(json!({"goal":"Fix the otter wifi","outcome":"otter","status":"success"})));
    let of_project = json!({"text":"The shop sells an otter","source":"github.com/acme/shop","trust":"user"});
    lines(home, "remember", until(of_project));
}

#[test]
fn every_reader_has_it_before_and_none_after_without_any_upkeep() {
    let home = home();
    lines(&home, "remember", json!({"text":"The kitchen has a kettle"}));
    say_all(&home);
    let has =
        |reader: &(&str, &str)| home.call("local/x", reader.0, reader.1).expect(reader.0).join("\n").contains("tter");
    for reader in READERS {
        assert!(has(reader), "{reader:?} finds it while it is there");
    }
    wait(&home);
    for reader in READERS {
        assert!(!has(reader), "{reader:?} finds nothing of it");
    }
    assert!(lines(&home, "log", json!({})).join("").contains("kettle"), "the rest stays");
    let missing = home.call("local/x", "get", r#"{"event":"m1"}"#).expect_err("expired");
    assert!(missing.message.contains("expired at 2025-01-02T00:00:00"), "{missing}");
    let of_agent = home.call("local/x", "get", r#"{"event":"m1","agent":"a"}"#).expect_err("expired");
    assert!(!of_agent.message.contains("expired"), "a view hears what it hears of what never was: {of_agent}");
    home.call("local/x", "update", r#"{"id":"m1","expires_at":"never"}"#).expect_err("nobody brings it back");
}

#[test]
fn the_past_has_what_was_there_then() {
    let home = home();
    say_all(&home);
    let asked = |as_of: Value| one(&home, "recall", json!({"query":"otter password","as_of":as_of}))["hits"].clone();
    let before = asked(json!(5));
    let hits = before.as_array().expect("hits").len();
    assert!(hits > 0);
    wait(&home);
    assert_eq!(asked(json!(5)), before, "as of an event, now is when that was written");
    assert_eq!(asked(json!("2025-01-01T23:00:00Z")).as_array().map(Vec::is_empty), Some(false));
    assert_eq!(asked(json!("2025-01-02T00:00:00Z")), json!([]), "as of a time, now is that time");
    assert_eq!(one(&home, "recall", json!({"query":"otter password"}))["hits"], json!([]));
    assert!(home.call("local/x", "get", r#"{"event":"m1","as_of":5}"#).is_ok());
}

#[test]
fn an_end_is_set_prolonged_and_taken_away() {
    let home = home();
    let one_said = one(&home, "remember", json!({"text":"otter one","expires_at":SOON}));
    let other = one(&home, "remember", json!({"text":"otter two","expires_at":"2h"}));
    let third = one(&home, "remember", json!({"text":"otter three"}));
    let fact = one(&home, "fact store", json!({"text":"The wifi is called otter","expires_at":"2h"}));
    lines(&home, "note write", json!({"title":"Otter","content":"otter","id":"otter","expires_at":"2h"}));
    // A new version keeps the end of the old one.
    let version = one(&home, "update", json!({"id":one_said["id"],"text":"otter one again"}));
    lines(&home, "update", json!({"id":other["id"],"expires_at":"never"}));
    lines(&home, "update", json!({"id":third["id"],"expires_at":"1h"}));
    lines(&home, "update", json!({"id":fact["fact_id"],"expires_at":"never"}));
    lines(&home, "update", json!({"id":"otter","expires_at":"900w"}));
    wait(&home);
    for (id, is_there) in
        [(&one_said["id"], false), (&version["id"], false), (&other["id"], true), (&third["id"], false)]
    {
        let found = home.call("local/x", "get", &json!({"event":id}).to_string());
        assert_eq!(found.is_ok(), is_there, "{id}: {found:?}");
    }
    assert_eq!(lines(&home, "fact list", json!({})).len(), 1);
    assert_eq!(lines(&home, "note list", json!({})).len(), 1);
    for wrong in ["soon", "2020-01-01", "5m"] {
        let refused = home.call("local/x", "remember", &json!({"text":"x","expires_at":wrong}).to_string());
        assert_eq!(refused.expect_err(wrong).kind, Kind::Invalid, "{wrong}");
    }
}

#[test]
fn an_event_is_shown_with_the_end_that_was_set_last() {
    let home = home();
    let first = one(&home, "remember", json!({"text":"otter","expires_at":"2h"}));
    let endless = one(&home, "remember", json!({"text":"weasel"}));
    let second = one(&home, "update", json!({"id":first["id"],"text":"otter again"}));
    let shown = |operation: &str, asked: Value| -> Vec<Value> {
        lines(&home, operation, asked).iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let end = |id: &Value| {
        let end = one(&home, "get", json!({"id":id}))["expires_at"].clone();
        let listed = shown("log", json!({"id":id}));
        assert_eq!(listed[0]["expires_at"], end, "the log says the same");
        end
    };
    let written = end(&first["id"]);
    assert!(written.as_str().is_some_and(|time| time.starts_with("2025-01-01T14:0")), "{written}");
    assert_eq!(end(&second["id"]), written, "a new version keeps it");
    lines(&home, "update", json!({"id":endless["id"],"expires_at":SOON}));
    assert_eq!(end(&endless["id"]), "2025-01-02T00:00:00.000000Z");
    lines(&home, "update", json!({"id":second["id"],"expires_at":"never"}));
    assert_eq!(end(&first["id"]), Value::Null);
    lines(&home, "update", json!({"id":first["id"],"expires_at":"2025-01-03"}));
    let versions = shown("history", json!({"id":second["id"]}));
    let ends: Vec<&Value> = versions.iter().map(|version| &version["expires_at"]).collect();
    assert_eq!(ends, ["2025-01-03T00:00:00.000000Z"; 2]);
    // As it was known then.
    let then = one(&home, "get", json!({"id":first["id"],"as_of":first["seq"]}));
    assert_eq!(then["expires_at"], written);
    // An agent that sees the event is told the same.
    assert_eq!(one(&home, "get", json!({"id":first["id"],"agent":"a"}))["expires_at"], "2025-01-03T00:00:00.000000Z");
}

#[test]
fn a_retry_under_an_id_means_the_first_time() {
    let home = home();
    let said = json!({"text":"otter","id":"m","expires_at":"1d"});
    let first = one(&home, "remember", said.clone());
    assert_eq!(one(&home, "remember", said), first);
    let expires = one(&home, "get", json!({"event":"m"}))["expires_at"].clone();
    assert!(expires.as_str().is_some_and(|time| time.starts_with("2025-01-02T12:0")), "{expires}");
}

#[test]
fn what_took_another_ones_place_gives_it_back() {
    let home = home();
    let store = |text: &str, value: &str, more: Value| {
        let mut said = json!({"text":text,"subject":"Ann","attribute":"lives_in","value":value});
        said.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        one(&home, "fact store", said)
    };
    store("Ann lives in Brno", "Brno", json!({}));
    store("Ann lives in Oslo", "Oslo", json!({"expires_at":SOON}));
    let current = || lines(&home, "fact list", json!({})).join("\n");
    assert!(current().contains("Oslo") && !current().contains("Brno"));
    wait(&home);
    assert!(current().contains("Brno") && !current().contains("Oslo"), "{}", current());
}

#[test]
fn recall_is_what_it_would_be_had_it_never_been() {
    let (with, without) = (home(), home());
    for home in [&with, &without] {
        for (at, text) in
            ["a red boat", "a blue boat and a lamp", "the boat sails on Thursday", "ann paints"].iter().enumerate()
        {
            let said = json!({"kind":"user_input","id":format!("k{at}"),"content":text,"author":"ann",
                "conversation_id":"c1","ts":format!("2025-01-01T00:0{at}:00Z")});
            home.append("local/x", &[said.to_string()]);
            if std::ptr::eq(home, &raw const with) {
                let gone = json!({"kind":"actor_output","content":"red boat red boat zeppelin","author":"bob",
                    "conversation_id":"c2","ts":"2025-01-01T00:00:30Z","expires_at":"1s"});
                home.append("local/x", &[gone.to_string()]);
            }
        }
        wait(home);
        lines(home, "reembed", json!({}));
    }
    for mode in ["lexical", "vector", "hybrid"] {
        let ask = |home: &Hermetic| {
            let hits = one(home, "recall", json!({"query":"which red boat did ann paint?","mode":mode,"explain":true}));
            let hits = hits["hits"]
                .as_array()
                .expect("hits")
                .iter()
                .map(|hit| (hit["id"].clone(), hit["score"].clone(), hit["parts"].clone()));
            hits.collect::<Vec<_>>()
        };
        assert_eq!(ask(&with), ask(&without), "{mode}");
    }
}

#[test]
fn upkeep_erases_it_with_a_receipt_and_the_log_verifies() {
    let home = home();
    say_all(&home);
    let digest = |home: &Hermetic| lines(home, "digest", json!({}));
    let before = digest(&home);
    wait(&home);
    assert_eq!(digest(&home), before, "what is derived knows no clock");
    let dreamt = one(&home, "dream", json!({}));
    assert!(dreamt["consolidated"]["expired"].as_u64() >= Some(9), "{dreamt}");
    let said: Vec<_> = space(&home, "local/x")
        .raw_log()
        .read(1, 100)
        .expect("reads")
        .into_iter()
        .filter_map(|event| event.secret)
        .collect();
    assert!(!said.iter().any(|secret| secret.body.contains("tter")), "no body says it");
    let receipt = said.iter().find(|secret| secret.body.contains("memory.purged")).expect("a receipt");
    assert!(receipt.body.contains("expired"));
    home.call("local/x", "verify", "{}").expect("verifies");
    let derived = digest(&home);
    lines(&home, "rebuild", json!({}));
    assert_eq!(digest(&home), derived);
    assert_eq!(one(&home, "dream", json!({}))["consolidated"]["expired"], 0);
}

#[test]
fn an_id_of_something_expired_is_not_given_again() {
    let home = home();
    let held = Grant { trust: Some(Trust::Agent), ..Grant::default() };
    let said = one(&home, "remember", json!({"text":"otter","expires_at":SOON}));
    wait(&home);
    let again = json!({"text":"anything","id":said["id"],"expires_at":"900w"}).to_string();
    let refused = home.call_within(held.clone(), "local/x", "remember", &again).expect_err("taken");
    assert_eq!(refused.kind, Kind::Conflict, "{refused}");
    home.call("local/x", "get", &json!({"event":said["id"]}).to_string()).expect_err("still expired");
    // So much from now on, under an id of the caller's, by a key of less trust: counted by the log as for anyone.
    let own = json!({"text":"anything","id":"own","expires_at":"900w"}).to_string();
    home.call_within(held, "local/x", "remember", &own).expect("remembered");
    assert!(one(&home, "get", json!({"event":"own"}))["expires_at"].is_string());
}

#[test]
fn who_is_trusted_less_does_not_change_what_expired() {
    let home = home();
    let said = one(&home, "remember", json!({"text":"otter","expires_at":SOON}));
    wait(&home);
    let held = Grant { trust: Some(Trust::External), ..Grant::default() };
    let next = json!({"text":"nothing of it","metadata":{"supersedes":said["id"]}}).to_string();
    let refused = home.call_within(held, "local/x", "remember", &next).expect_err("trusted less");
    assert!(refused.message.contains("may not change it"), "{refused}");
}

#[test]
fn a_fact_that_a_later_one_ended_is_gone_when_its_own_time_comes() {
    let home = home();
    let lives = |town: &str, end: Option<&str>| {
        let mut fact =
            json!({"text": format!("Ann lives in {town}"), "subject": "Ann", "attribute": "lives_in", "value": town});
        if let Some(end) = end {
            fact["expires_at"] = json!(end);
        }
        one(&home, "fact store", fact)
    };
    lives("Brno", None);
    let oslo = lives("Oslo", Some(SOON));
    lives("Paris", None);
    assert!(lines(&home, "fact list", json!({"all": true})).iter().any(|line| line.contains("Oslo")), "until then");
    wait(&home);
    let all = lines(&home, "fact list", json!({"all": true}));
    assert!(all.iter().all(|line| !line.contains("Oslo")) && all.iter().any(|line| line.contains("Paris")), "{all:?}");
    assert!(home.call("local/x", "fact get", &json!({"fact": oslo["fact_id"]}).to_string()).is_err());
    let rows = lines(&home, "query", json!({"sql": "SELECT content FROM facts"}));
    assert!(rows.iter().all(|line| !line.contains("Oslo")), "{rows:?}");
}

#[test]
fn nothing_in_the_audit_log_expires_whatever_it_says() {
    let home = home();
    say_all(&home);
    // As a program without this rule left it.
    home.copy_prefix("local/x", "idetic/audit", 100);
    let there = || home.call("idetic/audit", "log", "{}").expect("reads").len();
    let events = there();
    wait(&home);
    assert_eq!((there(), lines(&home, "log", json!({})).len() < events), (events, true));
    home.call("idetic/audit", "dream", "{}").expect("dreams");
    assert!(there() >= events && home.call("idetic/audit", "get", r#"{"event":"m1"}"#).is_ok());
    let ended = json!({"text": "nothing", "expires_at": "1d"}).to_string();
    let refused = home.call("idetic/audit", "remember", &ended).expect_err("has an end");
    assert_eq!(refused.kind, Kind::Invalid, "{refused}");
    let event = space(&home, "idetic/audit").event(1).expect("its content is there");
    assert!(event.fields.is_some());
}

#[test]
fn a_quarantine_and_a_receipt_have_no_end() {
    let home = home();
    let said = one(&home, "remember", json!({"text": "otter"}));
    let hidden = one(&home, "quarantine", json!({"event": said["id"], "yes": true}));
    let other = one(&home, "remember", json!({"text": "weasel"}));
    let forgotten = one(&home, "forget", json!({"id": other["id"], "yes": true}));
    for id in [&hidden["id"], &forgotten["receipt"]] {
        let ended = json!({"id": id, "expires_at": "1h"}).to_string();
        let refused = home.call("local/x", "update", &ended).expect_err("the program wrote it");
        assert_eq!(refused.kind, Kind::Invalid, "{refused}");
    }
}

#[test]
fn an_end_given_by_a_key_that_may_not_forget_hides_and_erases_nothing() {
    let home = home();
    let outside = Grant { trust: Some(Trust::External), ..Grant::default() };
    let held = Grant { agent: Some("a".to_owned()), ..Grant::default() };
    let within = |grant: &Grant, operation: &str, arguments: Value| {
        home.call_within(grant.clone(), "local/x", operation, &arguments.to_string()).expect(operation)
    };
    let derived = |id: &str, cause: &str| {
        let said = json!({"id":id,"kind":"decision","agent_id":"b","content":"made of it","causes":[cause]});
        home.append("local/x", &[said.to_string()]);
    };
    within(&outside, "remember", json!({"id":"shared","text":"otter"}));
    within(&held, "remember", json!({"id":"of agent","text":"otter"}));
    within(&outside, "remember", json!({"id":"owner's","text":"otter"}));
    for cause in ["shared", "owner's"] {
        derived(&format!("of {cause}"), cause);
    }
    within(&outside, "update", json!({"id":"shared","expires_at":"1h"}));
    within(&held, "update", json!({"id":"of agent","expires_at":"1h"}));
    lines(&home, "update", json!({"id":"owner's","expires_at":"1h"}));
    // An end of its own, which was taken away and given again by somebody who may not forget it.
    within(&held, "remember", json!({"id":"prolonged","text":"otter","expires_at":"1h"}));
    lines(&home, "update", json!({"id":"prolonged","expires_at":"never"}));
    derived("of prolonged", "prolonged");
    within(&held, "update", json!({"id":"prolonged","expires_at":"2h"}));
    wait(&home);
    for id in ["shared", "of agent", "owner's", "prolonged"] {
        home.call("local/x", "get", &json!({"event":id}).to_string()).expect_err("expired");
    }
    assert_eq!(one(&home, "dream", json!({}))["consolidated"]["expired"], 3, "with what was made of it, and its end");
    let kept = kept(&home);
    let has = |id: &str| kept.iter().any(|kept| kept == id);
    assert!(
        has("shared") && has("of shared") && has("of agent") && has("prolonged") && has("of prolonged"),
        "{kept:?}"
    );
    assert!(!has("owner's") && !has("of owner's"), "{kept:?}");
    home.call("local/x", "get", r#"{"event":"shared"}"#).expect_err("still left out");
    assert_eq!(one(&home, "dream", json!({}))["consolidated"]["expired"], 0);
}

#[test]
fn upkeep_erases_nothing_in_quarantine_and_nothing_that_was_kept() {
    let home = home();
    let outside = Grant { trust: Some(Trust::External), ..Grant::default() };
    let said = json!({"id":"source","text":"otter","expires_at":SOON}).to_string();
    home.call_within(outside, "local/x", "remember", &said).expect("remembered");
    for id in ["hidden", "kept", "gone"] {
        let said = json!({"id":id,"kind":"decision","agent_id":"b","content":"made of it","causes":["source"]});
        home.append("local/x", &[said.to_string()]);
    }
    lines(&home, "quarantine", json!({"event":"hidden","yes":true}));
    lines(&home, "update", json!({"id":"kept","expires_at":"never"}));
    wait(&home);
    assert_eq!(one(&home, "dream", json!({}))["consolidated"]["expired"], 2);
    let there = kept(&home);
    let has = |id: &str| there.iter().any(|there| there == id);
    assert!(has("hidden") && has("kept") && !has("source") && !has("gone"), "{there:?}");
}

#[test]
fn an_erasure_that_was_stopped_half_way_is_finished_though_nothing_has_expired_any_more() {
    let home = home();
    say_all(&home);
    wait(&home);
    let space = space(&home, "local/x");
    let wanted = Selection { expired: true, ..Selection::default() };
    let plan = Plan::of(&space, &wanted, &mut |_, _| {}).expect("a plan");
    let seqs: Vec<u64> = plan.chosen.iter().map(|chosen| chosen.seq).collect();
    let receipt = receipt(&home.env, &seqs, Some("expired")).expect("a receipt");
    PurgeJournal::new(&space, &plan.chosen, receipt).expect("a journal").save(&space).expect("written");
    // As it is where somebody reads the log for long: the bodies are gone, and no more was done.
    space.raw_log().erase(&seqs.into_iter().collect()).expect("erased");
    space.discard_derived().expect("discarded");
    assert!(space.erasable(space.horizon(None).expect("a head")).expect("asked").is_empty());
    lines(&home, "dream", json!({}));
    assert!(!PurgeJournal::is_there(&space), "nothing is left to do");
    home.call("local/x", "verify", "{}").expect("verifies");
}

#[test]
fn a_fact_of_which_an_end_was_said_is_gone_when_its_own_time_comes() {
    let home = home();
    let town = |town: &str| {
        let fact = json!({"text": format!("Ann lives in {town}"), "subject": "Ann", "attribute": format!("lives_in_{town}"),
            "value": town, "expires_at": SOON});
        one(&home, "fact store", fact)["fact_id"].clone()
    };
    let (ended, again, worded, late) = (town("Oslo"), town("Bern"), town("Rome"), town("Kiel"));
    lines(&home, "fact update", json!({"fact": ended, "until": "2030-01-01"}));
    lines(&home, "fact update", json!({"fact": again, "until": "2030-01-01"}));
    lines(&home, "fact update", json!({"fact": again, "until": "never"}));
    let told =
        |kind: &str, fact: &Value| json!({"kind": kind, "metadata": {"fact": fact, "until": "2031-01-01"}}).to_string();
    home.append("local/x", &[told("fact.stored", &worded)]);
    let asked: &[(&str, Value)] = &[
        ("fact list", json!({"all": true})),
        ("query", json!({"sql": "SELECT content FROM facts"})),
        ("graph", json!({})),
        ("export memories", json!({})),
    ];
    let says = |name: &str, asked: &Value| {
        let said = lines(&home, name, asked.clone()).join("\n");
        ["Oslo", "Bern", "Rome", "Kiel"].into_iter().filter(|town| said.contains(town)).collect::<Vec<_>>()
    };
    for (name, asked) in asked {
        assert_eq!(says(name, asked).len(), 4, "{name} while they are there");
    }
    wait(&home);
    // Nor does one that is said when it is gone already bring it back.
    home.append("local/x", &[told("fact.ended", &late), told("fact.stored", &late)]);
    for (name, asked) in asked {
        assert_eq!(says(name, asked), Vec::<&str>::new(), "{name}");
    }
    for fact in [&ended, &again, &worded, &late] {
        assert!(home.call("local/x", "fact get", &json!({"fact": fact}).to_string()).is_err(), "{fact}");
    }
}

#[test]
fn the_goal_of_a_conversation_that_goes_on_is_gone_and_the_one_before_stands_again() {
    let home = home();
    let begins = |id: &str, goal: &str, end: Option<&str>| {
        let mut begun = json!({"kind":"conversation.started","conversation_id":id,"metadata":{"goal":goal}});
        if let Some(end) = end {
            begun["expires_at"] = end.into();
        }
        home.append("local/x", &[begun.to_string()]);
    };
    begins("one", "plan the otter trip", Some(SOON));
    begins("two", "mend the roof", None);
    begins("two", "feed the otter", Some(SOON));
    for id in ["one", "two"] {
        one(&home, "conversation add", json!({"id":id,"query":"and then?","result":"nothing"}));
    }
    let goals = |operation: &str, asked: Value| {
        let mut said: Vec<(String, Value)> = lines(&home, operation, asked)
            .iter()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
            .flat_map(|said| said["rows"].as_array().cloned().unwrap_or_else(|| vec![said]))
            .map(|row| match row.as_array().map(Vec::as_slice) {
                Some([id, goal]) => (id.as_str().expect("an id").to_owned(), goal.clone()),
                _ => {
                    let id = row["conversation_id"].as_str().or(row["id"].as_str());
                    (id.expect("an id").to_owned(), row["goal"].clone())
                }
            })
            .collect();
        said.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        said.into_iter().map(|(_, goal)| goal).collect::<Vec<_>>()
    };
    let asked = [("conversation list", json!({})), ("query", json!({"sql":"SELECT id, goal FROM conversations"}))];
    for (operation, asked) in &asked {
        assert_eq!(goals(operation, asked.clone()), ["plan the otter trip", "feed the otter"], "{operation}");
    }
    wait(&home);
    for (operation, asked) in &asked {
        assert_eq!(goals(operation, asked.clone()), [Value::Null, json!("mend the roof")], "{operation}");
    }
    let shown = one(&home, "conversation show", json!({"conversation":"two"}));
    assert_eq!(shown["conversation"]["goal"], "mend the roof");
}

#[test]
fn an_export_of_the_past_has_what_was_there_then() {
    let home = home();
    lines(&home, "remember", json!({"text":"otter one","expires_at":SOON}));
    lines(&home, "fact store", json!({"text":"The guest wifi is called otter","expires_at":SOON}));
    wait(&home);
    let exported = |asked: Value| lines(&home, "export memories", asked);
    let ends = exported(json!({"as_of":2}))
        .iter()
        .filter(|line| line.contains(r#""expires_at":"2025-01-02T00:00:00"#))
        .count();
    assert_eq!(ends, 2, "what leaves says when it expires");
    assert_eq!(exported(json!({"as_of":2})).len(), 2);
    assert_eq!(exported(json!({"as_of":"2025-01-01T23:00:00Z"})).len(), 2);
    assert_eq!(exported(json!({"as_of":SOON})), Vec::<String>::new());
    assert_eq!(exported(json!({})), Vec::<String>::new());
}

#[test]
fn sql_says_when_an_episode_expires_as_it_was_said_last() {
    let home = home();
    let stored = one(&home, "episode store", json!({"goal":"Fix it","status":"success","expires_at":SOON}));
    let expires = |as_of: Value| {
        let asked = json!({"sql":"SELECT expires FROM episodes","as_of":as_of});
        lines(&home, "query", asked).join("\n")
    };
    let at = expires(Value::Null);
    assert!(at.contains("2025-01-02T00:00:00"), "{at}");
    lines(&home, "update", json!({"id":stored["episode_id"],"expires_at":"never"}));
    let now = expires(Value::Null);
    assert!(!now.contains("2025-01-02") && now.contains("null"), "{now}");
    assert_eq!(expires(stored["seq"].clone()), at, "as of before");
}

#[test]
fn an_entry_of_the_changelog_that_was_referred_to_is_gone_when_its_own_time_comes() {
    let home = home();
    let asked = json!({"kind":"escalation","id":"e1","scope":"otter","content":"May we?","expires_at":SOON});
    let answered = json!({"kind":"decision","id":"e2","scope":"harbour","content":"We may","refs":["e1"]});
    home.append("local/x", &[asked.to_string(), answered.to_string()]);
    let rows = || lines(&home, "query", json!({"sql":"SELECT event, scope FROM changelog"})).join("\n");
    assert!(rows().contains("otter") && rows().contains("harbour"), "{}", rows());
    wait(&home);
    assert!(!rows().contains("otter") && rows().contains("harbour"), "{}", rows());
}
