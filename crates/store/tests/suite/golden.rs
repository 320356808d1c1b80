//! Files of every format that was ever written: today's program reads them to exactly what they said.
//!
//! A golden file is written once, when its format is released, and never again. If one of these tests fails, the program
//! is wrong: it must learn to read the old file (`idetic_core::upcast`), and a new format gets a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};

use idetic_core::transfer::from_line;
use idetic_core::{Event, Stored, Tip};
use idetic_store::{HeadState, Log, Options, SqliteLog};
use rusqlite::Connection;

use super::given::{self, all, batch, event, lines};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1").join(name)
}

/// What was said, once and for all.
const BODIES: [&str; 8] = [
    r#"{"kind":"session","summary":"the first event of all"}"#,
    r#"{"id":"greeting","ts":"2025-01-17T12:00:00.123456+02:00","kind":"user_input","agent_id":"ann","content":"Zoë says \"hi\" \u2603 日本"}"#,
    r#"{ "kind" : "tool_output" , "status" : "failure", "metadata" : {"duration_ms": 12.50, "big": 1e400, "z": -0, "a": [1, {"b": null}]} }"#,
    r#"{"id":"secret","kind":"feedback","content":"to be erased"}"#,
    r#"{"id":"greeting","kind":"subconscious_output","agent_id":"ann","persona":"subconscious","visibility":"internal"}"#,
    r#"{"kind":"gateway.tool_call","trace_id":"t1","loop_id":"l1","conversation_id":"c1","scope":"core","source":"web","author":"bob","trust":"external"}"#,
    r#"{"kind":"decision","refs":["issue 1","a/b.rs"],"tags":["x","y"],"causes":["greeting"]}"#,
    r#"{"kind":"archive","content":""}"#,
];

/// Writes the log the golden files come from: eight events, the fourth erased, taken in elsewhere.
fn write(folder: &Path) -> Vec<Stored> {
    let first = given::folder();
    let log = given::log_in(first.path());
    log.append(batch(&BODIES[..3])).expect("appended");
    log.append(batch(&BODIES[3..])).expect("appended");
    let mut events = all(&log);
    events[3].secret = None;
    given::log_in(folder).graft(&events).expect("taken in");
    let raw = Connection::open(folder.join("log.db")).expect("the database");
    raw.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("a checkpoint");
    events
}

fn export(events: &[Stored]) -> String {
    lines(events).iter().map(|line| format!("{line}\n")).collect()
}

/// Run by hand when a format is released, with `-- --ignored write_the_golden_files`; it refuses to write over one.
#[test]
#[ignore = "golden files are written once"]
fn write_the_golden_files() {
    let folder = given::folder();
    let events = write(folder.path());
    fs::create_dir_all(golden("")).expect("a folder");
    assert!(!golden("log.db").exists(), "a released golden file is never written again");
    for name in ["log.db", "head"] {
        fs::copy(folder.path().join(name), golden(name)).expect("copied");
    }
    fs::write(golden("export.jsonl"), export(&events)).expect("written");
}

/// A copy of the golden log: opening it writes beside it.
fn opened() -> (tempfile::TempDir, SqliteLog) {
    let folder = given::folder();
    for name in ["log.db", "head"] {
        fs::copy(golden(name), folder.path().join(name)).expect("copied");
    }
    let log = SqliteLog::open(folder.path(), given::sources_from(1), &Options::default()).expect("readable");
    (folder, log.expect("a log"))
}

#[test]
fn the_golden_log_holds_what_was_said() {
    let (_folder, log) = opened();
    let tip = log.tip().expect("a tip");
    let events = all(&log);
    assert_eq!(events.iter().try_fold(Tip::empty(tip.space), |tip, event| tip.follow(event)), Ok(tip));
    assert_eq!(log.head(), Ok(HeadState::At { space: tip.space, seq: 8, hash: tip.hash }));
    assert_eq!(log.check_storage(), Ok(Vec::new()));
    let said: Vec<Option<&str>> = events.iter().map(|e| Some(e.secret.as_ref()?.body.as_str())).collect();
    assert_eq!(said, BODIES.iter().enumerate().map(|(at, body)| (at != 3).then_some(*body)).collect::<Vec<_>>());
    let kinds: Vec<&str> = events.iter().map(|e| e.header.kind.as_str()).collect();
    assert_eq!(kinds[..4], ["session", "user_input", "tool_result", "feedback"]);
    assert_eq!(events[0].header.recorded_at.to_string(), "2026-01-01T00:00:00.000000Z");
    assert_eq!(Event::read(&events[1]).map(|e| e.ts().to_string()).as_deref(), Ok("2025-01-17T10:00:00.123456Z"));
    for (body, seq) in [(BODIES[1], Some(2)), (BODIES[3], None), (BODIES[4], Some(5))] {
        assert_eq!(log.find(event(body).id.expect("an id").1), Ok(seq));
    }
    let next = log.append(batch(&[BODIES[0]])).expect("appended");
    assert_eq!(next[0].seq, 9);
}

#[test]
fn the_golden_export_is_the_golden_log() {
    let (_folder, log) = opened();
    let text = fs::read_to_string(golden("export.jsonl")).expect("a file");
    let events: Vec<Stored> = text.lines().map(|line| from_line(line).expect("an event")).collect();
    assert_eq!(events, all(&log));
    let folder = given::folder();
    let taken_in = given::log_in(folder.path());
    assert_eq!(taken_in.graft(&events), Ok((log.tip().expect("a tip"), 8)));
    assert_eq!(export(&all(&taken_in)), text);
}

#[test]
fn the_same_clock_and_chance_write_the_same_bytes_today() {
    let folder = given::folder();
    let events = write(folder.path());
    assert_eq!(export(&events), fs::read_to_string(golden("export.jsonl")).expect("a file"));
    assert_eq!(fs::read(folder.path().join("head")).ok(), fs::read(golden("head")).ok());
}

/// The golden log with its first five events in an archive: `golden/archived-v1`, written by hand like the other.
fn archived(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/archived-v1").join(name)
}

const ARCHIVED: [&str; 2] = ["log.db", "head"];

#[test]
#[ignore = "golden files are written once"]
fn write_the_golden_archive() {
    let (folder, log) = opened();
    log.archive(5, &mut |_| {}).expect("archived");
    let file = log.archives().expect("archives").remove(0).file;
    drop(log);
    let raw = Connection::open(folder.path().join("log.db")).expect("the database");
    raw.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("a checkpoint");
    assert!(!archived("log.db").exists(), "a released golden file is never written again");
    fs::create_dir_all(archived("archive")).expect("a folder");
    for name in ARCHIVED.into_iter().chain([file.as_str()]) {
        fs::copy(folder.path().join(name), archived(name)).expect("copied");
    }
}

#[test]
fn the_golden_archive_is_the_golden_log() {
    let folder = given::folder();
    fs::create_dir(folder.path().join("archive")).expect("a folder");
    let files = fs::read_dir(archived("archive")).expect("a folder").flatten();
    let files: Vec<String> = files.map(|file| format!("archive/{}", file.file_name().to_string_lossy())).collect();
    for name in ARCHIVED.into_iter().chain(files.iter().map(String::as_str)) {
        fs::copy(archived(name), folder.path().join(name)).expect("copied");
    }
    let log = SqliteLog::open(folder.path(), given::sources_from(1), &Options::default()).expect("readable");
    let log = log.expect("a log");
    assert_eq!(export(&all(&log)), fs::read_to_string(golden("export.jsonl")).expect("a file"));
    assert_eq!(log.check_storage(), Ok(Vec::new()));
    assert_eq!(log.find(event(BODIES[1]).id.expect("an id").1), Ok(Some(2)));
    assert_eq!(log.archives().map(|archives| (archives[0].last, archives[0].erased)), Ok((5, 1)));
}
