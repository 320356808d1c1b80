//! Webhooks against a receiver that refuses, hangs up, is silent and comes back: everything arrives, in order, signed.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use idetic_ops::Memory;
use idetic_server::Listening;
use serde_json::{Value, json};
use sha2::Sha256;

use super::stage::{self, Stage};

/// What signs, as every server of these tests has it.
pub const SECRET: &str = "a secret of the tests";
/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it waits for what must not come.
const SHORT: Duration = Duration::from_millis(1500);

/// What a receiver does with a request.
#[derive(Clone, Copy)]
enum Does {
    Answers(u16),
    TakesIn(Duration),
    Redirects,
    HangsUp,
    IsSilent,
}

/// What a receiver got.
#[derive(Debug, Clone)]
struct Got {
    id: String,
    timestamp: String,
    signature: String,
    body: String,
    path: String,
    was_taken: bool,
}

impl Got {
    fn event(&self) -> Value {
        let message: Value = serde_json::from_str(&self.body).expect("JSON");
        assert_eq!(message["type"], "event.appended");
        message["data"]["event"].clone()
    }

    fn text(&self) -> String {
        self.event()["content"].as_str().unwrap_or_default().to_owned()
    }

    fn check_signature(&self) {
        let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
        mac.update(format!("{}.{}.{}", self.id, self.timestamp, self.body).as_bytes());
        assert_eq!(self.signature, format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())));
    }
}

/// A receiver on this machine that does as it is told, and takes everything once nothing is left to do.
struct Receiver {
    address: SocketAddr,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Receiver {
    fn new(script: &[Does]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("it listens");
        let address = listener.local_addr().expect("an address");
        let script = Arc::new(Mutex::new(script.iter().copied().collect::<VecDeque<_>>()));
        let got = Arc::new(Mutex::new(Vec::new()));
        let (next, kept) = (script, Arc::clone(&got));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (next, kept) = (Arc::clone(&next), Arc::clone(&kept));
                std::thread::spawn(move || receive(stream, &next, &kept));
            }
        });
        Self { address, got }
    }

    /// A configuration with it as the only webhook.
    fn config(&self, more: &str) -> String {
        let address = self.address;
        format!(
            "[[server.webhooks]]\nname = \"crm\"\nurl = \"http://{address}/hook\"\nsecret_env = \"WEBHOOK_SECRET\"\n\
             spaces = [\"local/default\"]\nprivate_network = true\n{more}\n"
        )
    }

    fn got(&self) -> Vec<Got> {
        self.got.lock().expect("not poisoned").clone()
    }

    /// What it took, once that is so much.
    fn taken(&self, count: usize) -> Vec<Got> {
        let start = Instant::now();
        loop {
            let taken: Vec<Got> = self.got().into_iter().filter(|got| got.was_taken).collect();
            if taken.len() >= count {
                return taken;
            }
            assert!(start.elapsed() < PATIENCE, "only {taken:?} came");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn waits_for(&self, attempts: usize) {
        let start = Instant::now();
        while self.got().len() < attempts {
            assert!(start.elapsed() < PATIENCE, "only {:?} came", self.got());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn receive(mut stream: TcpStream, script: &Mutex<VecDeque<Does>>, got: &Mutex<Vec<Got>>) {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    let (head, body) = loop {
        let Ok(read @ 1..) = stream.read(&mut part) else { return };
        bytes.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = header(head, "content-length").parse().unwrap_or(0_usize);
        if body.len() >= length {
            break (head.to_owned(), body.to_owned());
        }
    };
    let does = script.lock().expect("not poisoned").pop_front().unwrap_or(Does::Answers(204));
    got.lock().expect("not poisoned").push(Got {
        id: header(&head, "webhook-id"),
        timestamp: header(&head, "webhook-timestamp"),
        signature: header(&head, "webhook-signature"),
        body,
        path: head.split(' ').nth(1).unwrap_or_default().to_owned(),
        was_taken: matches!(does, Does::Answers(200..300) | Does::TakesIn(_)),
    });
    let answer = match does {
        Does::Answers(status) => format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        Does::TakesIn(time) => {
            std::thread::sleep(time);
            "HTTP/1.1 204 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()
        }
        Does::Redirects => {
            "HTTP/1.1 307 X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()
        }
        Does::HangsUp => return,
        Does::IsSilent => {
            std::thread::sleep(PATIENCE);
            return;
        }
    };
    let _ = stream.write_all(answer.as_bytes());
}

fn header(head: &str, name: &str) -> String {
    let lines = head.lines().filter_map(|line| line.split_once(':'));
    lines
        .filter(|(own, _)| own.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim().to_owned())
        .next()
        .unwrap_or_default()
}

fn append(stage: &Stage, texts: &[&str]) {
    let events: Vec<Value> =
        texts.iter().map(|text| json!({"kind": "user_input", "content": text, "id": text})).collect();
    stage.operate("append", &json!({"events": events}));
}

/// Waits until the webhook of a server has its first position.
fn settled(stage: &Stage) {
    let start = Instant::now();
    while !stage.folder.path().join("webhooks/crm/local/default.json").exists() {
        assert!(start.elapsed() < PATIENCE, "nobody follows");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn texts(got: &[Got]) -> Vec<String> {
    got.iter().map(Got::text).collect()
}

fn metrics(stage: &Stage) -> String {
    let key = format!("Bearer {}", stage.admin());
    stage.send("GET", "/metrics", &[("Authorization", &key)], b"").body
}

#[test]
fn what_is_new_and_matches_arrives_in_order_and_signed() {
    let receiver = Receiver::new(&[]);
    let more = "kinds = [\"user_input\", \"actor_output\"]\nfilter = '{\"metadata.vip\": {\"ne\": false}}'";
    let stage = Stage::with(&receiver.config(more), None, false);
    settled(&stage);
    let events = json!([
        {"kind": "user_input", "content": "one"},
        {"kind": "decision", "content": "another kind"},
        {"kind": "user_input", "content": "filtered", "metadata": {"vip": false}},
        {"kind": "user_input", "content": "marked", "tags": ["private"]},
        {"kind": "user_input", "content": "marked otherwise", "tags": ["#Sensitive"]},
        {"kind": "user_input", "content": "hidden", "agent_id": "bot", "persona": "subconscious"},
        {"kind": "actor_output", "content": "two", "agent_id": "bot"},
        {"kind": "user_input", "content": "three", "metadata": {"vip": true}},
    ]);
    stage.operate("append", &json!({"events": events}));
    let got = receiver.taken(3);
    assert_eq!(texts(&got), ["one", "two", "three"]);
    got.iter().for_each(Got::check_signature);
    assert!(got.iter().all(|got| got.path == "/hook"));
    std::thread::sleep(SHORT);
    assert_eq!(receiver.got().len(), 3, "each once, and nothing else");
    let metrics = metrics(&stage);
    for line in [
        r#"idetic_webhook_deliveries_total{webhook="crm",outcome="delivered"} 3"#,
        r#"idetic_webhook_lag_events{webhook="crm"} 0"#,
    ] {
        assert!(metrics.contains(line), "{line} is not in {metrics}");
    }
}

#[test]
fn what_was_there_before_is_not_sent() {
    let receiver = Receiver::new(&[]);
    let mut stage = Stage::with("", None, false);
    append(&stage, &["before"]);
    stage.stop();
    std::fs::write(stage.folder.path().join("config.toml"), receiver.config("")).expect("a configuration");
    let stage = stage.again();
    settled(&stage);
    append(&stage, &["after"]);
    assert_eq!(texts(&receiver.taken(1)), ["after"]);
}

#[test]
fn what_is_refused_is_sent_again_under_the_same_id_and_blocks_nobody() {
    let receiver = Receiver::new(&[Does::Answers(500), Does::HangsUp, Does::Redirects]);
    let stage = Stage::with(&receiver.config(""), None, false);
    settled(&stage);
    append(&stage, &["one", "two"]);
    let got = receiver.taken(2);
    assert_eq!(texts(&got), ["one", "two"]);
    let attempts = receiver.got();
    assert_eq!(texts(&attempts), ["one", "one", "one", "one", "two"]);
    assert!(attempts[..4].iter().all(|got| got.id == attempts[0].id) && attempts[4].id != attempts[0].id);
    assert!(attempts.iter().all(|got| got.path == "/hook"), "a redirect is not followed: {attempts:?}");
    attempts.iter().for_each(Got::check_signature);
    assert!(metrics(&stage).contains(r#"idetic_webhook_deliveries_total{webhook="crm",outcome="failed"} 3"#));
}

#[test]
fn a_receiver_that_is_silent_keeps_no_append_waiting() {
    let receiver = Receiver::new(&[Does::IsSilent]);
    let stage = Stage::with(&receiver.config(""), None, false);
    let key = stage.key(&json!({"name": "writer"}));
    settled(&stage);
    append(&stage, &["silence"]);
    receiver.waits_for(1);
    let start = Instant::now();
    for number in 0..20 {
        stage.post("/v1/remember", &key, &json!({"text": format!("meanwhile {number}")})).ok();
    }
    assert!(start.elapsed() < Duration::from_secs(12), "{:?}", start.elapsed());
    assert_eq!(receiver.got().len(), 1, "the first one is still waited for");
}

#[test]
fn a_server_that_starts_again_goes_on_where_the_last_one_left_off() {
    let receiver = Receiver::new(&[]);
    let mut stage = Stage::with(&receiver.config(""), None, false);
    settled(&stage);
    append(&stage, &["one"]);
    receiver.taken(1);
    stage.stop();
    append(&stage, &["two", "three"]);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(receiver.got().len(), 1);
    let stage = stage.again();
    assert_eq!(texts(&receiver.taken(3)), ["one", "two", "three"]);
    let beside = stage.beside();
    append(&stage, &["four"]);
    receiver.taken(4);
    std::thread::sleep(SHORT);
    assert_eq!(texts(&receiver.got()), ["one", "two", "three", "four"], "of two servers of a home one delivers");
    drop(beside);
}

#[test]
fn what_was_erased_before_it_was_taken_is_not_sent_any_more() {
    let receiver = Receiver::new(&[Does::Answers(503)]);
    let stage = Stage::with(&receiver.config("kinds = [\"user_input\"]"), None, false);
    settled(&stage);
    append(&stage, &["one"]);
    receiver.waits_for(1);
    append(&stage, &["two"]);
    stage.operate("forget", &json!({"id": "one", "yes": true}));
    assert_eq!(texts(&receiver.taken(1)), ["two"]);
    assert_eq!(texts(&receiver.got()), ["one", "two"]);
}

#[test]
fn what_expired_while_others_were_sent_is_not_sent_any_more() {
    let receiver = Receiver::new(&[Does::TakesIn(Duration::from_secs(4))]);
    let stage = Stage::with(&receiver.config("kinds = [\"user_input\"]"), None, false);
    settled(&stage);
    let event = |id: &str| json!({"kind": "user_input", "content": id, "id": id});
    let mut short = event("two");
    short["expires_at"] = json!("3s");
    // Of one append, so that they are read together.
    stage.operate("append", &json!({"events": [event("one"), short, event("three"), event("four")]}));
    receiver.waits_for(1);
    stage.operate("update", &json!({"id": "four", "expires_at": "1s"}));
    assert_eq!(texts(&receiver.taken(2)), ["one", "three"]);
    std::thread::sleep(SHORT);
    assert_eq!(texts(&receiver.got()), ["one", "three"]);
}

#[test]
fn a_receiver_that_is_given_up_is_told_and_tried_again_by_the_next_server() {
    let receiver = Receiver::new(&[Does::Answers(500), Does::Answers(410)]);
    let mut stage = Stage::with(&receiver.config(""), None, false);
    settled(&stage);
    append(&stage, &["one"]);
    receiver.waits_for(1);
    stage.stop();
    let path = stage.folder.path().join("webhooks/crm/local/default.json");
    let position: Value = serde_json::from_slice(&std::fs::read(&path).expect("it is there")).expect("JSON");
    assert_eq!(
        (position["attempts"].as_u64(), position["error"].as_str()),
        (Some(1), Some("status 500")),
        "{position}"
    );
    let mut stage = stage.again();
    receiver.waits_for(2);
    std::thread::sleep(SHORT);
    assert_eq!(receiver.got().len(), 2, "it is left alone");
    assert!(metrics(&stage).contains(r#"idetic_webhook_dead{webhook="crm"} 1"#));
    stage.stop();
    let _stage = stage.again();
    assert_eq!(texts(&receiver.taken(1)), ["one"], "nothing was lost");
}

#[test]
fn a_log_that_is_shorter_than_before_is_followed_from_its_end() {
    let receiver = Receiver::new(&[]);
    let mut stage = Stage::with(&receiver.config(""), None, false);
    settled(&stage);
    append(&stage, &["one"]);
    receiver.taken(1);
    stage.stop();
    // So it is after a restore of an older backup.
    let path = stage.folder.path().join("webhooks/crm/local/default.json");
    std::fs::write(&path, json!({"after": 5000}).to_string()).expect("written");
    let stage = stage.again();
    let start = Instant::now();
    while std::fs::read_to_string(&path).expect("it is there").contains("5000") {
        assert!(start.elapsed() < PATIENCE, "the position is still behind the end of the log");
        std::thread::sleep(Duration::from_millis(20));
    }
    append(&stage, &["two"]);
    assert_eq!(texts(&receiver.taken(2)), ["one", "two"]);
}

#[test]
fn what_makes_no_sense_is_told_before_the_server_listens() {
    let receiver = Receiver::new(&[]);
    let filter = receiver.config("filter = '{\"colour\": 1}'");
    let secret = receiver.config("").replace("WEBHOOK_SECRET", "NO_SUCH_VARIABLE");
    for (config, expected) in [(filter, "colour"), (secret, "NO_SUCH_VARIABLE")] {
        let folder = tempfile::TempDir::new().expect("a folder");
        Memory::init(folder.path()).expect("a home");
        std::fs::write(folder.path().join("config.toml"), config).expect("a configuration");
        let memory = Arc::new(Memory::open(folder.path(), stage::env()).expect("the home opens"));
        let service = stage::service(&memory, None, false);
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let listening = runtime.block_on(Listening::on("127.0.0.1:0".parse().expect("an address"), &service));
        let error = listening.err().expect("it does not listen");
        assert!(error.message.contains("server.webhooks 'crm'") && error.message.contains(expected), "{error}");
    }
}
