//! Quotas: enforced, visible, and held by writers that do not know of each other.

use idetic_ops::{Kind, Memory};
use serde_json::{Value, json};

use crate::hermetic::Hermetic;

fn home(config: &str) -> Hermetic {
    let home = Hermetic::new();
    std::fs::write(home.folder.path().join("config.toml"), config).expect("a configuration");
    home
}

fn quota(home: &Hermetic, space: &str, what: &str) -> Value {
    let status: Value = serde_json::from_str(&home.call(space, "status", "{}").expect("answers")[0]).expect("JSON");
    let lines = status["quota"].as_array().expect("a list").clone();
    lines.into_iter().find(|line| line["what"] == what).expect("a line")
}

#[test]
fn a_full_space_refuses_and_what_makes_room_is_never_refused() {
    let home = home("[quota]\nfacts = 2\n[quota.spaces.\"big/x\"]\nfacts = 5\n");
    let store = |space: &str, text: &str| home.call(space, "fact store", &json!({"text": text}).to_string());
    store("local/x", "The sky is blue").expect("room");
    let second = store("local/x", "The grass is green").expect("room");
    let full = store("local/x", "The snow is white").expect_err("full");
    assert_eq!(full.kind, Kind::CheckFailed);
    assert!(full.message.contains("2 of 2 facts") && full.hint.contains("its facts"), "{full:?}");
    assert_eq!(quota(&home, "local/x", "facts"), json!({"what":"facts","used":2,"limit":2}));
    let id: Value = serde_json::from_str(&second[0]).expect("JSON");
    home.call("local/x", "fact update", &json!({"fact": id["fact_id"], "text": "The grass is very green"}).to_string())
        .expect("no more than before");
    home.call("local/x", "fact delete", &json!({"fact": id["fact_id"]}).to_string()).expect("makes room");
    store("local/x", "The snow is white").expect("room again");
    for n in 0..5 {
        store("big/x", &format!("Fact number {n} is here")).expect("room");
    }
    store("big/x", "One too many is this").expect_err("full");
}

#[test]
fn only_what_joins_a_fact_needs_no_room() {
    let home = home("[quota]\nfacts = 1\n");
    let store = |fact: Value| home.call("local/x", "fact store", &fact.to_string());
    let first: Value = serde_json::from_str(&store(json!({"text":"Ann likes tea"})).expect("room")[0]).expect("JSON");
    store(json!({"text":"Ann likes tea."})).expect("another source of the same");
    store(json!({"text":"Ann likes tea","agent":"bob"})).expect_err("in another memory it is another fact");
    let named = |fact: &str| json!({"kind":"fact.stored","content":"Rex is a dog","metadata":{"fact":fact}});
    home.call("local/x", "append", &json!({"events":[named("nobody")]}).to_string()).expect_err("no such fact");
    home.call("local/x", "fact update", &json!({"fact":first["fact_id"],"until":"2999-01-01"}).to_string())
        .expect("ends");
    assert_eq!(quota(&home, "local/x", "facts")["used"], 1);
}

#[test]
fn events_bytes_and_tokens_are_counted() {
    let home = home("[quota]\nevents = 3\n");
    for n in 0..3 {
        home.call("local/x", "remember", &json!({"text": format!("text {n}")}).to_string()).expect("room");
    }
    let full = home.call("local/x", "remember", r#"{"text":"more"}"#).expect_err("full");
    assert!(full.message.contains("3 of 3 events"), "{full}");
    std::fs::write(home.folder.path().join("config.toml"), "[quota]\nbytes = 100\n").expect("a configuration");
    home.call("ann/y", "remember", &json!({"text": "x".repeat(90)}).to_string()).expect("room");
    home.call("ann/y", "remember", &json!({"text": "x".repeat(11)}).to_string()).expect_err("full");
    std::fs::write(home.folder.path().join("config.toml"), "[quota]\ntokens = 10\n").expect("a configuration");
    home.call("bob/z", "remember", r#"{"text":"one two three four five"}"#).expect("room");
    home.call("bob/z", "remember", r#"{"text":"six seven eight nine ten eleven"}"#).expect_err("full");
}

#[test]
fn a_quota_holds_under_writers_that_do_not_know_of_each_other() {
    let home = home("[quota]\nfacts = 40\n");
    let (path, sources) = (home.folder.path(), &home.env);
    let stored: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                scope.spawn(move || {
                    let memory = Memory::open(path, sources.clone()).expect("opens");
                    let name = idetic_ops::core::SpaceName::parse("local/x").expect("a name");
                    let viewpoint = memory.space_or_new(&name).expect("a space").as_owner();
                    let store = |n: usize| {
                        let draft = idetic_ops::FactDraft {
                            text: format!("Writer {writer} holds number {n}"),
                            ..Default::default()
                        };
                        viewpoint.store_fact(draft).is_ok()
                    };
                    (0..20).filter(|n| store(*n)).count()
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().expect("a writer")).sum()
    });
    assert_eq!(stored, 40);
    assert_eq!(quota(&home, "local/x", "facts")["used"], 40);
}

#[test]
fn a_user_whose_memory_is_switched_off_is_told_so() {
    let home = home("[agent-mem]\nmemory-off-users = [\"bob\"]\n");
    let refused = home.call("bob/x", "fact store", r#"{"text":"Bob likes tea"}"#).expect_err("off");
    assert!(refused.message.contains("switched off for user bob"), "{refused}");
    for (operation, arguments) in [("episode store", r#"{"goal":"g"}"#), ("conversation add", r#"{"query":"q"}"#)] {
        home.call("bob/x", operation, arguments).expect_err("off");
    }
    home.call("ann/x", "fact store", r#"{"text":"Ann likes tea"}"#).expect("on");
}
