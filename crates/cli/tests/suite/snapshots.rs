//! What a person reads: the output of each command on one small story, kept in `snapshots/` and compared word by word.
//!
//! After a change that is meant: `INSTA_UPDATE=always cargo test --release -p idetic-cli --test suite snapshots`, then read the diff.

use serde_json::json;

use super::embeddings::use_model;
use super::place::Place;

/// What differs from run to run, and stands there as what it is.
const FILTERS: [(&str, &str); 9] = [
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "[uuid]"),
    (r"\b[0-9a-f]{64}\b", "[hash]"),
    (r"\b[0-9a-f]{32}\b", "[space id]"),
    (r"/\S+/\.tmp\w+", "[folder]"),
    (r"20(2[6-9]|[3-9]\d)-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?", "[now]"),
    (r"20(2[6-9]|[3-9]\d)-\d\d-\d\d", "[today]"),
    (r"conv-[0-9a-f]{16}", "[conversation]"),
    (r"\b\d+ bytes", "[some] bytes"),
    (r"\d+(\.\d+)? (KiB|MiB)", "[some]"),
];

/// A week of one project, every moment of it given.
fn story() -> Place {
    let place = Place::new();
    use_model(&place, "none");
    let event = |n: u32, body: serde_json::Value| {
        let mut event = json!({"id": format!("e{n}"), "ts": format!("2025-03-{:02}T10:00:00Z", n.min(28))});
        event.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
        event.to_string()
    };
    place.append(&[
        event(1, json!({"kind": "user_input", "author": "ann", "content": "Deploys run on Fridays", "conversation_id": "c1"})),
        event(2, json!({"kind": "actor_output", "agent_id": "coder", "content": "I will remember that", "conversation_id": "c1"})),
        event(3, json!({"kind": "tool_call", "agent_id": "coder", "trace_id": "t1", "summary": "Bash: cargo test",
            "metadata": {"tool_name": "Bash"}})),
        event(4, json!({"kind": "tool_result", "agent_id": "coder", "trace_id": "t1", "status": "failure",
            "content": "error: linker `cc` not found", "metadata": {"tool_name": "Bash", "duration_ms": 1200}})),
        event(5, json!({"kind": "actor_output", "agent_id": "coder", "trace_id": "t1", "status": "success",
            "content": "Installed build-essential, and the build passed"})),
        event(6, json!({"kind": "decision", "author": "ann", "summary": "Use PostgreSQL 16", "content": "It has the JSON functions we need",
            "tags": ["database"]})),
    ]);
    place.ok(&["fact", "store", "Ann lives in Brno", "--at", "2025-03-01T00:00:00Z", "--author", "ann"]);
    place.ok(&["fact", "store", "Ann lives in Rome", "--at", "2025-03-09T00:00:00Z", "--author", "ann"]);
    place.ok(&[
        "note",
        "write",
        "Linker is missing",
        "--content",
        "Install build-essential",
        "--tag",
        "build",
        "--author",
        "ann",
    ]);
    place.ok(&["note", "outcome", "linker-is-missing", "--worked"]);
    place
}

fn compare(place: &Place, commands: &[(&str, &[&str])]) {
    insta::with_settings!({filters => FILTERS, omit_expression => true, prepend_module_to_snapshot => false}, {
        for (name, args) in commands {
            let answer = place.run(args);
            let said = format!("$ idetic {}\n{}{}[exit {}]", args.join(" "), answer.out, answer.err, answer.code);
            insta::assert_snapshot!(*name, said);
        }
    });
}

#[test]
fn answers_read_as_they_are_meant_to() {
    compare(
        &story(),
        &[
            ("log", &["log"]),
            ("log_of_a_kind", &["log", "--kind", "tool_result"]),
            ("get", &["get", "e4"]),
            ("recall", &["recall", "when do deploys run"]),
            ("recall_explained", &["recall", "linker", "--explain", "-k", "1"]),
            ("recall_of_nothing", &["recall", "zebra crossing"]),
            ("context", &["context", "linker not found"]),
            ("trace_list", &["trace"]),
            ("trace", &["trace", "t1"]),
            ("failures", &["failures"]),
            ("advise", &["advise", "linker `cc` not found"]),
            ("stats", &["stats"]),
            ("fact_list", &["fact", "list"]),
            ("fact_retrieve", &["fact", "retrieve", "where does Ann live"]),
            ("fact_conflicts", &["fact", "conflicts"]),
            ("note_list", &["note", "list"]),
            ("note_show", &["note", "show", "linker-is-missing"]),
            ("conversation_list", &["conversation", "list"]),
            ("profile_list", &["profile", "list"]),
            ("query", &["query", "--sql", "SELECT kind, count(*) AS events FROM events GROUP BY kind ORDER BY kind"]),
            ("spaces", &["spaces"]),
            ("verify", &["verify"]),
            ("quarantine_preview", &["quarantine", "--matching", "linker"]),
            ("purge_preview", &["purge", "--matching", "Fridays", "--dry-run"]),
            ("retain_preview", &["retain", "--dry-run", "--older-than", "2025-06-01"]),
        ],
    );
}

#[test]
fn help_reads_as_it_is_meant_to() {
    compare(
        &Place::new(),
        &[
            ("help", &["--help"]),
            ("help_recall", &["recall", "--help"]),
            ("help_remember", &["remember", "--help"]),
            ("help_fact", &["fact", "--help"]),
            ("help_purge", &["purge", "--help"]),
            ("help_serve", &["serve", "--help"]),
            ("help_setup", &["setup", "--help"]),
        ],
    );
}

#[test]
fn refusals_read_as_they_are_meant_to() {
    let place = story();
    compare(
        &place,
        &[
            ("refused_command", &["rember", "x"]),
            ("refused_option", &["recall", "x", "--limits", "3"]),
            ("refused_id", &["get", "e99"]),
            ("refused_space", &["recall", "x", "--space", "nobody/here"]),
            ("refused_kind", &["remember", "x", "--kind", "memory.purged"]),
            ("refused_time", &["log", "--since", "soon"]),
            ("refused_as_of", &["recall", "x", "--as-of", "99"]),
            ("refused_query", &["query", "--sql", "DELETE FROM events"]),
            ("refused_purge", &["purge", "--matching", "Fridays"]),
            ("refused_note", &["note", "show", "missing"]),
            ("refused_import", &["import", "nothing.jsonl"]),
            ("refused_quarantine", &["quarantine"]),
        ],
    );
}
