//! Retention in the folder: nothing that the log has not is ever packed or removed, and what is given up is gone from it.

use std::fs;

use idetic_ops::{Error, Kind};
use serde_json::{Value, json};

use super::{Both, CALL, NOTE, NOTE_FILE, SPACE, troubles};

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
    let clone = crate::hermetic::Hermetic::new();
    let report = super::run(&clone, "amem sync", both.folder.path(), &json!({}));
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
