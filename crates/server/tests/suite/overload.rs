//! One key, or nobody at all, asks for too much: what another key notices of it.
//!
//! Measured as a ratio in the same run: the slowest of a hundred calls while nothing else happens, and while it does. With
//! IDETIC_LONG=1 there are more calls, and the ratio must be what is promised; without, only a multiple of it.
#![expect(clippy::print_stderr, reason = "a test says what it measured")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::stage::Stage;

/// What is promised: the slowest call of a hundred takes at most so many times as long as alone.
const PROMISED: f64 = 3.0;
/// What a machine that others use is allowed in a short run.
const SLACK: f64 = 8.0;
/// Below this a short run on a busy machine says nothing.
const FLOOR: Duration = Duration::from_millis(5);

fn is_long() -> bool {
    std::env::var_os("IDETIC_LONG").is_some()
}

/// The slowest of a hundred calls, over a connection that is kept.
fn p99(stage: &Stage, key: &str) -> Duration {
    let count = if is_long() { 2_000 } else { 200 };
    let mut times: Vec<Duration> = (0..count)
        .map(|_| {
            let start = Instant::now();
            stage.post("/v1/recall", key, &json!({"query": "which line", "k": 3})).ok();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[count * 99 / 100 - 1]
}

/// Measures a key alone and beside an attack that goes on until it is told to stop.
fn compare(what: &str, stage: &Stage, key: &str, attack: impl Fn(&AtomicBool) + Sync) {
    p99(stage, key);
    let alone = p99(stage, key);
    let stop = AtomicBool::new(false);
    let beside = std::thread::scope(|scope| {
        scope.spawn(|| attack(&stop));
        std::thread::sleep(Duration::from_millis(500));
        let beside = p99(stage, key);
        stop.store(true, Ordering::Relaxed);
        beside
    });
    let least = if is_long() { alone } else { alone.max(FLOOR) };
    let ratio = beside.as_secs_f64() / least.as_secs_f64();
    eprintln!("idetic: figure: {what}: p99 {alone:?} alone, {beside:?} beside it, {ratio:.2} times");
    let most = if is_long() { PROMISED } else { PROMISED * SLACK };
    assert!(ratio <= most, "{what}: {ratio:.2} times, {alone:?} and {beside:?}");
}

fn stage(config: &str, events: usize, bytes: usize) -> (Stage, String, String) {
    let stage = Stage::with(config, None, false);
    let [attacker, other] = ["attacker", "other"].map(|name| stage.key(&json!({"name": name})));
    let records: Vec<Value> = (0..events)
        .map(|n| json!({"kind": "user_input", "content": format!("line {n} {}", "x".repeat(bytes))}))
        .collect();
    for part in records.chunks(1_000) {
        stage.operate("append", &json!({"events": part}));
    }
    stage.post("/v1/recall", &other, &json!({"query": "line"})).ok();
    (stage, attacker, other)
}

/// A request that is sent, and whose answer is for the caller to read.
fn ask(stage: &Stage, path: &str, key: &str, headers: &str, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(stage.address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let (address, body) = (stage.address, body.to_string());
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n{headers}Content-Length: {length}\r\n\r\n"
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
    stream
}

#[test]
fn long_queries_of_one_key_do_not_slow_another() {
    let (stage, attacker, other) = stage("", 2_000, 100);
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    compare("long queries", &stage, &other, |stop| {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        stage.post("/v1/query", &attacker, &json!({"sql": sql, "timeout": 1}));
                    }
                });
            }
        });
    });
}

#[test]
fn streams_of_one_key_do_not_slow_another() {
    let (stage, attacker, other) = stage("", 5_000, 500);
    compare("150 streams that catch up", &stage, &other, |stop| {
        let mut streams: Vec<(TcpStream, usize)> = Vec::new();
        let mut buffer = vec![0; 64 << 10];
        while !stop.load(Ordering::Relaxed) {
            while streams.len() < 150 {
                let stream = ask(&stage, "/v1/log", &attacker, "Accept: text/event-stream\r\n", &json!({}));
                stream.set_nonblocking(true).expect("it can be");
                streams.push((stream, 0));
            }
            for (stream, read) in &mut streams {
                *read += stream.read(&mut buffer).unwrap_or(0);
            }
            // Whoever has caught up begins anew.
            streams.retain(|(_, read)| *read < 2 << 20);
            std::thread::sleep(Duration::from_millis(5));
        }
    });
}

/// What this process holds in memory.
fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a line");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<usize>().ok()).expect("a number") << 10
}

#[test]
fn whoever_does_not_read_holds_little_and_does_not_slow_another() {
    let (stage, attacker, other) = stage("", 40, 900_000);
    let before = resident_bytes();
    let most = AtomicBool::new(false);
    compare("60 answers of 16 MiB that nobody reads", &stage, &other, |stop| {
        let mut open = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            if open.len() < 60 {
                open.push(ask(&stage, "/v1/log?page_size=1000", &attacker, "", &json!({})));
            }
            most.fetch_or(resident_bytes().saturating_sub(before) > 400 << 20, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    let held = resident_bytes().saturating_sub(before);
    eprintln!("idetic: figure: 60 unread answers of 16 MiB hold {} MiB", held >> 20);
    assert!(!most.load(Ordering::Relaxed), "more than 400 MiB were held");
}

#[test]
fn silent_connections_keep_nobody_out() {
    let (stage, _, other) = stage("[server]\nmax_connections = 128\n", 200, 100);
    let silent: Vec<TcpStream> = (0..128).map(|_| TcpStream::connect(stage.address).expect("it listens")).collect();
    let start = Instant::now();
    assert_eq!(stage.send("GET", "/health", &[], b"").body, "ok");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    drop(silent);
    compare("silent connections, more than there may be", &stage, &other, |stop| {
        let mut open = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            open.push(TcpStream::connect(stage.address).expect("it listens"));
            if open.len() > 300 {
                open.drain(..100);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    assert_eq!(stage.send("GET", "/health", &[], b"").body, "ok");
}

#[test]
fn requests_that_are_never_finished_hold_little_and_keep_nobody_out() {
    let (stage, attacker, other) = stage("[server]\nmax_body_bytes = 200000\n", 20, 100);
    let begin = || {
        let mut stream = TcpStream::connect(stage.address).expect("it listens");
        let head = format!(
            "POST /v1/append HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {attacker}\r\nContent-Length: 190000\r\n\r\n",
            stage.address
        );
        // It may be refused while it is still sent.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&[b' '; 180_000]));
        stream
    };
    let mut begun: Vec<TcpStream> = (0..12).map(|_| begin()).collect();
    let waits = |stream: &mut TcpStream| {
        stream.set_read_timeout(Some(Duration::from_millis(500))).expect("a limit");
        stream.read(&mut [0; 1]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    };
    let waiting = begun.iter_mut().map(waits).filter(|waits| *waits).count();
    // Two that arrive at once may both be refused where one alone would still fit.
    assert!(
        (2..=3).contains(&waiting),
        "{waiting}: one key holds twice what a body may have, and what needs no counting"
    );
    let text = "y".repeat(190_000);
    let large = json!({"events": [{"kind": "user_input", "content": text}]});
    assert_eq!(stage.post("/v1/append", &other, &large).status, 200, "another key has its own share");
    assert_eq!(stage.post("/v1/append", &attacker, &large).status, 503);
    drop(begun);
    let deadline = Instant::now() + Duration::from_secs(20);
    while stage.post("/v1/append", &attacker, &large).status != 200 {
        assert!(Instant::now() < deadline, "what was given back can be used again");
        std::thread::sleep(Duration::from_millis(50));
    }
}
