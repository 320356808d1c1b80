//! Very many users on one server: what is open for them, and that it answers beside connections that ask nothing.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;

use super::place::{Place, is_long_run, say};
use super::server::{Client, Server};

/// What is promised: so many spaces open at once, with so many file handles in all.
const OPEN: usize = 64;
const FILES_MAX: usize = 400;
/// Clients that ask at a time.
const CLIENTS: usize = 4;
const IDLE: usize = 1_000;
/// How long `/health` may take beside them, and in a short run on a busy machine.
const HEALTH_MAX: Duration = Duration::from_millis(50);
const SLACK: u32 = 10;

fn tenants() -> usize {
    if is_long_run() { 1_000 } else { 100 }
}

fn open_files(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.id())).expect("Linux").count()
}

/// What a tenant does: it remembers something and finds that, and nothing of anybody else's.
fn work_as(client: &mut Client, tenant: usize, round: usize) {
    let space = format!("user{tenant}/notes");
    client.post_in(&space, "/v1/remember", &json!({"text": format!("the lamp of house {tenant} is lit, {round}")}));
    let found = client.post_in(&space, "/v1/recall", &json!({"query": "lamp", "limit": 20}));
    let hits = found["hits"].as_array().expect("hits");
    let own = format!("house {tenant} is");
    assert!(!hits.is_empty() && hits.iter().all(|hit| hit["text"].as_str().is_some_and(|text| text.contains(&own))));
}

/// The most files that are open while some work goes on.
fn most_files(server: &Server, work: impl FnOnce() + Send) -> usize {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            work();
            done.store(true, Ordering::Relaxed);
        });
        let mut most = 0;
        while !done.load(Ordering::Relaxed) && !worker.is_finished() {
            most = most.max(open_files(server));
            std::thread::sleep(Duration::from_millis(5));
        }
        most
    })
}

#[test]
fn sixty_four_spaces_are_open_with_few_files() {
    let place = Place::new();
    let server = Server::open(&place);
    let all = most_files(&server, || {
        let mut client = server.client();
        (0..tenants()).for_each(|tenant| work_as(&mut client, tenant, 0));
    });
    // Those that are open are worked in again and again, by several clients at once.
    let start = Instant::now();
    let again = most_files(&server, || {
        std::thread::scope(|scope| {
            for first in 0..CLIENTS {
                let server = &server;
                scope.spawn(move || {
                    let mut client = server.client();
                    for round in 1..=4 {
                        let last = tenants() - OPEN..tenants();
                        last.skip(first).step_by(CLIENTS).for_each(|tenant| work_as(&mut client, tenant, round));
                    }
                });
            }
        });
    });
    let each = start.elapsed() / u32::try_from(OPEN * 4).expect("few");
    say(&format!(
        "figure: {} tenants, {OPEN} open: at most {all} file handles one after the other, {again} by {CLIENTS} clients at once \
         ({each:.1?} for something remembered and recalled)",
        tenants()
    ));
    assert!(all.max(again) < FILES_MAX, "{all} and {again} files are open");
}

/// Asks for `/health` on a connection; gives how long the answer took.
fn health(stream: &mut TcpStream, address: &str) -> Duration {
    let start = Instant::now();
    write!(stream, "GET /health HTTP/1.1\r\nHost: {address}\r\n\r\n").expect("it listens");
    let mut answer = Vec::new();
    while !answer.ends_with(b"ok") {
        let mut part = [0; 1024];
        let read = stream.read(&mut part).expect("an answer");
        assert!(read > 0, "it hung up: {}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&part[..read]);
    }
    start.elapsed()
}

#[test]
fn health_is_answered_beside_a_thousand_idle_connections() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    let place = Place::new();
    let server = Server::open(&place);
    let connect = || TcpStream::connect(&server.address).expect("it listens");
    let mut idle: Vec<TcpStream> = (0..IDLE).map(|_| connect()).collect();
    // Each has asked something once, and is kept open.
    for stream in &mut idle {
        health(stream, &server.address);
    }
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let start = Instant::now();
            health(&mut connect(), &server.address);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let (middle, slow) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    say(&format!(
        "figure: /health beside {IDLE} idle connections: p50 {middle:.2?}, p99 {slow:.2?}, each on a new connection"
    ));
    assert!(open_files(&server) >= IDLE, "they were there all the time");
    assert!(slow < HEALTH_MAX * if is_long_run() { 1 } else { SLACK }, "{slow:?}");
}
