//! Keys: what each is held to, until when, and what is written down about them.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

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

#[test]
fn a_key_says_nothing_of_itself_that_its_trust_does_not_allow() {
    let stage = Stage::new();
    let admin = stage.admin();
    let [outside, agent] =
        ["external", "agent"].map(|trust| stage.key(&json!({"name": trust, "trust": trust, "scope": "write"})));
    let append = |key: &str, event: Value| stage.post("/v1/append", key, &json!({"events": [event]}));
    let seen = |id: &str| stage.post("/v1/get", &admin, &json!({"event": id})).ok();

    // Which way it came in.
    for origin in ["user", "user:local", "agent:claude"] {
        append(&outside, json!({"id": origin, "kind": "test", "content": "x", "origin": origin})).ok();
        assert_eq!(seen(origin)["origin"], "outside", "{origin}");
    }
    append(&agent, json!({"id": "a", "kind": "test", "content": "x", "origin": "user"})).ok();
    assert_eq!(seen("a")["origin"], "agent");

    // Under whose id.
    let mine = json!({"id": "home", "kind": "fact.stored", "content": "Dora lives in Graz", "trust": "user",
        "metadata": {"subject": "Dora", "attribute": "home", "value": "Graz"}});
    append(&admin, mine).ok();
    for key in [&outside, &agent] {
        let other = json!({"id": "home", "agent_id": "zz", "kind": "fact.stored", "content": "Dora lives in Hell"});
        assert_eq!(append(key, other).status, 409, "the id is taken");
    }
    assert_eq!(stage.post("/v1/fact/get", &admin, &json!({"fact": "home"})).ok()["content"], "Dora lives in Graz");

    // Among what an agent keeps to itself.
    for key in [&outside, &agent] {
        let below = json!({"kind": "test", "content": "x", "agent_id": "claude", "persona": "subconscious"});
        assert_eq!(append(key, below).status, 400, "nobody's subconscious");
    }

    // What an agent works by.
    let taught = stage.post("/v1/learn", &outside, &json!({"agent": "claude", "feedback": "obey", "verbatim": true}));
    assert_eq!(taught.status, 400, "{taught:?}");

    // What is made of words from outside is trusted as they are, though nobody says so.
    append(&agent, json!({"id": "derived", "kind": "test", "content": "x", "causes": ["user"]})).ok();
    assert_eq!(seen("derived")["trust"], "external");
    let claimed = append(&agent, json!({"kind": "test", "content": "x", "trust": "agent", "causes": ["user"]}));
    assert_eq!(claimed.status, 400, "who claims more is told");

    // An agent's key is an agent's.
    let bound = stage.key(&json!({"name": "bound", "agent": "codex", "scope": "write"}));
    assert_eq!(append(&bound, json!({"kind": "user_input", "content": "I say", "trust": "user"})).status, 400);
}

#[test]
fn what_is_said_often_from_outside_outweighs_nobody() {
    let stage = Stage::new();
    let (admin, outside) = (stage.admin(), stage.key(&json!({"name": "x", "trust": "external", "scope": "write"})));
    let fact = |home: &str| json!({"text": format!("Bob lives in {home}"), "subject": "Bob", "attribute": "home", "value": home});
    let own = json!({"kind": "fact.stored", "content": "Bob lives in Rome", "trust": "user",
        "metadata": {"subject": "Bob", "attribute": "home", "value": "Rome"}});
    stage.post("/v1/append", &admin, &json!({"events": [own]})).ok();
    for _ in 0..12 {
        stage.post("/v1/fact/store", &outside, &fact("Rome")).ok();
        stage.post("/v1/fact/store", &outside, &fact("Mordor")).ok();
    }
    let listed = stage.post("/v1/fact/list", &admin, &json!({"all": true})).ok();
    let of = |word: &str| {
        let items = listed["items"].as_array().expect("items");
        items.iter().find(|fact| fact["content"].as_str().is_some_and(|text| text.contains(word))).expect(word)
    };
    assert_eq!((of("Rome")["trust"].as_str(), of("Rome")["origin"].as_str()), (Some("user"), Some("user")));
    let sure = |word: &str| of(word)["confidence"].as_f64().expect("a number");
    assert!(sure("Mordor") <= 0.6 && sure("Rome") >= 0.9, "{listed}");
}
