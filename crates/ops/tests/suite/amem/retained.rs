//! Retention in the folder: nothing that the log has not is ever packed or removed, and what is given up is gone from it.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use idetic_ops::core::Time;
use idetic_ops::{Env, Error, Kind, Models};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Both, CALL, NOTE, NOTE_FILE, SPACE, files, run, status, troubles};
use crate::hermetic::{Hermetic, START, counted};

const OLD: &str = "events/2024-05/events.jsonl";
const TRACE: &str = "events/2024-05/traces/abc123.jsonl";
const ARCHIVED: &str = "archive/events/2024-05/events.jsonl.gz";

/// A folder with an old month, in step with its space.
fn old_month() -> Both {
    let both = Both::new();
    both.put(OLD, &format!("{}\n", CALL.replace("2025-01", "2024-05")));
    both.append(
        &json!({"kind": "test", "trace_id": "abc123", "ts": "2024-05-20T00:00:00Z", "content": "WORDS of ours"}),
    );
    both.append(&json!({"kind": "test", "ts": "2025-01-01T00:00:00Z", "content": "new"}));
    both.sync();
    both
}

/// What retention says, and whether it wants a look.
fn retain(both: &Both, arguments: &Value) -> (Value, bool) {
    let (lines, end) = both.home.call_all(SPACE, "retain", &arguments.to_string());
    let reply = serde_json::from_str(lines.first().unwrap_or_else(|| panic!("{end:?}"))).expect("JSON");
    match end {
        Ok(()) => (reply, false),
        Err(Error { kind: Kind::CheckFailed, .. }) => (reply, true),
        Err(error) => panic!("{error}"),
    }
}

fn stayed(reply: &Value) -> Vec<&str> {
    reply["folder"]["stayed"].as_array().expect("a list").iter().filter_map(|file| file["file"].as_str()).collect()
}

#[test]
fn a_file_that_says_what_the_log_has_not_stays() {
    for arguments in [json!({"apply": true}), json!({"apply": true, "drop": true})] {
        for damage in ["{\"half a line\n", "words of a person\n", "{\"no\": \"event\"}\n"] {
            for file in [OLD, TRACE] {
                let both = old_month();
                both.put(file, &(both.text(file) + damage));
                let before = both.text(file);
                let (reply, wants_a_look) = retain(&both, &arguments);
                assert!(wants_a_look && stayed(&reply) == [file], "{damage} {reply}");
                assert_eq!(both.text(file), before, "{damage}");
                assert!(!troubles(&reply["folder"], "unread").is_empty(), "{reply}");
                let other = if file == OLD { TRACE } else { OLD };
                assert!(!both.path(other).exists(), "{other}");
            }
        }
    }
}

#[test]
fn a_file_that_was_tampered_with_stays() {
    for file in [OLD, TRACE] {
        for change in [("WORDS of ours", "words of others"), ("abc123", "abc124")] {
            let both = old_month();
            let before = both.text(file).replacen(change.0, change.1, 1);
            both.put(file, &before);
            for _ in 0..2 {
                let (reply, wants_a_look) = retain(&both, &json!({"apply": true, "drop": true}));
                assert!(wants_a_look && stayed(&reply) == [file], "{file} {change:?}: {reply}");
                assert_eq!(both.text(file), before);
            }
        }
    }
}

#[test]
fn what_is_dropped_is_in_no_file_of_the_folder_any_more() {
    let both = old_month();
    let (reply, _) = retain(&both, &json!({"apply": true}));
    assert!(both.path(ARCHIVED).exists() && !both.path(OLD).exists(), "{reply}");
    let (looked, _) = retain(&both, &json!({"dry_run": true, "drop": true}));
    assert_eq!(looked["folder"]["dropped_archives"], 1, "{looked}");
    assert!(both.path(ARCHIVED).exists(), "a dry run removes nothing");
    let (reply, wants_a_look) = retain(&both, &json!({"apply": true, "drop": true}));
    assert_eq!((&reply["folder"]["dropped_archives"], wants_a_look), (&json!(1), false), "{reply}");
    assert!(!both.path(ARCHIVED).exists());
    assert!(both.path("events/2025-01/events.jsonl").exists());
}

#[test]
fn an_age_that_is_named_is_that_of_the_folder_too() {
    let both = old_month();
    let (reply, _) = retain(&both, &json!({"apply": true, "older_than": "2024-05-15"}));
    assert_eq!(reply["folder"]["archived_months"], 0, "the month has not ended then: {reply}");
    let (reply, _) = retain(&both, &json!({"apply": true, "older_than": "2024-06-01"}));
    assert_eq!(reply["folder"]["archived_months"], 1, "{reply}");
}

#[test]
fn a_folder_that_is_bound_and_gone_is_no_hindrance() {
    let both = old_month();
    both.put(NOTE_FILE, NOTE);
    let gone = both.folder.path().with_extension("gone");
    fs::rename(both.folder.path(), &gone).expect("moved");
    let (reply, _) = retain(&both, &json!({"apply": true}));
    assert_eq!(reply["folder"]["archived_months"], 0);
    fs::rename(&gone, both.folder.path()).expect("moved back");
}

#[test]
fn what_is_old_goes_by_its_own_time_and_flat_files_go_too() {
    let both = Both::new();
    both.put(
        "events/development.jsonl",
        "{\"event_type\": \"built\", \"timestamp\": \"2024-02-03T00:00:00Z\", \"notes\": \"FLAT\"}\n",
    );
    both.put("traces/DISCO-V5.jsonl", "{\"trace_id\": \"DISCO-V5\", \"start_time\": \"2024-02-01T00:00:00Z\", \"end_time\": \"2024-02-02T00:00:00Z\", \"summary\": \"found\"}\n");
    both.put(OLD, &format!("{}\n", CALL.replace("2025-01", "2024-05")));
    both.sync();
    both.append(&json!({"kind": "test", "ts": "2025-01-01T00:00:00Z", "content": "new"}));
    both.sync();
    let index: Value = serde_json::from_str(&both.text("events/index.json")).expect("JSON");
    assert_eq!(index["files"]["events/development.jsonl"]["events"], 1, "{index}");
    assert_eq!(index["files"]["traces/DISCO-V5.jsonl"]["last"], "2024-02-02T00:00:00.000000Z", "{index}");
    assert!(index["months"]["2024-05"]["trace_files"].get("abc123.jsonl").is_some(), "{index}");
    // All of it was written just now, and happened long ago.
    let (seen, _) = retain(&both, &json!({"dry_run": true, "older_than": "2024-06-01"}));
    assert_eq!((&seen["archived"], &seen["folder"]["archived_months"]), (&json!(3), &json!(3)), "{seen}");
    retain(&both, &json!({"apply": true, "older_than": "2024-06-01"}));
    for file in ["events/development.jsonl", "traces/DISCO-V5.jsonl", OLD] {
        assert!(!both.path(file).exists() && both.path(&format!("archive/{file}.gz")).exists(), "{file}");
    }
    // Nothing comes in twice, and whoever never had it reads it from the archive.
    assert_eq!(both.sync()["events_added"], 0);
    let clone = Hermetic::new();
    let report = run(&clone, "amem sync", both.folder.path(), &json!({}));
    assert_eq!(report["events_added"].as_u64(), Some(both.events()), "{report}");
    assert!(clone.call(SPACE, "log", "{}").expect("answers").join("").contains("FLAT"));
}

#[test]
fn the_archive_lies_where_it_is_said_to() {
    let both = old_month();
    let place = both.home.folder.path().join("cold");
    fs::write(both.home.folder.path().join("config.toml"), format!("[amem]\narchive = {place:?}\n"))
        .expect("configured");
    retain(&both, &json!({"apply": true, "older_than": "2024-06-01"}));
    assert!(!both.path(OLD).exists() && !both.path(ARCHIVED).exists());
    assert!(place.join("events/2024-05/events.jsonl.gz").is_file());
    retain(&both, &json!({"apply": true, "drop": true, "older_than": "2024-06-01"}));
    assert!(!place.join("events/2024-05/events.jsonl.gz").exists(), "what is given up is gone from there too");
}

const DAY: i64 = 86_400_000_000;
/// A person's note with words that would be masked if they did not stand in a file.
const BY_HAND: &str = "---\nid: by-hand\ncreated: 2025-01-01\nupdated: 2025-01-01\ntags:   [a]  # mine\n\
    status: draft\n---\n\n# By hand\n\nStart it with password=test here.\n";

/// A home and a folder, with a clock that is set to a day by hand.
fn with_clock() -> (Both, Arc<AtomicI64>) {
    let (clock, chance) = (Arc::new(AtomicI64::new(START)), counted());
    let now = Arc::clone(&clock);
    let env = Env::new(move || Time(now.fetch_add(1000, Ordering::Relaxed)), move |bytes| chance.fill(bytes));
    let (home, folder) = (Hermetic::with(env, Models::default()), TempDir::new().expect("a folder"));
    (Both { home, folder }, clock)
}

fn set(clock: &AtomicI64, day: i64) {
    clock.store(START + day * DAY, Ordering::Relaxed);
}

fn call(home: &Hermetic, operation: &str, arguments: &Value) -> Vec<String> {
    home.call(SPACE, operation, &arguments.to_string()).unwrap_or_else(|error| panic!("{operation}: {error}"))
}

/// A folder in step with its space, in which two notes are deprecated on the first day: one by a command, one by hand.
fn deprecated_notes() -> (Both, Arc<AtomicI64>) {
    let (both, clock) = with_clock();
    for title in ["Old way", "Later way", "New way"] {
        call(&both.home, "note write", &json!({"title": title, "content": format!("{title} it goes."), "force": true}));
    }
    both.put("knowledge/notes/by-hand.md", BY_HAND);
    both.sync();
    both.put("knowledge/notes/by-hand.md", &BY_HAND.replace("draft", "deprecated"));
    call(&both.home, "note deprecate", &json!({"note": "old-way", "by": "new-way", "reason": "slow"}));
    both.sync();
    (both, clock)
}

/// What a folder's notes are called below `knowledge/`.
fn note_files(both: &Both) -> Vec<String> {
    let names = files(&both.path("knowledge")).into_keys().map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".md")).collect()
}

fn assert_quiet(report: &Value) {
    for kind in ["violation", "conflict", "unread"] {
        assert_eq!(troubles(report, kind), Vec::<String>::new(), "{report}");
    }
    assert_eq!(report["notes_added"], 0, "{report}");
}

#[test]
fn a_note_is_archived_when_it_was_deprecated_for_a_year_and_nothing_is_lost() {
    let (both, clock) = deprecated_notes();
    set(&clock, 300);
    call(&both.home, "note deprecate", &json!({"note": "later-way", "by": "new-way", "reason": "slow too"}));
    // It was deprecated when it was, whatever is done to it since.
    call(&both.home, "note edit", &json!({"note": "old-way", "tags": ["history"]}));
    both.sync();
    let before = ["old-way", "by-hand"].map(|note| both.text(&format!("knowledge/notes/{note}.md")));
    assert!(before[0].contains("history") && before[1].contains("password=test"), "{before:?}");
    set(&clock, 364);
    assert_eq!(retain(&both, &json!({"dry_run": true})).0["folder"]["archived_notes"], 0);
    set(&clock, 366);
    let (looked, _) = retain(&both, &json!({"dry_run": true}));
    assert_eq!(looked["folder"]["archived_notes"], 2, "{looked}");
    assert!(both.path("knowledge/notes/old-way.md").exists(), "a dry run moves nothing");
    let (reply, wants_a_look) = retain(&both, &json!({"apply": true}));
    assert_eq!((&reply["folder"]["archived_notes"], wants_a_look), (&json!(2), false), "{reply}");
    let places = ["archive/by-hand.md", "archive/old-way.md", "notes/later-way.md", "notes/new-way.md"];
    assert_eq!(note_files(&both), places);
    let after = ["old-way", "by-hand"].map(|note| both.text(&format!("knowledge/archive/{note}.md")));
    assert_eq!(after, before, "every byte is as it was");
    let (events, kept) = (both.events(), files(&both.path("knowledge")));
    let shown = |home: &Hermetic| -> Value {
        serde_json::from_str(&call(home, "note show", &json!({"note": "old-way"}))[0]).expect("JSON")
    };
    let here = shown(&both.home);
    assert_eq!((&here["text"], &here["status"]), (&json!(before[0]), &json!("deprecated")));
    for _ in 0..2 {
        let report = both.sync();
        assert_quiet(&report);
        assert_eq!((&report["events_added"], &report["lines_written"]), (&json!(0), &json!(0)), "{report}");
        let (again, _) = retain(&both, &json!({"apply": true}));
        assert_eq!(again["folder"]["archived_notes"], 0, "{again}");
    }
    // Whoever never had any of it finds all of it, where it is now.
    let (clone, later) = with_clock();
    set(&later, 367);
    for added in [events, 0] {
        let report = run(&clone.home, "amem sync", both.folder.path(), &json!({}));
        assert_quiet(&report);
        assert_eq!(report["events_added"], added, "{report}");
    }
    assert_eq!(shown(&clone.home)["text"], here["text"]);
    assert_eq!((both.events(), &status(&clone.home)["events"]), (events, &json!(events)));
    assert!(kept == files(&both.path("knowledge")), "{:?}", note_files(&both));
}

#[test]
fn who_had_an_archived_note_or_month_before_sees_it_move_and_not_go() {
    let (both, clock) = deprecated_notes();
    let (other, later) = with_clock();
    let sync = || run(&other.home, "amem sync", both.folder.path(), &json!({}));
    assert_quiet(&sync());
    for clock in [&clock, &later] {
        set(clock, 366);
    }
    let (reply, _) = retain(&both, &json!({"apply": true}));
    assert_eq!(reply["folder"]["archived_notes"], 2, "{reply}");
    let kept = files(both.folder.path());
    for added in [2, 0] {
        let report = sync();
        assert_quiet(&report);
        assert_eq!((&report["events_added"], &report["lines_written"]), (&json!(added), &json!(0)), "{report}");
    }
    assert!(kept == files(both.folder.path()), "{:?}", note_files(&both));
    let log = call(&other.home, "log", &json!({})).concat();
    assert!(!log.contains("note.deleted"), "{log}");
    let living = call(&other.home, "note list", &json!({}));
    assert_eq!(living.len(), 4, "{living:?}");
}
