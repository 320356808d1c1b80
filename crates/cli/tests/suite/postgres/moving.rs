//! `move`: the logs of a home go into a database and back, while others write, and however often it is stopped.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::place::{Place, said, text};
use super::super::random::Random;
use super::super::server::Server;
use super::cluster::Cluster;
use super::machine;

const SPACES: [&str; 2] = ["local/default", "ann/notes"];
const EVERY_ROW: &str = "SELECT (SELECT count(*) FROM idetic.spaces) + (SELECT count(*) FROM idetic.events) \
     + (SELECT count(*) FROM idetic.keys) + (SELECT count(*) FROM idetic.archives) + (SELECT count(*) FROM idetic.vectors) \
     + (SELECT count(*) FROM idetic.calls)";

/// What every space says and what its views are.
fn told(place: &Place) -> Vec<String> {
    SPACES
        .iter()
        .flat_map(|space| [place.ok(&["export", "--space", space]), place.ok(&["digest", "--space", space])])
        .collect()
}

fn files(place: &Place) -> Vec<String> {
    let folder = |space: &str| place.home().join("spaces").join(space);
    let names = SPACES.iter().flat_map(|space| std::fs::read_dir(folder(space)).expect("a folder"));
    names.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// A home with two spaces; some of it is archived, some erased.
fn home(events: usize) -> Place {
    let place = Place::new();
    let lines: Vec<String> =
        (0..events).map(|n| said(&format!("The lamp number {n} hangs in room {}", n % 9))).collect();
    place.append(&lines);
    place.append(&[said("The canary is called xylo-7731")]);
    purge(&place, "xylo-7731");
    place.ok(&["remember", "Ann likes herons", "--space", SPACES[1]]);
    place
}

fn purge(place: &Place, words: &str) {
    assert_eq!(place.run(&["purge", "--matching", words, "--yes"]).code, 0);
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn logs_go_into_a_database_and_back_with_everything() {
    let (cluster, place) = (Cluster::start(), home(1500));
    let url = cluster.url();
    place.ok(&["key", "create", "--admin", "--name", "laptop"]);
    let before = told(&place);
    let config = place.home().join("config.toml");
    std::fs::set_permissions(&config, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("set");
    let would = place.ok(&["move", "--to", &url, "--dry-run"]);
    assert!(would.contains("would move 3 spaces") && would.contains("127.0.0.1"), "{would}");
    assert!(files(&place).contains(&"log.db".to_owned()));
    let moved = place.ok(&["move", "--to", &url]);
    assert!(moved.contains("moved 3 spaces"), "{moved}");
    assert_eq!(told(&place), before);
    assert!(place.ok(&["config", "show"]).contains("log.url"));
    let left = files(&place);
    assert!(!left.iter().any(|name| name.starts_with("log.db") || name == "archive" || name == "moving"), "{left:?}");
    place.verify();
    let mode = std::os::unix::fs::PermissionsExt::mode(&config.metadata().expect("a file").permissions());
    assert_eq!(mode & 0o777, 0o600, "the password in it is nobody else's to read");
    // Another machine has all of it, and lets the same keys in.
    let other = machine(&url);
    assert_eq!(told(&other), before);
    assert_eq!(other.lines(&["key", "list"]).iter().map(|key| text(key, "name")).collect::<Vec<_>>(), ["laptop"]);
    assert!(!place.home().join("keys.json").exists() || place.lines(&["key", "list"]).len() == 1);
    other.ok(&["remember", "The other canary is called quux-1234"]);
    purge(&other, "quux-1234");
    other.ok(&["remember", "It goes on here"]);
    let before = told(&place);
    let (why, _) = place.run(&["move", "--to", &url]).refused(2);
    assert!(why.contains("cannot be moved"), "{why}");
    place.ok(&["move", "--to", "folder"]);
    assert_eq!(told(&place), before);
    assert_eq!(cluster.sql(EVERY_ROW), "0");
    assert_eq!(place.lines(&["key", "list"]).iter().map(|key| text(key, "name")).collect::<Vec<_>>(), ["laptop"]);
    place.ok(&["remember", "And here"]);
    place.verify();
    let left = files(&place);
    assert!(!left.iter().any(|name| name == "moving" || name == "log.moved"), "{left:?}");
    // What was left on the other machine says that its log is gone, and appends nothing.
    assert_eq!(other.run(&["remember", "Nobody hears this"]).code, 1);
    assert!(!std::fs::read_to_string(place.home().join("config.toml")).expect("a file").contains("postgres://127"));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn what_a_server_acknowledges_meanwhile_is_moved_and_then_it_stops() {
    for is_back in [false, true] {
        let (cluster, place) = (Cluster::start(), home(3000));
        let url = cluster.url();
        if is_back {
            place.ok(&["move", "--to", &url]);
        }
        let server = Server::open(&place);
        let is_over = AtomicBool::new(false);
        let heard: Vec<(Vec<String>, String)> = thread::scope(|scope| {
            let write = |writer: usize| {
                let (mut client, mut acknowledged) = (server.client(), Vec::new());
                for n in 0.. {
                    let text = format!("writer {writer} says {n}");
                    let body = json!({"text": text}).to_string();
                    match client.try_post("/v1/remember", "", &body).expect("the server answers") {
                        (200, _) => acknowledged.push(text),
                        (_, why) => return (acknowledged, why),
                    }
                    assert!(!is_over.load(Ordering::Relaxed) || n < 100_000, "it goes on for ever");
                }
                unreachable!("it ends when the log is moved")
            };
            let writers: Vec<_> = (0..3).map(|writer| scope.spawn(move || write(writer))).collect();
            thread::sleep(Duration::from_millis(300));
            place.ok(&["move", "--to", if is_back { "folder" } else { &url }]);
            is_over.store(true, Ordering::Relaxed);
            writers.into_iter().map(|writer| writer.join().expect("a writer")).collect()
        });
        let there = place.ok(&["export"]);
        for (acknowledged, why) in &heard {
            assert!(!acknowledged.is_empty());
            for text in acknowledged {
                assert!(
                    there.contains(&format!("{text}\\\"")) || there.contains(&format!("{text}\"")),
                    "{text} is lost: {why}"
                );
            }
        }
        assert!(heard.iter().all(|(_, why)| why.contains("was moved to") && why.contains("hint")), "{heard:?}");
        // Nor does it begin a space where nobody would look for it.
        let fresh = "Idetic-Space: fresh/one\r\n";
        let (status, why) = server.client().try_post("/v1/remember", fresh, r#"{"text":"new"}"#).expect("an answer");
        assert!(status == 503 && why.contains("was moved to"), "{status} {why}");
        place.verify();
        drop(server);
        let server = Server::open(&place);
        assert_eq!(server.client().try_post("/v1/remember", "", r#"{"text":"Now again"}"#).expect("an answer").0, 200);
    }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_move_that_is_killed_is_finished_by_the_next() {
    let (cluster, mut random) = (Cluster::start(), Random::new(11));
    let url = cluster.url();
    let place = home(4000);
    let before = told(&place);
    for to in [url.as_str(), "folder", &url, "folder"] {
        for _ in 0..6 {
            let mut child = started(place.command(&["move", "--to", to]));
            thread::sleep(random.moment(Duration::from_millis(400)));
            let _ = child.kill();
            let _ = child.wait();
        }
        // Some of them may have come to the end: then there is nothing to do any more.
        let ended = place.run(&["move", "--to", to]);
        assert!(ended.code == 0 || ended.err.contains("cannot be moved"), "{ended:?}");
        assert_eq!(told(&place), before, "{to}");
        place.verify();
    }
    assert_eq!(cluster.sql(EVERY_ROW), "0");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn what_cannot_be_moved_safely_is_refused() {
    let (cluster, place) = (Cluster::start(), home(3));
    let url = cluster.url();
    // Imported events that nobody accepted: only this machine knows that they are foreign.
    let file = place.write("all.jsonl", place.ok(&["export"]));
    place.ok(&["import", &file, "--space", "bob/copy"]);
    let (why, hint) = place.run(&["move", "--to", &url]).refused(4);
    assert!(why.contains("bob/copy") && hint.contains("--accept"), "{why} {hint}");
    place.ok(&["import", &file, "--space", "bob/copy", "--accept"]);
    // Another home has a space of the same name there, with as many events, and this one has erased some of its own.
    let other = machine(&url);
    (0..9).for_each(|n| drop(other.ok(&["remember", &format!("I was here first, {n}")])));
    let (before, theirs) = (told(&place), other.ok(&["export"]));
    let refused = place.run(&["move", "--to", &url]);
    assert!(refused.code != 0 && refused.err.contains("another chain"), "{refused:?}");
    assert_eq!(told(&place), before, "it stays where it is");
    assert_eq!(other.ok(&["export"]), theirs, "and nothing is erased there");
    // What was copied of the other spaces is seen by nobody, and removed.
    let spaces =
        |place: &Place| place.lines(&["spaces"]).iter().map(|line| text(line, "space").to_owned()).collect::<Vec<_>>();
    assert!(!spaces(&other).contains(&SPACES[1].to_owned()), "{:?}", spaces(&other));
    let purged = place.run(&["purge", "--matching", "lamp number 2", "--yes"]);
    assert!(purged.code == 0 && format!("{purged:?}").contains("--cancel"), "{purged:?}");
    place.ok(&["move", "--to", &url, "--cancel"]);
    assert_eq!(cluster.sql("SELECT count(*) FROM idetic.spaces WHERE erasure < 0"), "0");
    assert!(!files(&place).contains(&"moving".to_owned()));
    // A link would be replaced by a file.
    let config = place.home().join("config.toml");
    std::fs::rename(&config, place.home().join("elsewhere.toml")).expect("renamed");
    std::os::unix::fs::symlink(place.home().join("elsewhere.toml"), &config).expect("a link");
    let (why, _) = place.run(&["move", "--to", &url]).refused(2);
    assert!(why.contains("symbolic link"), "{why}");
    std::fs::rename(place.home().join("elsewhere.toml"), &config).expect("renamed");
    let (why, _) = place.run(&["move", "--to", "somewhere"]).refused(2);
    assert!(why.contains("log.url"), "{why}");
    let mut command = place.command(&["move", "--to", "folder"]);
    let answer = command.env("IDETIC_LOG_URL", &url).output().expect("it runs");
    assert!(!answer.status.success() && String::from_utf8_lossy(&answer.stderr).contains("IDETIC_LOG_URL"));
    let value: Value = place.run(&["--json", "move", "--to", "folder"]).refused_json(2);
    assert!(value.to_string().contains("cannot be moved"), "{value}");
}

fn started(mut command: Command) -> std::process::Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}
