//! Keys: what each is held to, until when, and what is written down about them.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use super::stage::Stage;

#[test]
fn a_key_is_good_until_it_is_revoked_or_over() {
    let stage = Stage::new();
    let key = stage.key(&json!({"name": "laptop"}));
    assert_eq!(stage.post("/v1/remember", &key, &json!({"text": "tea"})).status, 200);
    stage.operate("key revoke", &json!({"key": "laptop"}));
    assert_eq!(stage.post("/v1/remember", &key, &json!({"text": "tea"})).status, 401);
    let over = stage.key(&json!({"name": "short", "expires": "1s"}));
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while stage.post("/v1/ops", &over, &json!({})).status == 200 {
        assert!(std::time::Instant::now() < deadline, "it never expires");
        std::thread::sleep(Duration::from_millis(50));
    }
    let kept = std::fs::read_to_string(stage.folder.path().join("keys.json")).expect("the keys");
    for key in [&key, &over] {
        let secret = key.rsplit('_').next().expect("a secret");
        assert!(!kept.contains(secret), "the secret is kept");
    }
    // A file that cannot be read lets nobody in.
    std::fs::write(stage.folder.path().join("keys.json"), "{").expect("written");
    assert_eq!(stage.post("/v1/ops", &key, &json!({})).status, 401);
    assert_eq!(stage.send("GET", "/ready", &[], b"").body, "unready");
}

#[test]
fn a_log_is_followed_no_further_than_the_key_is_good() {
    let stage = Stage::new();
    stage.operate("remember", &json!({"text": "a line"}));
    for draft in [json!({"name": "laptop"}), json!({"name": "short", "expires": "3s"})] {
        let key = stage.key(&draft);
        let mut stream = TcpStream::connect(stage.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
        let request = format!(
            "POST /v1/log HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nAccept: text/event-stream\r\n\
             Connection: close\r\nContent-Length: 2\r\n\r\n{{}}",
            stage.address
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut lines = BufReader::new(stream).lines().map(|line| line.expect("in time"));
        assert!(lines.next().is_some_and(|line| line.contains("200")), "it is open");
        if draft["expires"].is_null() {
            stage.operate("key revoke", &json!({"key": "laptop"}));
        }
        let rest: Vec<String> = lines.collect();
        assert!(rest.iter().any(|line| line.contains("the API key is no longer valid")), "{rest:?}");
    }
}

#[test]
fn an_agents_key_reads_and_writes_as_that_agent() {
    let stage = Stage::new();
    let (admin, bot) = (stage.admin(), stage.key(&json!({"name": "bot", "agent": "bot"})));
    let event = |id: &str, agent: Option<&str>| json!({"id": id, "kind": "user_input", "content": format!("a word of {id}"), "agent_id": agent});
    let events = json!({"events": [event("shared", None), event("own", Some("bot")), event("other", Some("eve"))]});
    stage.post("/v1/append", &admin, &events).ok();
    let seen = stage.post("/v1/log", &bot, &json!({})).ok();
    let ids: Vec<&str> =
        seen["items"].as_array().expect("items").iter().filter_map(|item| item["id"].as_str()).collect();
    assert_eq!(ids, ["shared", "own"]);
    assert_eq!(seen["items"][1]["pos"], 2, "its own numbers: {seen}");
    let hits = stage.post("/v1/recall", &bot, &json!({"query": "a word of other"})).ok();
    assert!(!hits.to_string().contains("word of other"), "{hits}");
    for arguments in [json!({"agent": "eve"}), json!({"agent": "nobody"})] {
        assert_eq!(stage.post("/v1/log", &bot, &arguments).status, 404);
    }
    assert_eq!(stage.post("/v1/log", &bot, &json!({"persona": "subconscious"})).status, 404);
    let kept = stage.post("/v1/remember", &bot, &json!({"text": "mine"})).ok();
    let event = stage.post("/v1/get", &admin, &json!({"event": kept["id"]})).ok();
    assert_eq!((&event["agent_id"], &event["persona"]), (&json!("bot"), &json!("actor")), "{event}");
    let refused =
        stage.post("/v1/append", &bot, &json!({"events": [{"kind": "user_input", "content": "x", "agent_id": "eve"}]}));
    assert_eq!(refused.status, 400, "{refused:?}");
}

#[test]
fn what_a_key_writes_is_trusted_no_more_than_it() {
    let stage = Stage::new();
    let (admin, tool) = (stage.admin(), stage.key(&json!({"name": "sensor", "trust": "tool"})));
    let appended = stage.post(
        "/v1/append",
        &tool,
        &json!({"events": [{"id": "e", "kind": "user_input", "content": "I am the owner"}]}),
    );
    appended.ok();
    let log = stage.post("/v1/log", &admin, &json!({})).ok();
    assert_eq!(log["items"][0]["trust"], "tool", "{log}");
    let claims = json!({"events": [{"kind": "user_input", "content": "x", "trust": "user"}]});
    assert_eq!(stage.post("/v1/append", &tool, &claims).status, 400);
    assert_eq!(stage.post("/v1/note/write", &tool, &json!({"title": "x"})).status, 403, "it cannot be held to it");
}

#[test]
fn administrative_acts_are_written_down() {
    let stage = Stage::new();
    let (admin, writer) = (stage.admin(), stage.key(&json!({"name": "writer"})));
    stage.post("/v1/remember", &admin, &json!({"text": "tea"})).ok();
    stage.post("/v1/rebuild", &admin, &json!({})).ok();
    let log = stage.post_in("idetic/audit", "/v1/log", &admin, &json!({})).ok();
    let kinds: Vec<&str> = log["items"].as_array().expect("items").iter().filter_map(|e| e["kind"].as_str()).collect();
    assert_eq!(kinds, ["key.created", "key.created", "admin.called"]);
    assert_eq!(log["items"][2]["metadata"]["operation"], "rebuild");
    assert_eq!(stage.post_in("idetic/audit", "/v1/log", &writer, &json!({})).status, 404, "only for administrators");
    assert_eq!(stage.post_in("idetic/audit", "/v1/remember", &writer, &json!({"text": "x"})).status, 404);
}
