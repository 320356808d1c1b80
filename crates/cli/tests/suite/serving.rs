//! The served program as a whole: it ends well under load and badly without loss, and holds thousands of spaces.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::place::{Place, is_long_run, say};
use super::server::{Client, Server};

const WRITERS: usize = 16;

/// Appends from many connections until the server is gone; the ids that were acknowledged.
fn appended_until_gone(server: &Server, round: usize, end: impl FnOnce(&Server)) -> HashSet<String> {
    let (acknowledged, gone) = (Mutex::new(HashSet::new()), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (acknowledged, gone, address) = (&acknowledged, &gone, server.address.clone());
            scope.spawn(move || {
                let Ok(mut client) = Client::connect(&address) else { return };
                for n in 0.. {
                    let id = format!("r{round}-w{writer}-{n}");
                    let event = json!({"events": [{"id": id, "kind": "user_input", "content": "under load"}]});
                    match client.try_post("/v1/append", "", &event.to_string()) {
                        Ok((200, _)) => acknowledged.lock().expect("not poisoned").insert(id),
                        Ok((status, said)) => panic!("{status}: {said}"),
                        // It closes connections that wait when it ends; what is begun is answered.
                        Err(_) if Client::connect(&address).is_err() || gone.load(Ordering::Acquire) => return,
                        Err(error) => panic!("a server that lives answers: {error}"),
                    };
                }
            });
        }
        std::thread::sleep(Duration::from_millis(300));
        gone.store(true, Ordering::Release);
        end(server);
    });
    acknowledged.into_inner().expect("not poisoned")
}

fn ids(place: &Place) -> HashSet<String> {
    let events = place.lines(&["export"]);
    events.iter().filter_map(|event| event["id"].as_str().map(str::to_owned)).collect()
}

#[test]
fn told_to_end_under_load_it_keeps_what_it_acknowledged_and_ends_well() {
    let place = Place::new();
    let mut all = HashSet::new();
    for round in 0..3 {
        let mut server = Server::open(&place);
        let acknowledged = appended_until_gone(&server, round, |server| server.signal(Signal::TERM));
        assert_eq!(server.wait().code(), Some(0), "it ends as if nothing had been");
        assert!(!acknowledged.is_empty());
        all.extend(acknowledged);
    }
    assert!(all.is_subset(&ids(&place)));
    say(&format!("figure: SIGTERM under load, 3 times: {} acknowledged, none lost", all.len()));
    place.ok(&["verify"]);
}

#[test]
fn killed_under_load_it_keeps_what_it_acknowledged() {
    let place = Place::new();
    let mut all = HashSet::new();
    for round in 0..3 {
        let mut server = Server::open(&place);
        all.extend(appended_until_gone(&server, round, |server| server.signal(Signal::KILL)));
        server.wait();
    }
    assert!(!all.is_empty() && all.is_subset(&ids(&place)));
    say(&format!("figure: SIGKILL of a server under load, 3 times: {} acknowledged, none lost", all.len()));
    place.ok(&["verify"]);
}

#[test]
fn beyond_this_machine_it_listens_only_with_keys() {
    let place = Place::new();
    let refused = place.run(&["serve", "--listen", "0.0.0.0:0", "--open"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{refused:?}");
    assert!(refused.err.contains("without keys the server does not listen on 0.0.0.0:0"), "{refused:?}");
    let refused = place.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{refused:?}");
    assert!(refused.err.contains("idetic key create"), "{refused:?}");
}

#[test]
fn a_key_is_made_used_listed_and_revoked() {
    let place = Place::new();
    let made = place.json(&["key", "create", "--name", "laptop", "--user", "local", "--scope", "write"]);
    let key = made["key"].as_str().expect("a key");
    let server = Server::start(&place, &[]);
    let mut client = server.client();
    let auth = format!("Authorization: Bearer {key}\r\n");
    let status = |client: &mut Client, headers: &str| {
        client.try_post("/v1/recall", headers, r#"{"query":"tea"}"#).expect("an answer").0
    };
    assert_eq!(status(&mut client, ""), 401);
    assert_eq!(client.try_post("/v1/remember", &auth, r#"{"text":"tea at five"}"#).expect("an answer").0, 200);
    assert_eq!(status(&mut client, &auth), 200);
    let listed = place.lines(&["key", "list"]);
    assert_eq!(listed.len(), 1);
    assert!(!place.ok(&["key", "list"]).contains(key) && !listed[0].to_string().contains(key));
    place.ok(&["key", "revoke", listed[0]["id"].as_str().expect("an id")]);
    assert_eq!(status(&mut client, &auth), 401, "at once, also on a connection that was let in");
    for file in ["keys.json", "config.toml"] {
        assert!(!std::fs::read_to_string(place.home().join(file)).unwrap_or_default().contains(key), "{file}");
    }
}

/// What a process has open, and the memory it holds in KiB.
fn held(process: u32) -> (usize, u64) {
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).expect("Linux").count();
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it is told");
    (files, line.trim().trim_end_matches(" kB").parse().expect("a number"))
}

#[test]
fn thousands_of_spaces_are_served_within_bounds() {
    let spaces = if is_long_run() { 10_000 } else { 400 };
    let place = Place::new();
    let server = Server::open(&place);
    let mut client = server.client();
    let (mut most_files, mut warm) = (0, 0);
    for n in 0..spaces {
        let space = format!("user{n}/notes");
        client.post_in(&space, "/v1/remember", &json!({"text": format!("the lamp of house {n} is green")}));
        let found: Value = client.post_in(&space, "/v1/recall", &json!({"query": "lamp"}));
        assert!(found.to_string().contains(&format!("house {n} is")), "{found}");
        if n % 50 == 0 {
            most_files = most_files.max(held(server.id()).0);
        }
        if n == spaces / 2 {
            warm = held(server.id()).1;
        }
    }
    let grown = held(server.id()).1.saturating_sub(warm);
    say(&format!(
        "figure: {spaces} spaces served: at most {most_files} open files, {} MiB, {grown} KiB of it for the second half",
        held(server.id()).1 >> 10
    ));
    assert!(most_files <= 1024, "{most_files} files are open");
    // What a home with one space needs is there from the beginning; the rest must not grow with their number.
    assert!(grown <= 24 * 1024, "memory grew by {grown} KiB");
}
