//! A space that was purged against one that never held what was purged: the digest and every answer are the same.

use serde_json::{Value, json};

use super::{CANARY, SPACE, append, call, home, says_canary};
use crate::hermetic::Hermetic;

/// More than are sealed into files at once.
const EVENTS: usize = 700;
const QUERIES: usize = 200;

const WORDS: [&str; 16] = [
    "harbour",
    "gull",
    "engine",
    "ticket",
    "garden",
    "server",
    "letter",
    "bridge",
    "Quillfeather",
    "zoë",
    "music",
    "winter",
    "budget",
    "coffee",
    "window",
    "river",
];

fn word(n: usize) -> &'static str {
    WORDS[n % WORDS.len()].strip_prefix("Quill").map_or(WORDS[n % WORDS.len()], |_| "feather")
}

/// One event of a life with conversations, agents, traces, loops, notes, grades and a changelog.
fn event(n: usize) -> Value {
    let (id, day) = (format!("e{n}"), format!("2024-{:02}-{:02}T{:02}:00:00Z", n / 28 % 12 + 1, n % 28 + 1, n % 24));
    let text = format!("the {} near the {} and the {} of {}", word(n), word(n * 3 + 1), word(n * 7 + 2), n % 31);
    match n % 10 {
        0 => {
            json!({"id": id, "ts": day, "kind": "gateway.tool_call", "agent_id": "cc", "status": if n.is_multiple_of(3) { "failure" } else { "success" },
                    "trace_id": format!("t{}", n / 40), "metadata": {"duration_ms": n, "tool_name": "cat"}, "content": text})
        }
        1 => {
            json!({"id": id, "ts": day, "kind": "actor_output", "agent_id": "cc", "persona": "actor", "loop_id": format!("l{}", n / 30), "content": text})
        }
        2 => json!({"id": id, "ts": day, "kind": "note.written", "content": text, "tags": ["n"],
                    "metadata": {"note": format!("note{}", n / 60), "title": word(n), "tags": ["n"]}}),
        3 => {
            json!({"id": id, "ts": day, "kind": "memory.regraded", "metadata": {"grades": {format!("e{}", n / 2): 0.9}}})
        }
        4 => {
            json!({"id": id, "ts": day, "kind": "decision", "scope": word(n), "summary": text, "author": "ann", "refs": [format!("e{}", n.saturating_sub(10))]})
        }
        5 => {
            json!({"id": id, "ts": day, "kind": "user_input", "content": text, "metadata": {"supersedes": format!("e{}", n / 3)}, "author": "bob"})
        }
        _ => {
            json!({"id": id, "ts": day, "kind": "user_input", "content": text, "conversation_id": format!("k{}", n / 25), "author": if n.is_multiple_of(2) { "ann" } else { "bob" }})
        }
    }
}

/// What is to go: the canary in every part of an event, and what was made of it.
fn secret(n: usize) -> Value {
    let (id, day) = (format!("s{n}"), format!("2024-05-{:02}T03:00:00Z", n % 28 + 1));
    match n % 8 {
        0 => {
            json!({"id": id, "ts": day, "kind": "user_input", "content": format!("I am {CANARY} and the gull is mine"), "conversation_id": format!("k{}", n / 4)})
        }
        1 => {
            json!({"id": id, "ts": day, "kind": "actor_output", "content": "the gull of that person near the harbour", "causes": [format!("s{}", n - 1)]})
        }
        2 => {
            json!({"id": id, "ts": day, "kind": "user_input", "content": "the engine", "author": CANARY, "conversation_id": "k3"})
        }
        3 => {
            json!({"id": id, "ts": day, "kind": "gateway.tool_call", "agent_id": "cc", "status": "failure", "trace_id": "t2", "metadata": {"error": "no ZOË QUILLFEATHER", "duration_ms": 9}})
        }
        4 => {
            json!({"id": id, "ts": day, "kind": "note.written", "content": "river", "metadata": {"note": format!("note-{CANARY}"), "title": CANARY}})
        }
        5 => {
            json!({"id": id, "ts": day, "kind": "decision", "scope": "harbour", "summary": format!("{CANARY} decides"), "metadata": {"blocks": ["gull"]}})
        }
        6 => json!({"id": id, "ts": day, "kind": "memory.retired", "refs": [format!("s{}", n - 6)]}),
        _ => {
            json!({"id": id, "ts": day, "kind": "user_input", "tags": ["zoë quillfeather"], "agent_id": CANARY, "content": "music in winter"})
        }
    }
}

/// A space with or without what is to go: some of it at the very beginning, some at the end.
fn life(with_secrets: bool) -> Hermetic {
    let home = home();
    let mut secrets = (0..40).map(secret);
    let mut records: Vec<Value> = secrets.by_ref().take(8).collect();
    for n in 0..EVENTS {
        records.push(event(n));
        if n % 25 == 24 {
            records.extend(secrets.next());
        }
    }
    records.extend(secrets);
    records.retain(|record| with_secrets || !record["id"].as_str().is_some_and(|id| id.starts_with('s')));
    records.chunks(64).for_each(|part| append(&home, part));
    call(&home, "recall", &json!({"query": "gull"}));
    call(&home, "reembed", &json!({}));
    home
}

/// An answer without the numbers of the log, which no purge changes.
fn without_seqs(mut value: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for key in ["seq", "as_of", "born", "horizon", "head", "hash", "prev_hash"] {
                    map.remove(key);
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut value);
    value
}

fn answers(home: &Hermetic) -> Vec<(String, Vec<Value>)> {
    let mut asked: Vec<(&str, Value)> = Vec::new();
    for n in 0..QUERIES {
        let query = format!("{} {} {}", WORDS[n % 16], WORDS[n / 16 % 16], WORDS[n * 5 % 16]);
        let mut arguments = json!({"query": query, "k": 10, "explain": true});
        match n % 5 {
            1 => arguments["agent"] = json!("cc"),
            2 => arguments["conversation"] = json!(format!("k{}", n % 28)),
            3 => arguments["mode"] = json!("vector"),
            _ => {}
        }
        asked.push(("recall", arguments));
    }
    asked.push(("recall", json!({"query": CANARY, "k": 50})));
    asked.push(("stats", json!({})));
    asked.push(("failures", json!({})));
    asked.push(("note list", json!({})));
    asked.push(("graph", json!({"focus": "harbour"})));
    asked.push(("query", json!({"sql": "SELECT id, kind, ts, content FROM events ORDER BY id"})));
    asked.push((
        "query",
        json!({"sql": "SELECT trace_id, agent, events, failures, started, ended FROM traces ORDER BY 1"}),
    ));
    let answer = |(operation, arguments): &(&str, Value)| {
        let (lines, _) = home.call_all(SPACE, operation, &arguments.to_string());
        let lines = lines.iter().map(|line| without_seqs(serde_json::from_str(line).expect("JSON")));
        (format!("{operation} {arguments}"), lines.collect())
    };
    asked.iter().map(answer).collect()
}

#[test]
fn what_remains_is_as_if_it_had_never_been() {
    let (held, never) = (life(true), life(false));
    let views = |home: &Hermetic| call(home, "digest", &json!({"vectors": true}))[0]["views"].clone();
    assert_ne!(views(&held), views(&never));
    let purged = call(&held, "purge", &json!({"matching": CANARY, "yes": true}));
    assert_eq!(purged[0]["events"].as_array().map(Vec::len), Some(40), "{}", purged[0]["events"]);
    assert_eq!(says_canary(held.folder.path()), Vec::<String>::new(), "before anything is derived anew");
    assert_eq!(views(&held), views(&never));
    let (ours, theirs) = (answers(&held), answers(&never));
    let hits = ours.iter().flat_map(|(_, lines)| lines).filter(|line| !line["hits"][0].is_null()).count();
    assert!(hits > 150, "the questions find something: {hits}");
    for (one, other) in ours.iter().zip(&theirs) {
        assert_eq!(one, other);
    }
    assert_eq!(says_canary(held.folder.path()), Vec::<String>::new(), "after everything is");
    let verdict = call(&held, "verify", &json!({}));
    assert_eq!((&verdict[0]["ok"], &verdict[0]["erased"]), (&json!(true), &json!(40)));
    // In the past as well.
    let past = call(&held, "recall", &json!({"query": CANARY, "k": 50, "as_of": 300}));
    assert!(!past[0].to_string().to_lowercase().contains("quillfeather\""), "{}", past[0]["hits"]);
    call(&held, "rebuild", &json!({}));
    assert_eq!(views(&held), views(&never), "made anew from the log");
    // What is written from now on is numbered behind the gap, and still means the same.
    for home in [&held, &never] {
        append(home, &[event(1001), event(1004), event(1006)]);
    }
    assert_eq!(views(&held), views(&never));
}

#[test]
fn it_makes_no_difference_whether_the_beginning_was_archived() {
    let (held, never) = (life(true), life(false));
    for home in [&held, &never] {
        call(home, "retain", &json!({"apply": true, "older_than": "2025-01-01"}));
    }
    call(&held, "purge", &json!({"matching": CANARY, "yes": true}));
    assert_eq!(says_canary(held.folder.path()), Vec::<String>::new());
    let views = |home: &Hermetic| call(home, "digest", &json!({}))[0]["views"].clone();
    assert_eq!(views(&held), views(&never));
    assert_eq!(call(&held, "verify", &json!({}))[0]["ok"], json!(true));
}
