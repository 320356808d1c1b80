//! Transcripts of coding agents and chats: taken in once, without secrets and without what is private.

use serde_json::{Value, json};

use super::embeddings::use_model;
use super::place::{Place, text};

const SESSION: &str = "11111111-2222-3333-4444-555555555555";

/// A place whose user has transcripts below its folder.
fn place() -> Place {
    let place = Place::new();
    use_model(&place, "none");
    place
}

fn refused(place: &Place, arguments: &[&str], code: i32, words: &str) {
    let (what, _) = place.run(arguments).refused(code);
    assert!(what.contains(words), "{what}");
}

fn claude(number: usize, kind: &str, content: &Value, more: Value) -> String {
    let mut line = json!({"parentUuid": null, "isSidechain": false, "userType": "external", "cwd": "/srv/shop",
        "sessionId": SESSION, "version": "2.1.12", "gitBranch": "main", "type": kind,
        "message": {"role": kind, "content": content}, "uuid": format!("u{number}"),
        "timestamp": format!("2026-01-20T11:{number:02}:17.716Z")});
    for (key, value) in more.as_object().expect("an object") {
        line[key] = value.clone();
    }
    line.to_string()
}

fn a_session() -> Vec<String> {
    let used = |id: &str, command: &str| json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
    let gave = |id: &str, said: &str, failed: bool| json!([{"type": "tool_result", "tool_use_id": id, "content": said, "is_error": failed}]);
    vec![
        json!({"type": "summary", "summary": "A title", "leafUuid": "x"}).to_string(),
        claude(
            1,
            "user",
            &json!(
                "From now on, always run the linter before you commit. The token is ghp_abcdefghijklmnopqrstuvwxyz0123456789"
            ),
            json!({}),
        ),
        claude(2, "assistant", &used("t1", "npm test"), json!({})),
        claude(3, "user", &gave("t1", "Exit code 1\nError: STRIPE_KEY is not set in the environment", true), json!({})),
        claude(4, "assistant", &used("t2", "cp .env.example .env"), json!({})),
        claude(
            5,
            "user",
            &gave("t2", "", false),
            json!({"toolUseResult": {"stdout": "", "stderr": "", "interrupted": false}}),
        ),
        claude(6, "assistant", &used("t3", "npm test"), json!({})),
        claude(7, "user", &gave("t3", "12 passed", false), json!({})),
        claude(8, "assistant", &json!([{"type": "text", "text": "The tests need a file .env."}]), json!({})),
        claude(9, "user", &json!("off the record: I am quitting in May"), json!({})),
        claude(10, "assistant", &json!([{"type": "text", "text": "That is a pity for the harbour team."}]), json!({})),
        "{broken".to_owned(),
    ]
}

#[test]
fn sessions_of_claude_code_are_taken_in_once() {
    let place = place();
    let file = place.write("one.jsonl", a_session().join("\n"));
    let look = place.lines(&["import", "claude", &file, "--accept", "--dry-run"]);
    assert!(
        text(&look[0], "done").starts_with("would import 1 sessions with 1 prompts, 1 answers and 3 uses of tools"),
        "{look:?}"
    );
    assert!(place.lines(&["log"]).is_empty(), "a look takes nothing in");
    let first = place.lines(&["import", "claude", &file, "--accept"]);
    assert!(text(&first[0], "done").contains("1 lines could not be read"), "{first:?}");
    let events = place.lines(&["log", "--limit", "100"]);
    let again = place.lines(&["import", "claude", &file, "--accept"]);
    assert_eq!(again[0]["events"], 0, "{again:?}");
    assert_eq!(place.lines(&["log", "--limit", "100"]).len(), events.len(), "nothing twice");
    let all = events.iter().map(Value::to_string).collect::<String>();
    for gone in ["ghp_abcdef", "quitting", "harbour"] {
        assert!(!all.contains(gone), "{gone}: {all}");
    }
    let prompt = events.iter().find(|event| event["id"] == "claude:u1").expect("the prompt");
    assert_eq!((text(prompt, "source"), text(prompt, "conversation_id")), ("/srv/shop", SESSION));
    assert!(text(prompt, "ts").starts_with("2026-01-20T11:01:17"), "{prompt}");
    let rules = place.lines(&["rule", "list", "--all-projects"]);
    assert!(rules.iter().any(|rule| text(rule, "text").contains("run the linter")), "{rules:?}");
    let advice = place.lines(&["advise", "Error: STRIPE_KEY is not set in the environment"]);
    assert!(
        advice[0]["known"] == true && advice[0]["fixes"].to_string().contains("cp .env.example .env"),
        "{advice:?}"
    );
}

#[test]
fn what_is_named_by_a_path_is_trusted_as_a_file_unless_accepted() {
    let place = place();
    let file = place.write("one.jsonl", a_session().join("\n"));
    place.ok(&["import", "claude", &file]);
    assert!(place.lines(&["rule", "list", "--all-projects"]).is_empty(), "a file states no rules");
    let prompt = place.lines(&["get", "claude:u1"]);
    assert_ne!(prompt[0]["trust"], "user", "{prompt:?}");
    refused(&place, &["import", "codex", &place.path("nothing").display().to_string()], 3, "there is no");
    refused(&place, &["import", "chatgpt"], 2, "where are the transcripts");
}

#[test]
fn sessions_of_codex_and_chats_of_chatgpt_are_taken_in_once() {
    let place = place();
    let item = |payload: Value| {
        json!({"timestamp": "2025-12-08T00:37:48Z", "type": "response_item", "payload": payload}).to_string()
    };
    let lines = [
        json!({"timestamp": "2025-12-08T00:37:46Z", "type": "session_meta", "payload": {"id": "s1", "cwd": "/srv/shop"}}).to_string(),
        item(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>x"}]})),
        item(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Move the login to port 7000"}]})),
        item(json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "c1"})),
        item(json!({"type": "function_call_output", "call_id": "c1", "output": "{\"output\":\"x\",\"metadata\":{\"exit_code\":2}}"})),
        item(json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It listens on 7000 now."}]})),
    ];
    std::fs::create_dir_all(place.path("codex/2025/12/08")).expect("a folder");
    let rollout = place.write("codex/2025/12/08/rollout-1.jsonl", lines.join("\n"));
    let folder = place.path("codex").display().to_string();
    place.ok(&["import", "codex", &folder, "--accept"]);
    let failed = place.lines(&["log", "--kind", "tool_result"]);
    assert!(
        failed.len() == 1 && failed[0]["status"] == "failure" && failed[0]["metadata"]["exit_code"] == 2,
        "{failed:?}"
    );
    assert_eq!(place.lines(&["import", "codex", &rollout, "--accept"])[0]["events"], 0);
    let chats = json!([{"id": "c", "create_time": 1_700_000_000.5, "current_node": "2", "mapping": {
        "1": {"parent": null, "message": {"id": "m1", "author": {"role": "user"}, "content": {"parts": ["Where do puffins breed?"]}}, "children": ["2"]},
        "2": {"parent": "1", "message": {"id": "m2", "author": {"role": "assistant"}, "content": {"parts": ["On cliffs in the north."]}}, "children": []}}}]);
    let file = place.write("conversations.json", chats.to_string());
    place.ok(&["import", "chatgpt", &file, "--accept"]);
    assert_eq!(place.lines(&["import", "chatgpt", &file, "--accept"])[0]["events"], 0);
    let hits = place.lines(&["recall", "where do puffins breed"]);
    assert!(hits[0]["hits"].to_string().contains("cliffs"), "{hits:?}");
    let broken = place.write("conversations-2.json", "{\"not\": \"a list\"}");
    refused(&place, &["import", "chatgpt", &broken], 2, "expected a list of conversations");
}

#[test]
fn a_session_that_hooks_recorded_is_left_out() {
    let place = place();
    let prompt = json!({"session_id": SESSION, "cwd": "/srv/shop", "prompt": "Move the login to port 7000"});
    place.feed(&["hook", "claude", "UserPromptSubmit"], prompt.to_string()).ok();
    let file = place.write("one.jsonl", a_session().join("\n"));
    let done = place.lines(&["import", "claude", &file, "--accept"]);
    assert!(done[0]["events"] == 0 && text(&done[0], "done").contains("hooks recorded them already"), "{done:?}");
}

#[test]
fn cursors_database_is_read_and_another_file_is_refused() {
    let place = place();
    let file = place.path("state.vscdb");
    let database = rusqlite::Connection::open(&file).expect("a database");
    database.execute("CREATE TABLE ItemTable (key TEXT, value BLOB)", []).expect("a table");
    refused(&place, &["import", "cursor", &place.arg("state.vscdb")], 2, "is not Cursor's state.vscdb");
    database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)", []).expect("a table");
    let headers = json!([{"bubbleId": "b1"}, {"bubbleId": "b2"}]);
    let rows = [
        (
            "composerData:c1",
            json!({"composerId": "c1", "createdAt": 1_768_900_000_000_i64, "fullConversationHeadersOnly": headers}),
        ),
        ("bubbleId:c1:b1", json!({"type": 1, "text": "Which port does the harbour service use?"})),
        ("bubbleId:c1:b2", json!({"type": 2, "text": "It listens on 7411."})),
    ];
    for (key, value) in rows {
        database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, value.to_string())).expect("a row");
    }
    drop(database);
    let first = place.lines(&["import", "cursor", &place.arg("state.vscdb"), "--accept"]);
    assert!(text(&first[0], "done").contains("1 sessions with 1 prompts, 1 answers"), "{first:?}");
    let hits = place.lines(&["recall", "port of the harbour service"]);
    assert!(hits[0]["hits"].to_string().contains("7411"), "{hits:?}");
    assert_eq!(place.lines(&["import", "cursor", &place.arg("state.vscdb"), "--accept"])[0]["events"], 0);
    let other = place.write("notes.txt", "no database ".repeat(100));
    refused(&place, &["import", "cursor", &other], 2, "is not Cursor's state.vscdb");
}
