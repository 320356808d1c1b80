//! Hostile requests: each gets a refusal, none a fault, a hang or a word of what is not theirs.
#![expect(clippy::print_stderr, reason = "a test says what it measured")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use super::random::Random;
use super::stage::Stage;

const REQUESTS: usize = 500;
const CANARY: &str = "zanzibar-canary-4711";

/// A request line, headers and body that somebody should not have sent.
fn hostile(random: &mut Random, address: &str, key: &str) -> Vec<u8> {
    let path =
        *random.of(&["/v1/recall", "/v1/append", "/v1/remember", "/v1/log", "/v1/fact/store", "/v1/traces", "/mcp"]);
    let auth = format!("Authorization: Bearer {key}\r\n");
    let usual = |method: &str, path: &str, headers: &str, body: &str| {
        let length = body.len();
        format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}").into_bytes()
    };
    match random.below(14) {
        0 => {
            let host = *random.of(&["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "evil.example@127.0.0.1", "[::1", "127.0.0.1:80:80"]);
            format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{auth}Content-Length: 2\r\n\r\n{{}}").into_bytes()
        }
        1 => {
            let origin = *random.of(&["http://evil.example", "null", "file://", "http://127.0.0.1.evil.example", "javascript:1", "\u{fffd}"]);
            usual("POST", path, &format!("{auth}Origin: {origin}\r\n"), "{}")
        }
        2 => {
            let odd = *random.of(&["/../../etc/passwd", "/v1/../../keys.json", "/v1/%2e%2e/%2e%2e/keys.json", "//keys.json", "/v1/log/..%2f..%2fkeys.json", "/v1/\u{0}"]);
            usual("GET", odd, &auth, "")
        }
        3 => {
            let space = *random.of(&["../../x", "a/../b", "/etc/passwd", "a/b/c", "a", "a/\u{7f}", "..", "a\\b/c", "%2e%2e/x"]);
            usual("POST", path, &format!("{auth}Idetic-Space: {space}\r\n"), r#"{"text":"x","query":"x","events":[]}"#)
        }
        4 => format!("POST {path} HTTP/1.1\r\nHost: {address}\r\n{auth}Content-Length: 99999999999\r\n\r\n{{").into_bytes(),
        5 => usual("POST", path, &format!("{auth}X-Long: {}\r\n", "x".repeat(1 << 20)), "{}"),
        6 => usual("POST", &format!("{path}?cursor={}", "f".repeat(100_000)), &auth, "{}"),
        7 => {
            let deep = format!("{{\"events\":{}{}}}", "[".repeat(50_000), "]".repeat(50_000));
            usual("POST", "/v1/append", &auth, &deep)
        }
        8 => {
            let length = 1 + random.below(300);
            (0..length).map(|_| u8::try_from(random.below(256)).expect("a byte")).chain(*b"\r\n\r\n").collect()
        }
        9 => format!("POST {path} HTTP/1.1\r\nHost: {address}\r\n{auth}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nzz\r\n").into_bytes(),
        10 => {
            let method = *random.of(&["TRACE", "CONNECT", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"]);
            usual(method, path, &auth, "{}")
        }
        11 => {
            let body = *random.of(&["", "null", "[]", "\"x\"", "{", "{\"events\":1}", "{\"query\":{}}", "{\"text\":[]}", "{\"a\":1,\"a\":2}", "\u{feff}{}", "{\"k\":-1}", "{\"query\":\"x\",\"k\":99999999999}"]);
            usual("POST", "/v1/append", &auth, body)
        }
        12 => {
            let wrong = *random.of(&["Bearer", "Bearer \u{e9}", "Basic a", "bearer null", "Bearer idk_", "Bearer idk__", "Bearer ../../x"]);
            usual("POST", path, &format!("Authorization: {wrong}\r\n"), "{}")
        }
        _ => {
            let headers = *random.of(&["Content-Encoding: gzip\r\n", "Content-Encoding: br\r\n", "Expect: 200-maybe\r\n", "Content-Type: application/x-protobuf\r\nContent-Encoding: gzip\r\n"]);
            usual("POST", path, &format!("{auth}{headers}"), "\u{1f}\u{8b}not gzip at all")
        }
    }
}

#[test]
fn none_gets_anything_but_a_refusal() {
    let stage = Stage::with("[server]\nread_timeout_seconds = 2\n", None, false);
    let admin = stage.admin();
    stage.post_in("bob/private", "/v1/remember", &admin, &json!({"text": CANARY})).ok();
    let key = stage.key(&json!({"name": "ann", "user": "ann"}));
    let (mut random, address) = (Random::new(0xbad), stage.address.to_string());
    let mut by_status = std::collections::BTreeMap::<u16, usize>::new();
    for n in 0..REQUESTS {
        let request = hostile(&mut random, &address, &key);
        let answer = stage.raw(&request);
        let shown = String::from_utf8_lossy(&request[..request.len().min(200)]).into_owned();
        // Bytes that are no HTTP may be met with silence.
        assert!((400..500).contains(&answer.status) || answer.status == 0, "request {n}: {shown}: {answer:?}");
        assert!(!answer.body.contains(CANARY) && !answer.body.contains("idk_"), "{shown}: {answer:?}");
        assert!(!answer.body.contains(stage.folder.path().to_str().expect("a path")), "{shown}: {answer:?}");
        *by_status.entry(answer.status).or_default() += 1;
    }
    eprintln!("idetic: figure: {REQUESTS} hostile requests by status: {by_status:?}");
    assert!(by_status.get(&0).copied().unwrap_or(0) < REQUESTS / 5, "{by_status:?}");
    assert_eq!(stage.send("GET", "/health", &[], b"").body, "ok");
}

#[test]
fn whoever_is_too_slow_is_hung_up_on() {
    let stage = Stage::with("[server]\nread_timeout_seconds = 1\n", None, false);
    let key = stage.admin();
    let halves = [
        "POST /v1/remember HTTP/1.1\r\nHo".to_owned(),
        format!(
            "POST /v1/remember HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nContent-Length: 50\r\n\r\n{{\"te",
            stage.address
        ),
    ];
    for half in halves {
        let mut stream = TcpStream::connect(stage.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        stream.write_all(half.as_bytes()).expect("sent");
        let mut answer = Vec::new();
        let ended = stream.read_to_end(&mut answer);
        assert!(
            ended.is_ok() || ended.is_err_and(|e| e.kind() == std::io::ErrorKind::ConnectionReset),
            "it waits: {half}"
        );
        let status = super::stage::read(&answer).status;
        assert!(status == 0 || (400..500).contains(&status), "{status}: {half}");
    }
}
