//! Webhooks of the program: a server that is killed between deliveries loses none of them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::place::Place;
use super::server::Server;

/// Events of each server, and how often one is killed.
const EVENTS: usize = 30;
const KILLS: usize = 3;
const PATIENCE: Duration = Duration::from_secs(120);

/// Takes everything, slowly, and notes the texts in their order.
fn receiver() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("it listens");
    let address = listener.local_addr().expect("an address").to_string();
    let got = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&got);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = BufReader::new(stream);
            let (mut line, mut length) = (String::new(), 0);
            while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
                if let Some(("content-length", value)) = line.to_ascii_lowercase().split_once(':') {
                    length = value.trim().parse().expect("a length");
                }
                line.clear();
            }
            let mut body = vec![0; length];
            if length == 0 || stream.read_exact(&mut body).is_err() {
                continue;
            }
            let message: Value = serde_json::from_slice(&body).expect("JSON");
            kept.lock()
                .expect("not poisoned")
                .push(message["data"]["event"]["content"].as_str().expect("a text").to_owned());
            std::thread::sleep(Duration::from_millis(5));
            let _ = stream.get_mut().write_all(b"HTTP/1.1 204 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        }
    });
    (address, got)
}

#[test]
fn a_server_that_is_killed_between_deliveries_loses_none() {
    let place = Place::new();
    place.ok(&["remember", "before"]);
    let (address, got) = receiver();
    std::fs::write(place.home().join("hook.secret"), "a secret of the tests").expect("written");
    let config = format!(
        "[[server.webhooks]]\nname = \"crm\"\nurl = \"http://{address}/\"\nsecret_file = \"hook.secret\"\n\
         spaces = [\"local/default\"]\nprivate_network = true\n"
    );
    std::fs::write(place.home().join("config.toml"), config).expect("written");
    let count = || got.lock().expect("not poisoned").len();
    let waits_for = |number: usize| {
        let start = Instant::now();
        while count() < number {
            assert!(start.elapsed() < PATIENCE, "only {} came", count());
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let position = place.home().join("webhooks/crm/local/default.json");
    let mut expected = Vec::new();
    for round in 0..=KILLS {
        let mut server = Server::open(&place);
        let start = Instant::now();
        while !position.exists() {
            assert!(start.elapsed() < PATIENCE, "nobody follows");
            std::thread::sleep(Duration::from_millis(20));
        }
        let texts: Vec<String> = (0..EVENTS).map(|number| format!("{round}-{number}")).collect();
        let events: Vec<Value> = texts.iter().map(|text| json!({"kind": "user_input", "content": text})).collect();
        let mut client = server.client();
        let answer = client.try_post("/v1/append", "", &json!({"events": events}).to_string()).expect("an answer");
        assert_eq!(answer.0, 200, "{}", answer.1);
        expected.extend(texts);
        waits_for(count() + EVENTS / 3);
        if round < KILLS {
            server.signal(Signal::KILL);
            server.wait();
        } else {
            // At least once each: so many more may come.
            waits_for(expected.len());
            let start = Instant::now();
            while got.lock().expect("not poisoned").last() != expected.last() {
                assert!(start.elapsed() < PATIENCE, "the last one did not come");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
    let mut got = got.lock().expect("not poisoned").clone();
    assert!(got.len() <= expected.len() + KILLS, "only what was on its way comes twice");
    got.dedup();
    assert_eq!(got, expected, "each in its order");
}
