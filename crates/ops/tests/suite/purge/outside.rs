//! Folders and projects that follow a space: what was purged leaves them too, and does not come back from them.

use std::fs;

use serde_json::{Value, json};

use super::{CANARY, SPACE, append, call, home, says_canary};
use crate::hermetic::Hermetic;

fn reply(home: &Hermetic, operation: &str, arguments: &Value) -> (Value, bool) {
    let (lines, end) = home.call_all(SPACE, operation, &arguments.to_string());
    let reply = lines.first().unwrap_or_else(|| panic!("{operation}: {end:?}"));
    (serde_json::from_str(reply).expect("JSON"), end.is_ok())
}

#[test]
fn an_a_mem_folder_loses_it_and_does_not_bring_it_back() {
    let home = home();
    let folder = home.folder.path().join("memory");
    let foreign = json!({"event_type": "gateway.tool_call", "timestamp": "2024-01-05T00:00:00Z", "trace_id": "abc", "status": "failure",
        "schema_version": "1.0", "source": "s", "metadata": {"error": format!("no {CANARY}"), "agent_name": "cc"}});
    fs::create_dir_all(folder.join("events/2024-01")).expect("a folder");
    let month = folder.join("events/2024-01/events.jsonl");
    let other = foreign.to_string().replace(CANARY, "permission");
    fs::write(&month, format!("{foreign}\n{other}\n")).expect("written");
    append(
        &home,
        &[
            json!({"id": "a", "kind": "user_input", "ts": "2024-02-01T00:00:00Z", "conversation_id": "k", "content": format!("I am {CANARY}")}),
            json!({"id": "b", "kind": "actor_output", "ts": "2024-02-01T00:00:01Z", "conversation_id": "k", "content": "hello", "causes": ["a"]}),
            json!({"id": "c", "kind": "user_input", "ts": "2024-02-02T00:00:00Z", "conversation_id": "k", "content": "is it open?"}),
            json!({"id": "t", "kind": "gateway.tool_call", "agent_id": "cc", "ts": "2024-02-02T00:00:00Z", "status": "failure", "trace_id": "q", "metadata": {"error": CANARY}}),
        ],
    );
    let note = |text: &str| {
        format!("---\nid: who\ncreated: 2025-01-01\nupdated: 2025-01-01\ntags: [people]\n---\n\n# Who\n\n{text}\n")
    };
    fs::create_dir_all(folder.join("knowledge/notes")).expect("a folder");
    fs::write(folder.join("knowledge/notes/who.md"), note("somebody")).expect("written");
    let sync = json!({"folder": folder});
    assert!(reply(&home, "amem sync", &sync).1);
    fs::write(folder.join("knowledge/notes/who.md"), note(CANARY)).expect("written");
    assert!(reply(&home, "amem sync", &sync).1);
    let elsewhere = home.folder.path().join("once");
    assert!(reply(&home, "amem export", &json!({"folder": elsewhere})).1);
    // Packed and archived months as well.
    assert!(reply(&home, "retain", &json!({"apply": true, "older_than": "2024-02-01"})).1);
    append(
        &home,
        &[json!({"id": "d", "kind": "user_input", "ts": "2024-12-02T00:00:00Z", "content": "not written yet"})],
    );
    let kept = fs::read_to_string(elsewhere.join("events/2024-02/events.jsonl")).expect("a file");
    assert!(!says_canary(&folder).is_empty() && !says_canary(&elsewhere).is_empty());
    let (purged, is_clean) = reply(&home, "purge", &json!({"matching": CANARY, "yes": true}));
    assert!(is_clean, "{purged}");
    assert_eq!(says_canary(home.folder.path()), Vec::<String>::new(), "{purged}");
    let left = fs::read_to_string(elsewhere.join("events/2024-02/events.jsonl")).expect("a file");
    assert_eq!(left.lines().count() + 3, kept.lines().count(), "{left}");
    assert!(left.contains("is it open?") && !left.contains("hello") && !left.contains("not written yet"), "{left}");
    let text = fs::read_to_string(folder.join("knowledge/notes/who.md")).expect("the version before");
    assert_eq!(text, note("somebody"));
    let before = call(&home, "status", &json!({}))[0]["events"].clone();
    for round in 0..2 {
        let (report, is_clean) = reply(&home, "amem sync", &sync);
        let added = (&report["events_added"], &report["notes_added"]);
        assert_eq!((is_clean, added), (true, (&json!(0), &json!(0))), "round {round}: {report}");
        assert!(reply(&home, "amem validate", &sync).1);
    }
    assert_eq!(call(&home, "status", &json!({}))[0]["events"], before);
    assert_eq!(says_canary(home.folder.path()), Vec::<String>::new());
    // Somebody's old copy comes back: its lines are known for what they are.
    fs::write(elsewhere.join("events/2024-02/events.jsonl"), &kept).expect("written");
    fs::create_dir_all(folder.join("events/2023-01")).expect("a folder");
    fs::write(folder.join("events/2023-01/events.jsonl"), format!("{kept}{foreign}\n")).expect("written");
    let (report, _) = reply(&home, "amem sync", &sync);
    assert_eq!(report["events_added"], json!(0), "{report}");
    let recalled = call(&home, "recall", &json!({"query": CANARY}));
    assert!(!recalled[0]["hits"].to_string().contains("Quillfeather"), "{recalled:?}");
    // And the same words take the files along once more, though the log has nothing of it.
    assert!(reply(&home, "purge", &json!({"matching": CANARY, "yes": true})).1);
    assert_eq!(says_canary(home.folder.path()), Vec::<String>::new());
}

#[test]
fn a_markdown_project_loses_it_and_repair_does_not_bring_it_back() {
    let home = home();
    let project = home.folder.path().join("project");
    fs::create_dir_all(&project).expect("a folder");
    let run = |operation: &str, arguments: Value| {
        let mut whole = json!({"project": project});
        for (key, value) in arguments.as_object().into_iter().flatten() {
            whole[key] = value.clone();
        }
        reply(&home, operation, &whole)
    };
    let read = |name: &str| fs::read_to_string(project.join(name)).unwrap_or_default();
    assert!(run("md init", json!({})).1);
    for (kind, summary, refs) in [
        ("create", "Make the harbour service".to_owned(), vec![]),
        ("decision", format!("{CANARY} wants the harbour closed"), vec!["evt-001"]),
        ("fix", "Close the harbour at night".to_owned(), vec!["evt-002"]),
    ] {
        let event = json!({"type": kind, "scope": "harbour", "summary": summary, "refs": refs, "agent": "ann",
                           "details": [format!("entity={summary}")]});
        assert!(run("md append", event).1, "{summary}");
    }
    // One that comes from the log, and one by hand; and one that waits.
    append(
        &home,
        &[json!({"id": "x", "kind": "decision", "scope": "pier", "summary": format!("tell {CANARY} the date")})],
    );
    assert!(run("md sync", json!({})).1);
    let mut log = read("CHANGELOG.md");
    log.push_str(
        "\n### evt-005 | 2030-01-01 10:00 | hand | create\n\n**Scope**: pier\n**Summary**: Paint the pier white\n",
    );
    fs::write(project.join("CHANGELOG.md"), log).expect("written");
    assert!(run("md sync", json!({})).1);
    assert!(run("md append", json!({"type": "fix", "scope": "pier", "summary": format!("Ask {CANARY} again"), "agent": "ann", "stage": true})).1);
    assert!(read(".memory/context.md").contains("Quillfeather") && read("CHANGELOG.md").contains("Quillfeather"));
    let (purged, is_clean) = reply(&home, "purge", &json!({"matching": CANARY, "yes": true}));
    assert!(is_clean, "{purged}");
    assert_eq!(says_canary(home.folder.path()), Vec::<String>::new(), "{purged}");
    let log = read("CHANGELOG.md");
    assert!(log.contains("<!-- Purged: evt-002 -->") && log.contains("<!-- Purged: evt-004 -->"), "{log}");
    for kept in ["Make the harbour service", "Close the harbour at night", "Paint the pier white"] {
        assert!(log.contains(kept), "{log}");
    }
    for operation in ["md sync", "md validate", "md sync"] {
        let (report, is_clean) = run(operation, json!({}));
        assert!(is_clean, "{operation}: {report}");
        assert_eq!(report["taken_in"].as_u64().unwrap_or(0), 0, "{report}");
    }
    let (report, is_clean) = run("md repair", json!({"agent": "ann"}));
    assert!(is_clean, "{report}");
    assert!(
        run(
            "md append",
            json!({"type": "fix", "scope": "pier", "summary": "Mend the pier after the storm", "agent": "ann"})
        )
        .1
    );
    assert!(read("CHANGELOG.md").contains("### evt-006"), "{}", read("CHANGELOG.md"));
    assert!(run("md validate", json!({})).1);
    assert_eq!(says_canary(home.folder.path()), Vec::<String>::new());
    // Somebody merges a branch that still has it.
    let block = format!(
        "\n### evt-007 | 2030-01-02 10:00 | ann | decision\n\n**Scope**: harbour\n**Summary**: {CANARY} is back\n"
    );
    fs::write(project.join("CHANGELOG.md"), read("CHANGELOG.md") + &block).expect("written");
    assert!(run("md sync", json!({})).1);
    let now = read("CHANGELOG.md");
    assert!(reply(&home, "purge", &json!({"matching": CANARY, "yes": true})).1);
    fs::write(project.join("CHANGELOG.md"), now).expect("written");
    let (report, is_clean) = run("md sync", json!({}));
    assert!(!is_clean && report.to_string().contains("was erased from the log"), "{report}");
}
