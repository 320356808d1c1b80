//! What lies in a folder and is no plain file, what its index says, and where a new one is laid out.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixListener;

use serde_json::{Value, json};

use super::{Both, CALL, FAILED, MONTH, SPACE, run, status, troubles};
use crate::hermetic::Hermetic;

fn index(both: &Both) -> Value {
    serde_json::from_str(&both.text("events/index.json")).expect("JSON")
}

fn pack(text: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(text).expect("packs");
    packer.finish().expect("packs")
}

#[test]
fn what_is_no_file_is_told() {
    let both = Both::new();
    for folder in ["events/2025-01/x.jsonl", "knowledge/notes/x.md", "a/b/c/d/e/f/g/h"] {
        fs::create_dir_all(both.path(folder)).expect("folders");
    }
    both.put("knowledge/notes/x.md/inside.md", "# Inside\n");
    let _socket = UnixListener::bind(both.path("events/socket.jsonl")).expect("a socket");
    let pipe = std::process::Command::new("mkfifo").arg(both.path("events/pipe.jsonl")).status();
    let name = std::ffi::OsStr::from_bytes(b"knowledge/notes/\xff.md");
    fs::write(both.folder.path().join(name), "# Odd\n").expect("written");
    let report = both.sync();
    let unread = troubles(&report, "unread");
    for name in ["x.jsonl", "x.md", "a/b/c/d/e/f/g", "socket.jsonl", "\u{fffd}.md"] {
        assert!(unread.iter().any(|told| told.contains(name)), "{name}: {unread:#?}");
    }
    if pipe.is_ok_and(|status| status.success()) {
        assert!(unread.iter().any(|told| told.contains("pipe.jsonl")), "{unread:#?}");
    }
    assert_eq!(report["notes_added"], 1, "what lies in such a folder is read: {report}");
}

#[test]
fn the_index_counts_bytes_as_they_are() {
    let both = Both::new();
    both.put("events/2025-01/x", "");
    let long = format!("{{\"event_type\": \"a.long\", \"x\": \"{}\"}}", "y".repeat(20 << 20));
    let mut text = b"{\"event_type\": \"a.b\", \"timestamp\": \"2025-01-01\", \"x\": \"".to_vec();
    text.extend(b"\xff\"}\n{\"event_type\": 7}\n{\"event\": \"other.shape\", \"timestamp\": \"2025-01-02\"}\n");
    text.extend(format!("{long}\n{CALL}\n").bytes());
    fs::write(both.path(MONTH), &text).expect("written");
    both.sync();
    let month = &index(&both)["months"]["2025-01"];
    assert_eq!((&month["bytes"], &month["stored_bytes"]), (&json!(text.len()), &json!(text.len())), "{month}");
    assert_eq!((&month["lines"], &month["events"]), (&json!(5), &json!(2)), "{month}");
    assert_eq!(month["by_type"], json!({"gateway.tool_call": 1, "other.shape": 1}), "{month}");
}

#[test]
fn the_index_follows_a_packed_month_and_what_comes_late() {
    let both = Both::new();
    both.put(MONTH, "");
    fs::remove_file(both.path(MONTH)).expect("removed");
    fs::write(both.path("events/2025-01/events.jsonl.gz"), pack(format!("{CALL}\n").as_bytes())).expect("written");
    both.sync();
    assert_eq!(index(&both)["months"]["2025-01"]["events"], 1);
    fs::write(both.path("events/2025-01/events.jsonl.gz"), pack(format!("{CALL}\n{FAILED}\n").as_bytes()))
        .expect("written");
    both.put(MONTH, &format!("{}\n", CALL.replace("12:00", "13:00")));
    both.sync();
    let (before, month) = (both.text("events/index.json"), index(&both)["months"]["2025-01"].clone());
    assert_eq!((&month["file"], &month["events"]), (&json!("2025-01/events.jsonl.gz"), &json!(2)), "{month}");
    assert_eq!(
        (&month["late"]["file"], &month["late"]["events"]),
        (&json!("2025-01/events.jsonl"), &json!(1)),
        "{month}"
    );
    both.sync();
    assert_eq!(both.text("events/index.json"), before);
}

#[test]
fn a_project_with_a_memory_folder_gets_nothing_beside_it() {
    let both = Both::new();
    fs::create_dir_all(both.path(".chora/memory")).expect("folders");
    both.run("amem init", &json!({}));
    assert!(both.path(".chora/memory/queries").is_dir());
    let there: Vec<_> = fs::read_dir(both.folder.path()).expect("a folder").flatten().map(|e| e.file_name()).collect();
    assert_eq!(there, [".chora"]);
}

#[test]
fn validating_tells_odd_words_and_files_that_are_cut_off() {
    let both = Both::new();
    let odd = CALL.replace("\"success\"", "\"weird\"").replace("\"1.0\"", "\"9.0\"").replace("\"abc123\"", "\"\"");
    both.put(MONTH, &format!("{odd}\n"));
    let report = both.run("amem validate", &json!({}));
    for (kind, said) in [("error", "status is not one"), ("remark", "schema_version"), ("error", "trace_id is empty")] {
        let told = troubles(&report, kind);
        assert!(told.iter().any(|told| told.contains(said)), "{said}: {told:#?}");
    }
    assert!(report["done"].as_str().is_some_and(|done| done.contains("checked 1 files")), "{report}");
    let packed = pack(format!("{CALL}\n{FAILED}\n").repeat(50).as_bytes());
    fs::write(both.path("events/2025-01/events.jsonl.gz"), &packed[..packed.len() / 2]).expect("written");
    let report = run(&both.home, "amem validate", both.folder.path(), &json!({}));
    assert!(troubles(&report, "unread").iter().any(|told| told.contains("events.jsonl.gz")), "{report}");
}

#[test]
fn a_private_event_stays_out_however_its_tag_is_written() {
    let both = Both::new();
    for tag in ["#private", " private", "Sensitive ", "##PRIVATE"] {
        both.append(&json!({"kind": "test", "ts": "2025-01-01T00:00:00Z", "tags": [tag], "content": "SECRET"}));
    }
    both.append(&json!({"kind": "test", "ts": "2025-01-01T00:00:00Z", "tags": ["privateer"], "content": "open"}));
    both.sync();
    assert!(both.text(MONTH).contains("open") && !both.text(MONTH).contains("SECRET"));
}

#[test]
fn what_is_written_here_keeps_to_the_document_and_what_does_not_is_an_error() {
    let both = Both::new();
    for record in [
        json!({"kind": "user_input", "content": "which port?"}),
        json!({"kind": "tool_call", "agent_id": "cc", "status": "failure", "content": "no port", "trace_id": "DISCO-V5"}),
        json!({"kind": "decision", "ts": "2024-11-04", "content": "port 80", "loop_id": "L"}),
    ] {
        both.append(&record);
    }
    let call =
        |operation: &str, arguments: Value| both.home.call(SPACE, operation, &arguments.to_string()).expect("done");
    call("note write", json!({"title": "Ports", "content": "They are numbers."}));
    call("note write", json!({"title": "More", "content": "See [[ports]].", "tags": ["net"], "confidence": "low"}));
    call("note edit", json!({"note": "ports", "append": "Up to 65535."}));
    call("note deprecate", json!({"note": "ports", "by": "more", "reason": "newer"}));
    call("session start", json!({"agent": "cc"}));
    both.run("amem init", &json!({}));
    both.run("amem sync", &json!({}));
    let report = both.run("amem validate", &json!({}));
    assert_eq!(troubles(&report, "error"), Vec::<String>::new(), "{report}");
    let learned = troubles(&report, "remark").into_iter().filter(|told| told.contains("knowledge_learned"));
    assert_eq!(learned.collect::<Vec<_>>(), Vec::<String>::new());
    assert!(both.text("events/2024-11/events.jsonl").contains("\"event_type\": \"memory.decision\""));
    for month in fs::read_dir(both.path("events")).expect("there").flatten().filter(|entry| entry.path().is_dir()) {
        let text = fs::read_to_string(month.path().join("events.jsonl")).expect("a file");
        assert!(text.contains("\"source\": \"idetic\"") && !text.contains("\"source\": \"x\""), "{text}");
    }
    // In another space the kinds are what they were.
    let (events, out) = (both.events(), Hermetic::new());
    run(&out, "amem import", both.folder.path(), &json!({}));
    let kinds = |home: &Hermetic| -> BTreeSet<String> {
        let shown = home.call(SPACE, "log", r#"{"limit":100}"#).expect("answers");
        shown.iter().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["kind"].to_string()).collect()
    };
    assert_eq!((status(&out)["events"].as_u64(), kinds(&out)), (Some(events), kinds(&both.home)));
    both.put("events/2025-03/events.jsonl", &format!("{CALL}\n{{\"event_type\": \"loose\", \"timestamp\": 7}}\n"));
    both.put(
        "knowledge/notes/odd.md",
        "---\nid: odd\ncreated: 2025-01-01\nupdated: 2025-01-01\ntags: []\nstatus: done\n---\n",
    );
    let told = troubles(&both.run("amem validate", &json!({})), "error").join("\n");
    for said in [
        "folder of 2025-03",
        "trace_id is missing",
        "source is missing",
        "not a text but a number",
        "namespace.action",
        "status 'done'",
    ] {
        assert!(told.contains(said), "{said}: {told}");
    }
}

#[test]
fn a_source_that_is_none_of_the_four_words_is_an_error_and_stays() {
    let both = Both::new();
    let note = |id: &str, source: &str| {
        format!("---\nid: {id}\ncreated: 2025-01-01\nupdated: 2025-01-01\ntags: [a]\nsource: {source}\n---\n\n# Note\n")
    };
    for word in ["agent-learning", "human-curated", "external", "research"] {
        both.put(&format!("knowledge/notes/from-{word}.md"), &note(&format!("from-{word}"), word));
    }
    let told = troubles(&both.run("amem validate", &json!({})), "error");
    assert_eq!(told, Vec::<String>::new());
    let odd = note("odd", "hearsay");
    both.put("knowledge/notes/odd.md", &odd);
    // The document lists the words as it lists those of the status: `run` sees that the check fails.
    let told = troubles(&both.run("amem validate", &json!({})), "error");
    let said = "source 'hearsay' is not one of agent-learning, human-curated, external, research";
    assert!(matches!(&told[..], [one] if one.contains("odd.md") && one.contains(said)), "{told:?}");
    // The note is taken in all the same, and both sides keep the word.
    assert_eq!(both.sync()["notes_added"], 5);
    let shown = both.home.call(SPACE, "note show", r#"{"note":"odd"}"#).expect("a note");
    let shown: Value = serde_json::from_str(&shown[0]).expect("JSON");
    assert_eq!((&shown["source"], &shown["text"]), (&json!("hearsay"), &json!(odd)));
    assert_eq!(both.text("knowledge/notes/odd.md"), odd);
}

#[test]
fn a_trace_s_file_has_the_trace_s_name() {
    let both = Both::new();
    for trace in ["DISCO-V5", "disco-v5", "COORD-2025-011"] {
        both.append(&json!({"kind": "step.done", "ts": "2025-01-01T00:00:00Z", "trace_id": trace, "content": trace}));
    }
    let mut records = 1;
    for _ in 0..2 {
        both.sync();
        let names: BTreeSet<String> = fs::read_dir(both.path("events/2025-01/traces"))
            .expect("there")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["COORD-2025-011.jsonl", "DISCO-V5.jsonl", "disco-v5~0.jsonl"].map(str::to_owned).into());
        assert_eq!(both.text("events/2025-01/traces/disco-v5~0.jsonl").lines().count(), records);
        both.append(&json!({"kind": "step.done", "ts": "2025-01-02T00:00:00Z", "trace_id": "disco-v5"}));
        records += 1;
    }
    // Every one of them can be written anew.
    fs::remove_file(both.path("events/2025-01/traces/disco-v5~0.jsonl")).expect("there");
    both.run("amem sync", &json!({"restore": true}));
    assert_eq!(both.text("events/2025-01/traces/disco-v5~0.jsonl").lines().count(), records);
    assert_eq!(both.text("events/2025-01/traces/DISCO-V5.jsonl").lines().count(), 1);
}
