//! The agent over HTTP and over a WebSocket, in the messages of specification 002.

use std::sync::Arc;

use idetic_memory::model::Chat;
use idetic_memory::model::chat::{Scripted, Step};
use serde_json::{Value, json};
use tungstenite::Message;

use super::stage::Stage;

fn stage(answers: usize) -> Stage {
    let script = Scripted::new((0..answers).map(|n| Step::say(format!("The answer is {n}."))));
    Stage::with("", Some(Arc::new(script) as Arc<dyn Chat>), false)
}

#[test]
fn the_last_message_of_an_answer_is_whole() {
    let stage = stage(4);
    let (key, reader) =
        (stage.key(&json!({"name": "ann", "user": "ann"})), stage.key(&json!({"name": "r", "scope": "read"})));
    for path in ["/api/v1/agent", "/api/v1/flow/default/service/agent"] {
        let answer = stage.post(path, &key, &json!({"question": "What is it?", "streaming": true})).ok();
        assert_eq!((&answer["message_type"], &answer["end_of_dialog"]), (&json!("answer"), &json!(true)), "{answer}");
        assert!(answer["content"].as_str().is_some_and(|text| text.starts_with("The answer is")), "{answer}");
        assert_eq!(stage.post(path, &reader, &json!({"question": "What is it?"})).status, 403);
        assert_eq!(stage.post(path, &key, &json!({"no": 1})).status, 400);
        assert_eq!(stage.post(path, &key, &json!({"question": "x", "user": "bob"})).status, 404);
    }
    let log = stage.post("/v1/log", &key, &json!({})).ok();
    assert!(log.to_string().contains("What is it?"), "it is remembered as ann's: {log}");
}

#[test]
fn many_questions_over_one_connection() {
    let stage = stage(10);
    let key = stage.key(&json!({"name": "ann", "user": "ann"}));
    let (mut socket, _) = tungstenite::connect(format!("ws://{}/api/v1/socket", stage.address)).expect("it connects");
    let send = |socket: &mut tungstenite::WebSocket<_>, message: Value| {
        socket.send(Message::text(message.to_string())).expect("sent");
    };
    let read = |socket: &mut tungstenite::WebSocket<_>| -> Value {
        let message = socket.read().expect("an answer");
        serde_json::from_str(message.to_text().expect("text")).expect("JSON")
    };
    let ask = |id: &str| json!({"id": id, "service": "agent", "flow": "default", "request": {"question": "What?", "streaming": true}});
    send(&mut socket, ask("early"));
    assert_eq!(read(&mut socket)["error"]["type"], "auth-required");
    send(&mut socket, json!({"type": "auth", "token": "idk_0_0"}));
    assert_eq!(read(&mut socket)["type"], "auth-failed");
    send(&mut socket, json!({"type": "auth", "token": key}));
    assert_eq!(read(&mut socket)["type"], "auth-ok");
    send(&mut socket, json!({"id": "x", "service": "nothing", "request": {}}));
    assert_eq!(read(&mut socket)["error"]["type"], "unknown-service");
    send(&mut socket, ask("a"));
    send(&mut socket, ask("b"));
    let (mut complete, mut words) = (Vec::new(), std::collections::BTreeMap::<String, String>::new());
    while complete.len() < 2 {
        let message = read(&mut socket);
        let id = message["id"].as_str().expect("an id").to_owned();
        if message["response"]["message_type"] == "answer" {
            words.entry(id.clone()).or_default().push_str(message["response"]["content"].as_str().unwrap_or(""));
        }
        if message["complete"] == true {
            assert_eq!(message["response"]["end_of_dialog"], true, "{message}");
            complete.push(id);
        }
    }
    assert!(words.values().all(|text| text.starts_with("The answer is")), "{words:?}");
    assert_eq!(stage.send("GET", "/api/v1/socket", &[], b"").status, 401, "without a key, and no socket");
}
