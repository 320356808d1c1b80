//! The memory services over the WebSocket: the answers, the rights and the errors of their routes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use idetic_ops::model::Chat;
use idetic_ops::model::chat::{Scripted, Step};
use serde_json::{Value, json};
use tungstenite::Message;

use super::agent::{Socket, connect, hear, tell};
use super::stage::Stage;

/// A connection that has shown its key.
fn signed_in(stage: &Stage, key: &str) -> Socket {
    let mut socket = connect(stage).expect("it connects");
    tell(&mut socket, &json!({"type": "auth", "token": key}));
    assert_eq!(hear(&mut socket)["type"], "auth-ok");
    socket
}

/// Sends a message and hears its one answer.
fn exchange(socket: &mut Socket, message: &Value) -> Value {
    tell(socket, message);
    let answer = hear(socket);
    assert_eq!((&answer["id"], &answer["complete"]), (&message["id"], &json!(true)), "{answer}");
    assert_ne!(answer["response"].is_null(), answer["error"].is_null(), "{answer}");
    answer
}

fn ask(socket: &mut Socket, service: &str, request: &Value) -> Value {
    exchange(socket, &json!({"id": format!("to {service}"), "service": service, "request": request}))
}

fn user(stage: &Stage, name: &str) -> String {
    stage.key(&json!({"name": name, "user": name}))
}

/// An answer without the ids that are new each time.
fn without_ids(mut answer: Value) -> Value {
    for key in ["fact_id", "episode_id", "event"] {
        if let Some(id) = answer.get_mut(key) {
            assert!(id.is_string(), "{key}: {id}");
            *id = Value::Null;
        }
    }
    answer
}

/// An answer without what changes as time goes by.
fn without_scores(mut answer: Value) -> Value {
    for key in ["facts", "episodes"] {
        for found in answer.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            found.as_object_mut().expect("an object").remove("score");
        }
    }
    answer
}

#[test]
fn each_service_answers_as_its_route_does() {
    let stage = Stage::new();
    let (ann, bob) = (user(&stage, "ann"), user(&stage, "bob"));
    let mut socket = signed_in(&stage, &ann);
    let writes = [
        (
            ["store-fact", "fact-storage"],
            "/v1/fact/store",
            json!({"content": "Ann lives in Brno", "source": "c1", "collection": "default", "metadata": {"vip": true}}),
        ),
        (
            ["store-episode", "episode-storage"],
            "/v1/episode/store",
            json!({"goal": "Deploy the site", "steps": ["build", "upload"], "outcome": "live", "lessons": "test first",
                "metadata": {"team": "web"}}),
        ),
        (
            ["update-conversation-memory", "conversation-memory"],
            "/v1/conversation/add",
            json!({"conversation_id": "c1",
                "invocation_summary": {"query": "Which Node?", "summary": "read the README", "result": "Node 20"}}),
        ),
    ];
    for (services, path, request) in &writes {
        for service in services {
            // The same history in two spaces: one by the socket, one by the route.
            let over_socket = ask(&mut socket, service, request)["response"].clone();
            let over_http = stage.post(path, &bob, request).ok();
            assert_eq!(without_ids(over_socket), without_ids(over_http), "{service}");
        }
    }
    let reads = [
        (
            ["retrieve-facts", "fact-retrieval"],
            "/v1/fact/retrieve",
            json!({"query": "where does Ann live?", "top_k": 5, "user": "ann", "collection": "default"}),
            "Ann lives in Brno",
        ),
        (
            ["retrieve-episodes", "episode-retrieval"],
            "/v1/episode/retrieve",
            json!({"query": "deploy the site", "top_k": 3}),
            "test first",
        ),
        (
            ["get-conversation-memory", "conversation-memory"],
            "/v1/conversation/show",
            json!({"conversation_id": "c1", "user": "ann"}),
            "Node 20",
        ),
        // Every other operation by its name.
        (["fact list", "fact list"], "/v1/fact/list", json!({}), "Ann lives in Brno"),
        (["log", "log"], "/v1/log", json!({}), "Deploy the site"),
    ];
    for (services, path, request, said) in &reads {
        for service in services {
            let over_socket = ask(&mut socket, service, request)["response"].clone();
            assert!(over_socket.to_string().contains(said), "{service}: {over_socket}");
            assert_eq!(without_scores(over_socket), without_scores(stage.post(path, &ann, request).ok()), "{service}");
        }
    }
    let fact = stage.post("/v1/fact/list", &ann, &json!({})).ok()["items"][0]["id"].clone();
    ask(&mut socket, "fact delete", &json!({"fact_id": fact}));
    assert_eq!(ask(&mut socket, "retrieve-facts", &json!({"query": "Brno"}))["response"]["facts"], json!([]));
}

#[test]
fn a_key_that_may_only_read_stores_nothing_over_a_socket() {
    let stage = Stage::new();
    let writer = user(&stage, "ann");
    let reader = stage.key(&json!({"name": "reader", "user": "ann", "scope": "read"}));
    stage.post("/v1/fact/store", &writer, &json!({"content": "Ann lives in Brno"})).ok();
    let before = stage.post("/v1/log", &writer, &json!({})).ok();
    let mut socket = signed_in(&stage, &reader);
    for (service, path, request) in [
        ("store-fact", "/v1/fact/store", json!({"content": "Ann lives in Graz"})),
        ("store-episode", "/v1/episode/store", json!({"goal": "Move"})),
        ("update-conversation-memory", "/v1/conversation/add", json!({"query": "x"})),
        ("append", "/v1/append", json!({"events": [{"kind": "user_input", "content": "x"}]})),
        ("rebuild", "/v1/rebuild", json!({})),
        ("agent", "/api/v1/agent", json!({"question": "x"})),
    ] {
        let refused = ask(&mut socket, service, &request);
        let over_http = stage.post(path, &reader, &request);
        assert_eq!((over_http.status, &refused["error"]["type"]), (403, &json!("access-denied")), "{refused}");
        assert_eq!(refused["error"]["message"], over_http.json()["error"]["message"], "{service}");
    }
    let found = ask(&mut socket, "retrieve-facts", &json!({"query": "where does Ann live?"}));
    assert_eq!(found["response"]["facts"][0]["content"], "Ann lives in Brno", "reading is allowed: {found}");
    assert_eq!(stage.post("/v1/log", &writer, &json!({})).ok(), before, "nothing was added");
}

#[test]
fn what_cannot_be_done_is_an_error_and_the_connection_goes_on() {
    let stage = Stage::new();
    let (ann, bob) = (user(&stage, "ann"), user(&stage, "bob"));
    stage.post("/v1/fact/store", &bob, &json!({"content": "Bob lives in Graz"})).ok();
    let mut socket = signed_in(&stage, &ann);
    for service in [json!("nothing"), json!(""), json!("key create"), json!(7), Value::Null] {
        let refused = exchange(&mut socket, &json!({"id": 1, "service": service, "request": {}}));
        assert_eq!(refused["error"]["type"], "unknown-service", "{refused}");
    }
    for (service, path, request) in [
        ("store-fact", "/v1/fact/store", json!({})),
        ("store-fact", "/v1/fact/store", json!({"content": "x", "banana": 1})),
        ("store-fact", "/v1/fact/store", json!([])),
        ("store-fact", "/v1/fact/store", json!({"content": "x", "user": "bob"})),
        ("retrieve-facts", "/v1/fact/retrieve", json!({"query": "Graz", "user": "bob"})),
        ("retrieve-episodes", "/v1/episode/retrieve", json!({"query": 7})),
        ("update-conversation-memory", "/v1/conversation/add", json!({"conversation_id": "c1"})),
        ("get-conversation-memory", "/v1/conversation/show", json!({"conversation_id": "nothing"})),
    ] {
        let refused = ask(&mut socket, service, &request);
        let over_http = stage.post(path, &ann, &request);
        assert!((400..500).contains(&over_http.status), "{service}: {over_http:?}");
        assert_eq!(refused["error"], over_http.json()["error"], "{service}: {request}");
    }
    let elsewhere = json!({"id": 2, "service": "remember", "space": "bob/default", "request": {"text": "x"}});
    let over_http = stage.post_in("bob/default", "/v1/remember", &ann, &json!({"text": "x"})).json();
    assert_eq!(exchange(&mut socket, &elsewhere)["error"], over_http["error"]);
    let wrong = [("page_size", json!("many")), ("page_size", json!(0)), ("cursor", json!("zz")), ("space", json!(7))];
    for (key, wrong) in wrong {
        let mut message = json!({"id": 3, "service": "log", "request": {}});
        message[key] = wrong;
        assert_eq!(exchange(&mut socket, &message)["error"]["kind"], "invalid", "{message}");
    }
    socket.send(Message::text("nonsense")).expect("sent");
    assert_eq!(hear(&mut socket)["error"]["message"], "the message is not JSON");
    let stored = ask(&mut socket, "store-fact", &json!({"content": "Ann lives in Brno"}));
    assert!(stored["response"]["fact_id"].is_string(), "it goes on: {stored}");
    assert_eq!(stage.post("/v1/fact/list", &bob, &json!({})).ok()["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn requests_in_flight_are_answered_by_their_ids() {
    let script = Scripted::with(|_| {
        std::thread::sleep(Duration::from_millis(1_500));
        Step::say("So.")
    });
    let stage = Stage::with("", Some(Arc::new(script) as Arc<dyn Chat>), false);
    let mut socket = signed_in(&stage, &user(&stage, "ann"));
    tell(&mut socket, &json!({"id": "slow", "service": "agent", "request": {"question": "What?"}}));
    tell(&mut socket, &json!({"id": "fast", "service": "retrieve-facts", "request": {"query": "What?"}}));
    let mut complete = Vec::new();
    while complete.len() < 2 {
        let message = hear(&mut socket);
        assert!(message["error"].is_null(), "{message}");
        if message["complete"] == true {
            complete.push(message["id"].as_str().expect("an id").to_owned());
        }
    }
    assert_eq!(complete, ["fast", "slow"]);
    for id in 0..12 {
        let request = json!({"text": format!("number {id}")});
        tell(&mut socket, &json!({"id": id, "service": "remember", "request": request}));
    }
    let mut events = BTreeSet::new();
    let mut ids: Vec<u64> = Vec::new();
    for _ in 0..12 {
        let message = hear(&mut socket);
        assert_eq!(message["complete"], true, "{message}");
        ids.push(message["id"].as_u64().expect("an id"));
        events.insert(message["response"]["id"].as_str().expect("an event").to_owned());
    }
    ids.sort_unstable();
    assert_eq!((ids, events.len()), ((0..12).collect::<Vec<u64>>(), 12));
}

#[test]
fn an_event_is_stored_as_it_was_sent_over_a_socket_and_lists_come_in_pages() {
    let stage = Stage::new();
    let ann = user(&stage, "ann");
    let mut socket = signed_in(&stage, &ann);
    let metadata = r#"{"big":12345678901234567890123,"z":1.50,"a":1}"#;
    let event = format!(r#"{{"kind":"user_input","content":"x","metadata":{metadata}}}"#);
    let sent = format!(r#"{{"id":1,"service":"append","request":{{"events":[{event}]}}}}"#);
    socket.send(Message::text(sent)).expect("sent");
    assert!(hear(&mut socket)["error"].is_null());
    assert!(stage.post("/v1/log", &ann, &json!({})).body.contains(metadata));
    tell(&mut socket, &json!({"id": 2, "service": "log"}));
    let told = socket.read().expect("an answer");
    assert!(told.to_text().expect("text").contains(metadata), "{told}");

    let elsewhere = json!({"id": 3, "service": "remember", "space": "ann/work", "request": {"text": "tea"}});
    assert!(exchange(&mut socket, &elsewhere)["error"].is_null());
    let kept = stage.post_in("ann/work", "/v1/log", &ann, &json!({})).ok();
    assert_eq!(kept["items"][0]["content"], "tea");

    // Longer than a message may be: an error that says so, and pages that are shorter.
    for n in 0..5 {
        let long = json!({"id": format!("e{n}"), "kind": "user_input", "content": "x".repeat(900_000)});
        stage.post("/v1/append", &ann, &json!({"events": [long]})).ok();
    }
    let refused = ask(&mut socket, "log", &json!({}));
    assert!(refused["error"]["message"].as_str().is_some_and(|why| why.contains("a message has at most")), "{refused}");
    let (mut seen, mut message) = (0, json!({"id": 4, "service": "log", "page_size": 2}));
    loop {
        let answer = exchange(&mut socket, &message);
        seen += answer["response"]["items"].as_array().expect("items").len();
        match answer["response"]["next"].as_str() {
            Some(next) => message["cursor"] = json!(next),
            None => break,
        }
    }
    assert_eq!(seen, 6);
}
