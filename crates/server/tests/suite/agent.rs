//! The agent over HTTP and over a WebSocket, in the messages of specification 002.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use idetic_ops::model::Chat;
use idetic_ops::model::chat::{Scripted, Step};
use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

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
    let mut socket = connect(&stage).expect("it connects");
    let ask = |id: &str| json!({"id": id, "service": "agent", "flow": "default", "request": {"question": "What?", "streaming": true}});
    tell(&mut socket, &ask("early"));
    assert_eq!(hear(&mut socket)["error"]["type"], "auth-required");
    tell(&mut socket, &json!({"type": "auth", "token": "idk_0_0"}));
    assert_eq!(hear(&mut socket)["type"], "auth-failed");
    tell(&mut socket, &json!({"type": "auth", "token": key}));
    assert_eq!(hear(&mut socket)["type"], "auth-ok");
    tell(&mut socket, &json!({"id": "x", "service": "nothing", "request": {}}));
    assert_eq!(hear(&mut socket)["error"]["type"], "unknown-service");
    tell(&mut socket, &ask("a"));
    tell(&mut socket, &ask("b"));
    let (mut complete, mut words) = (Vec::new(), std::collections::BTreeMap::<String, String>::new());
    while complete.len() < 2 {
        let message = hear(&mut socket);
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

pub type Socket = WebSocket<MaybeTlsStream<TcpStream>>;

pub fn connect(stage: &Stage) -> tungstenite::Result<Socket> {
    tungstenite::connect(format!("ws://{}/api/v1/socket", stage.address)).map(|(socket, _)| socket)
}

pub fn tell(socket: &mut Socket, message: &Value) {
    socket.send(Message::text(message.to_string())).expect("sent");
}

pub fn hear(socket: &mut Socket) -> Value {
    let message = socket.read().expect("an answer");
    serde_json::from_str(message.to_text().expect("text")).expect("JSON")
}

fn question(id: usize) -> Value {
    json!({"id": id, "service": "agent", "request": {"question": "What?"}})
}

#[test]
fn a_socket_ends_with_its_key() {
    let stage = stage(4);
    let key = stage.key(&json!({"name": "ann", "user": "ann"}));
    let mut socket = connect(&stage).expect("it connects");
    tell(&mut socket, &json!({"type": "auth", "token": key}));
    assert_eq!(hear(&mut socket)["type"], "auth-ok");
    stage.operate("key revoke", &json!({"key": "ann"}));
    tell(&mut socket, &question(1));
    let refused = hear(&mut socket);
    assert_eq!(refused["error"]["message"], "the API key is no longer valid", "{refused}");
    assert!(socket.read().is_ok_and(|message| message.is_close()), "it is closed");
}

#[test]
fn a_key_must_be_shown_in_time() {
    let stage = stage(0);
    let mut socket = connect(&stage).expect("it connects");
    let start = Instant::now();
    // Signs of life are not a key.
    while socket.send(Message::Ping(Vec::new().into())).and_then(|()| socket.read()).is_ok_and(|m| !m.is_close()) {
        assert!(start.elapsed() < Duration::from_secs(25), "it stays open");
        std::thread::sleep(Duration::from_millis(500));
    }
}

#[test]
fn only_so_many_sockets_are_open() {
    let stage = stage(0);
    let mut open = Vec::new();
    let refused = loop {
        match connect(&stage) {
            Ok(socket) => open.push(socket),
            Err(tungstenite::Error::Http(refused)) => break refused,
            Err(error) => panic!("{error}"),
        }
        assert!(open.len() <= 256, "there is no end");
    };
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    drop(open);
    let start = Instant::now();
    while connect(&stage).is_err() {
        assert!(start.elapsed() < Duration::from_secs(25), "the places are not given back");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_socket_has_four_questions_answered_at_a_time() {
    let (now, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let script = Scripted::with(move |_| {
        seen.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(300));
        now.fetch_sub(1, Ordering::SeqCst);
        Step::say("So.")
    });
    let stage = Stage::with("", Some(Arc::new(script) as Arc<dyn Chat>), false);
    let key = stage.key(&json!({"name": "ann", "user": "ann"}));
    let mut socket = connect(&stage).expect("it connects");
    tell(&mut socket, &json!({"type": "auth", "token": key}));
    assert_eq!(hear(&mut socket)["type"], "auth-ok");
    (0..12).for_each(|id| tell(&mut socket, &question(id)));
    let mut complete = 0;
    while complete < 12 {
        let message = hear(&mut socket);
        assert!(message["error"].is_null(), "{message}");
        complete += usize::from(message["complete"] == true);
    }
    assert!((2..=4).contains(&most.load(Ordering::SeqCst)), "{most:?} at a time");
}

#[test]
fn a_question_over_a_socket_is_answered_though_the_server_was_told_to_stop() {
    let script = Scripted::with(|_| {
        std::thread::sleep(Duration::from_millis(1_500));
        Step::say("So.")
    });
    let mut stage = Stage::with("", Some(Arc::new(script) as Arc<dyn Chat>), false);
    let key = stage.key(&json!({"name": "ann", "user": "ann"}));
    let mut socket = connect(&stage).expect("it connects");
    tell(&mut socket, &json!({"type": "auth", "token": key}));
    assert_eq!(hear(&mut socket)["type"], "auth-ok");
    tell(&mut socket, &question(1));
    std::thread::sleep(Duration::from_millis(300));
    stage.stop();
    while hear(&mut socket)["complete"] != true {}
}
