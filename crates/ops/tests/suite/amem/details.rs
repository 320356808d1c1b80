//! Notes, indexes and sessions of a folder in detail: templates, dates, links to nowhere, confidence, replacements.

use serde_json::{Value, json};

use super::{Both, SPACE, troubles};

fn ask(both: &Both, operation: &str, arguments: &Value) -> Vec<Value> {
    let lines = both.home.call(SPACE, operation, &arguments.to_string()).expect("answers");
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn note(id: &str, more: &str) -> String {
    format!(
        "---\nid: {id}\ncreated: 2024-03-01T10:00:00Z\nupdated: 2024-03-02T10:00:00Z\ntags: [net]\n{more}---\n\n# {id}\n\nSee [[not-there-yet]].\n"
    )
}

#[test]
fn a_template_is_no_note_and_a_note_has_its_own_date() {
    let both = Both::new();
    both.put("knowledge/templates/blank.md", "# {title}\n");
    both.put("knowledge/notes/fill-in.md", "---\nid: {note-id}\ncreated: {date}\n---\n\n# {title}\n");
    both.put("knowledge/notes/ports.md", &note("ports", "confidence: medium\n"));
    let report = both.sync();
    assert!(troubles(&report, "remark").iter().any(|told| told.contains("template")), "{report}");
    let notes = ask(&both, "note list", &json!({}));
    assert_eq!(notes.len(), 1, "{notes:?}");
    let written = ask(&both, "log", &json!({"kind": "note.written"}));
    assert_eq!(written[0]["ts"].as_str().map(|ts| &ts[..19]), Some("2024-03-02T10:00:00"), "{written:?}");
    assert!(ask(&both, "log", &json!({})).iter().any(|event| event["content"] == "# {title}\n"), "its text is kept");
    // What it leads to may not be there yet.
    let links: Value = serde_json::from_str(&both.text("knowledge/links.json")).expect("JSON");
    assert_eq!(links["notes"][0]["outgoing_links"], json!(["not-there-yet"]), "{links}");
    assert_eq!(links["notes"][0]["missing_links"], json!(["not-there-yet"]), "{links}");
    both.put("knowledge/notes/not-there-yet.md", &note("not-there-yet", ""));
    both.sync();
    let links: Value = serde_json::from_str(&both.text("knowledge/links.json")).expect("JSON");
    assert!(
        links["notes"]
            .as_array()
            .is_some_and(|notes| notes.iter().all(|note| note.get("missing_links").is_none() || note["id"] != "ports")),
        "{links}"
    );
}

#[test]
fn confidence_after_outcomes_stands_in_the_file_and_is_no_edit() {
    let both = Both::new();
    both.put("knowledge/notes/ports.md", &note("ports", "confidence: medium\n"));
    both.sync();
    for _ in 0..6 {
        ask(&both, "note outcome", &json!({"note": "ports", "worked": true}));
    }
    both.sync();
    assert_eq!(both.text("knowledge/notes/ports.md"), note("ports", "confidence: high\n"));
    assert_eq!(both.sync()["notes_added"], 0);
    let clone = crate::hermetic::Hermetic::new();
    super::run(&clone, "amem sync", both.folder.path(), &json!({}));
    let history = clone.call(SPACE, "note history", r#"{"note":"ports"}"#).expect("answers");
    assert_eq!(history.len(), 1, "in a clone it is no edit either: {history:?}");
    assert_eq!(both.text("knowledge/notes/ports.md"), note("ports", "confidence: high\n"));
}

#[test]
fn a_replacement_named_in_the_text_is_read() {
    let both = Both::new();
    let old = "---\nid: old\nstatus: deprecated\n---\n\n# Old (DEPRECATED)\n\n**Deprecated**: 2025-01-17\n**Reason**: superseded\n**Replacement**: [[new]]\n";
    both.put("knowledge/notes/old.md", old);
    both.put("knowledge/notes/new.md", &note("new", ""));
    both.sync();
    let shown = ask(&both, "note show", &json!({"note": "old"}));
    assert_eq!(shown[0]["replaced_by"], "new", "{shown:?}");
}

#[test]
fn what_a_session_began_counts_for_its_agent() {
    let both = Both::new();
    both.append(
        &json!({"kind": "agent.session_started", "trace_id": "t", "status": "success", "ts": "2025-01-01T00:00:00Z",
        "metadata": {"agent_name": "cc", "agent_version": "1"}}),
    );
    for (trace, status) in [("t", "success"), ("t", "failure"), ("other", "failure")] {
        both.append(
            &json!({"kind": "gateway.tool_call", "trace_id": trace, "status": status, "ts": "2025-01-01T00:00:01Z",
            "metadata": {"tool_name": "x", "error": "no route"}}),
        );
    }
    let shown = &ask(&both, "profile show", &json!({"agent": "cc"}))[0];
    let gateway = &shown["capabilities"]["gateway"];
    assert_eq!((&gateway["successful_operations"], &gateway["failed_operations"]), (&json!(1), &json!(1)), "{shown}");
    assert_eq!(gateway["common_mistakes"], json!(["no route"]), "{shown}");
}

#[test]
fn an_index_that_says_another_version_or_another_number_is_not_written_over_unsaid() {
    let both = Both::new();
    both.put("events/2025-01/events.jsonl", &format!("{}\n", super::CALL));
    both.sync();
    let ours = both.text("events/index.json");
    for edited in [ours.replace("\"1.0\"", "\"9.0\""), ours.replace("\"success\": 1", "\"success\": 77")] {
        both.put("events/index.json", &edited);
        let report = both.sync();
        assert!(troubles(&report, "remark").iter().any(|told| told.contains("is kept")), "{report}");
        assert!(ask(&both, "log", &json!({})).iter().any(|event| event["content"] == edited.as_str()));
        assert_eq!(both.text("events/index.json"), ours);
    }
}
