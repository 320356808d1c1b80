//! Secrets by every way into the log: none is in any file of the home afterwards.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::embeddings::use_model;
use super::mcp::Spoken;
use super::place::{Place, say};
use super::server::{Client, Server};

/// Secrets of many kinds in the lines they are found in; brackets stand around a secret, and a mark in it.
const LINES: &str = include_str!("../../../extract/tests/data/secrets.jsonl");
/// How many kinds are tried.
const KINDS: usize = 80;
/// Kinds that no rule knows: they are counted where the rules are measured.
const UNKNOWN: [&str; 3] = ["asana", "national insurance", "passport"];

/// A line and the secret in it, for each kind.
fn lines() -> Vec<(String, String)> {
    let mut kinds: BTreeMap<String, (String, String)> = BTreeMap::new();
    for line in LINES.lines().map(|line| serde_json::from_str::<Value>(line).expect(line)) {
        let kind = line["kind"].as_str().expect("a kind").to_lowercase();
        let marked = line["text"].as_str().expect("a text").replace('¦', "");
        let secret = marked.split(['⟦', '⟧']).nth(1).expect("a secret").to_owned();
        let text = marked.replace(['⟦', '⟧'], "");
        // What is short may be a part of any number.
        if secret.len() >= 8 && is_masked(&text, &secret) && !UNKNOWN.iter().any(|unknown| kind.contains(unknown)) {
            kinds.entry(kind).or_insert((text, secret));
        }
    }
    let step = kinds.len() / KINDS;
    kinds.into_values().step_by(step.max(1)).take(KINDS).collect()
}

fn is_masked(text: &str, secret: &str) -> bool {
    !idetic_extract::without_secrets(text).contains(secret)
}

/// The files below a folder that hold one of the secrets.
fn holding(folder: &Path, secrets: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap_or_default().to_ascii_lowercase();
            // Some is kept in small letters.
            let holds = |secret: &&String| {
                let secret = secret.to_ascii_lowercase();
                bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
            };
            found.extend(secrets.iter().find(holds).map(|secret| format!("{}: {secret}", path.display())));
        }
    }
    found
}

#[test]
fn no_secret_is_stored_whichever_way_it_comes_in() {
    let lines = lines();
    assert!(lines.len() >= 60, "{} kinds", lines.len());
    let secrets: Vec<String> =
        lines.iter().map(|(_, secret)| secret.lines().next().unwrap_or(secret).to_owned()).collect();
    let place = Place::new();
    use_model(&place, "none");
    let event = |(n, (text, _)): (usize, &(String, String))| json!({"id": format!("a{n}"), "kind": "user_input", "content": text, "metadata": {"deep": [{"said": text}]}});
    let events: Vec<Value> = lines.iter().enumerate().map(event).collect();
    place.append(&events.iter().map(Value::to_string).collect::<Vec<_>>());
    // Nor does it help to say that a file held it.
    for origin in ["file", "file:shop", "user:file"] {
        let of_file = |(n, (text, _)): (usize, &(String, String))| {
            json!({"id": format!("{origin}{n}"), "kind": "user_input", "content": text, "origin": origin}).to_string()
        };
        place.append(&lines.iter().enumerate().map(of_file).collect::<Vec<_>>());
    }
    for (n, (text, _)) in lines.iter().enumerate() {
        place.feed(&["remember", "-"], text).ok();
        place.feed(&["note", "write", &format!("Note {n}"), "--content", "-", "--force"], text).ok();
        // Some are refused: a fact is one line.
        drop(place.run(&["fact", "store", "--", text]));
    }
    let mut server = Server::open(&place);
    let mut client = Client::connect(&server.address).expect("a server");
    let again = |mut event: Value| {
        event["id"] = json!(format!("h{}", event["id"]));
        event
    };
    let events: Vec<Value> = events.into_iter().map(again).collect();
    let (status, said) = client.try_post("/v1/append", "", &json!({"events": events}).to_string()).expect("an answer");
    assert_eq!(status, 200, "{said}");
    for (text, _) in &lines {
        let (status, said) =
            client.try_post("/v1/remember", "", &json!({"text": text}).to_string()).expect("an answer");
        assert_eq!(status, 200, "{said}");
    }
    server.signal(rustix::process::Signal::TERM);
    server.wait();
    let mut mcp = Spoken::start(&place, &[]);
    for (text, _) in &lines {
        mcp.ask("tools/call", json!({"name": "remember", "arguments": {"text": text}}));
    }
    drop(mcp);
    let hook = |event: &str, more: Value| {
        let mut message = json!({"session_id": "s", "hook_event_name": event, "cwd": place.path("")});
        more.as_object().into_iter().flatten().for_each(|(key, value)| message[key] = value.clone());
        place.feed(&["hook", "claude", event], message.to_string()).ok();
    };
    for (text, _) in &lines {
        hook("UserPromptSubmit", json!({"prompt": text}));
        hook("PostToolUse", json!({"tool_name": "Bash", "tool_input": {"command": text}, "tool_response": text}));
        hook("Stop", json!({"last_assistant_message": text}));
    }
    let transcript: Vec<String> = lines
        .iter()
        .enumerate()
        .map(|(n, (text, _))| {
            json!({"sessionId": "t", "type": "user", "uuid": format!("u{n}"), "cwd": "/srv/shop",
                "timestamp": "2026-01-20T11:00:17Z", "message": {"role": "user", "content": text}})
            .to_string()
        })
        .collect();
    place.ok(&["import", "claude", &place.write("t.jsonl", transcript.join("\n")), "--accept"]);
    let found = holding(&place.home(), &secrets);
    assert!(found.is_empty(), "{found:#?}");
    say(&format!("figure: secrets of {} kinds by 9 ways: none stored", lines.len()));
    place.verify();
}
