//! Specification 001's own files: identities, short-term memory, and a `.chaos` folder taken in whole and only once.
#![expect(clippy::print_stderr, reason = "a test that cannot run says so")]

use std::path::Path;

use rusqlite::Connection;
use serde_json::json;

use super::place::{Place, number, text};

const TABLES: &str = "
    CREATE TABLE idetic_events (id TEXT PRIMARY KEY, ts TEXT NOT NULL, agent_id TEXT NOT NULL, persona TEXT NOT NULL,
        loop_id TEXT NOT NULL, kind TEXT NOT NULL, visibility TEXT NOT NULL, content TEXT NOT NULL,
        metadata_json TEXT NOT NULL DEFAULT '{}');
    CREATE TABLE ltm_entries (id TEXT PRIMARY KEY, idetic_id TEXT UNIQUE NOT NULL, ts TEXT, agent_id TEXT, persona TEXT,
        loop_id TEXT, kind TEXT, visibility TEXT, summary TEXT, importance REAL DEFAULT 0.0,
        embed_status TEXT DEFAULT 'pending', metadata_json TEXT);";

fn chaos(place: &Place) -> String {
    let folder = place.path("project/.chaos");
    std::fs::create_dir_all(folder.join("db")).expect("a folder");
    std::fs::create_dir_all(folder.join("identities")).expect("a folder");
    let database = Connection::open(folder.join("db/raw.sqlite")).expect("a database");
    database.execute_batch(TABLES).expect("tables");
    for (n, (persona, kind, content, metadata)) in [
        ("actor", "user_input", "List the files", "{}"),
        ("actor", "tool_call", "ls {\"path\": \".\"}", r#"{"tool_name":"ls","tool_call_id":"c1"}"#),
        ("actor", "tool_output", "a.txt\nb.txt", r#"{"tool_name":"ls"}"#),
        ("actor", "actor_output", "There are two files: a.txt and b.txt", "{}"),
        ("subconscious", "feedback", "be brief", "not json"),
        ("actor", "Odd Kind", "x", "{}"),
    ]
    .iter()
    .enumerate()
    {
        let (id, ts) = (format!("e{n}"), format!("2026-01-31T10:00:0{n}.250000+00:00"));
        let row = (&id, &ts, "default", persona, "loop-1", kind, "external", content, metadata);
        database.execute("INSERT INTO idetic_events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", row).expect("a row");
        let (summary, importance) = if n == 3 { ("Two files", 0.8) } else { (*content, 0.5) };
        let row = (format!("l{n}"), &id, summary, importance);
        database
            .execute("INSERT INTO ltm_entries (id, idetic_id, summary, importance) VALUES (?1, ?2, ?3, ?4)", row)
            .expect("a row");
    }
    place.arg("project")
}

#[test]
fn every_event_is_taken_in_once_with_its_summary_importance_and_foreign_kind() {
    let place = Place::new();
    let project = chaos(&place);
    assert_eq!(number(&place.json(&["import", "chaos", &project])["events"]), 6);
    assert_eq!(number(&place.json(&["import", "chaos", &project])["events"]), 0, "a second time adds nothing");
    let events = place.lines(&["log"]);
    let kinds: Vec<&str> = events.iter().map(|event| text(event, "kind")).collect();
    assert_eq!(kinds, ["user_input", "tool_call", "tool_result", "actor_output", "feedback", "chaos.odd-kind"]);
    assert_eq!((&events[3]["summary"], &events[3]["metadata"]["importance"]), (&json!("Two files"), &json!(0.8)));
    assert_eq!(events[4]["metadata"]["_chaos_metadata"], "not json");
    assert_eq!(events[5]["metadata"]["_chaos_kind"], "Odd Kind");
    assert_eq!(events[0]["ts"], "2026-01-31T10:00:00.250000Z");
    let loops = place.lines(&["loops", "--agent", "default"]);
    assert_eq!(loops.len(), 1, "one entry for the actor's loop");
    assert_eq!(loops[0]["ltm"], json!(["e0", "e1", "e2", "e3", "e5"]), "its long-term ids in order, the actor's alone");
    let found = place.lines(&["stm", "list files", "--agent", "default", "--at", "2026-01-31T10:00:05.250Z"]);
    assert_eq!((found.len(), &found[0]["ratio"], &found[0]["recency"]), (1, &json!(100.0), &json!(1.0)));
}

#[test]
fn a_folder_without_anything_and_an_identity_that_is_wrong_are_named() {
    let place = Place::new();
    assert!(place.run(&["import", "chaos", &place.arg("nowhere")]).refused(3).0.contains("neither"));
    let project = chaos(&place);
    std::fs::write(place.path("project/.chaos/identities/bad.identity.json"), r#"{"schema_version":"1.0","soul":1}"#)
        .expect("written");
    let answer = place.run(&["import", "chaos", &project]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.err.contains("bad.identity.json") && answer.err.contains("soul"), "{answer:?}");
    assert_eq!(place.events(), 6, "what is right is taken in all the same");
}

#[test]
fn the_published_identity_is_read_and_sets_how_short_term_memory_is_searched() {
    let sample = "../../../shared/spec/samples/chaos/josef-dijon__chaos__minimal-identity.example.identity.json";
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join(sample);
    let Ok(identity) = std::fs::read_to_string(&sample) else {
        eprintln!("skipped: {} is not there", sample.display());
        return;
    };
    let place = Place::new();
    std::fs::create_dir_all(place.path("project/.chaos/identities")).expect("a folder");
    std::fs::write(place.path("project/.chaos/identities/default.identity.json"), &identity).expect("written");
    place.ok(&["import", "chaos", &place.arg("project")]);
    let shown = place.json(&["identity", "show", "default"]);
    assert_eq!(shown["memory"]["actor"]["stm_search"]["threshold"], json!(60.0));
    place.ok(&["remember", "List the files", "--agent", "default", "--loop", "l1", "--kind", "user_input"]);
    assert_eq!(place.lines(&["stm", "list files", "--agent", "default"]).len(), 1);
    let strict = identity.replace("\"threshold\": 60", "\"threshold\": 100");
    std::fs::write(place.home().join("identities/default.identity.json"), strict).expect("written");
    assert_eq!(place.lines(&["stm", "list filez", "--agent", "default"]).len(), 0, "the file decides");
}

#[test]
fn what_is_not_utf_8_is_named_and_its_bytes_are_kept() {
    let place = Place::new();
    let project = chaos(&place);
    let database = Connection::open(place.path("project/.chaos/db/raw.sqlite")).expect("a database");
    database
        .execute_batch("UPDATE idetic_events SET content = CAST(x'636166E9' AS TEXT) WHERE id = 'e0'")
        .expect("a row that is not UTF-8");
    let answer = place.run(&["import", "chaos", &project]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.err.contains("event e0") && answer.err.contains("content is not UTF-8"), "{answer:?}");
    assert!(answer.out.contains("1 are not UTF-8"), "{answer:?}");
    let event = place.json(&["get", "e0", "--agent", "default"]);
    assert_eq!(
        (&event["content"], &event["metadata"]["_chaos_bytes"]),
        (&json!("caf\u{fffd}"), &json!({"content": "Y2Fm6Q=="}))
    );
}
