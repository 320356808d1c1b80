//! Every door through which a text comes into a home: each is passed once with what stays, and once more with what is to go.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::place::Place;
use super::super::server::Client;

/// What is to go, in one spelling; other doors take others.
pub const SECRET: &str = "Zoë Quorvick";
/// The part of it that is looked for: it has no capital in any spelling.
pub const TRACE: &str = "uorvick";

/// The folders that follow the space.
pub fn outside(place: &Place) -> [PathBuf; 2] {
    [place.path("memory"), place.path("project")]
}

/// Makes a home, its folder and its project, with what stays and perhaps what is to go.
pub fn fill(place: &Place, client: &mut Client, with_secret: bool) {
    let [memory, project] = outside(place);
    std::fs::create_dir_all(memory.join("events/2024-01")).expect("a folder");
    std::fs::create_dir_all(memory.join("knowledge/notes")).expect("a folder");
    std::fs::create_dir_all(&project).expect("a folder");
    place.ok(&["md", "init", "--project", &place.arg("project")]);
    // Around what stays, so that something is before it and something behind.
    let secrets = [("goes", SECRET), ("gone", "ZOE\u{308}\n QUORVICK"), ("left", "Zo\u{ad}ë\u{200b} Quorvick")];
    let mut rounds: Vec<(&str, Option<&str>)> =
        secrets.iter().map(|(tag, name)| (*tag, Some(*name).filter(|_| with_secret))).collect();
    rounds.insert(1, ("stays", Some("Anna Harbour")));
    for (tag, name) in &rounds {
        if let Some(name) = name {
            by_command_line(place, tag, name);
            by_http(client, tag, name);
            by_files(place, tag, name);
        }
        in_sessions(place, tag, *name);
    }
    for operation in ["/v1/recall", "/v1/context"] {
        client.post_in("local/default", operation, &json!({"query": "who is at the harbour, Quorvick?"}));
    }
    client.post_in("local/default", "/v1/reembed", &json!({}));
}

fn by_command_line(place: &Place, tag: &str, name: &str) {
    let one_line = name.replace('\n', " ");
    let records = [
        json!({"id": format!("{tag}-c"), "kind": "user_input", "ts": "2024-02-03T04:05:06Z", "conversation_id": "k1", "content": format!("I am {name} and live at the harbour")}),
        json!({"id": format!("{tag}-d"), "kind": "actor_output", "content": format!("a greeting, {tag}"), "causes": [format!("{tag}-c")]}),
        json!({"id": format!("{tag}-m"), "kind": "gateway.tool_call", "status": "failure", "agent_id": "cc", "trace_id": format!("t-{tag}"), "metadata": {name: [{"error": format!("no {name}")}], "duration_ms": 9}}),
        json!({"id": format!("{tag}-f"), "kind": "decision", "scope": one_line, "summary": format!("{one_line} decides"), "author": one_line, "source": one_line, "tags": [one_line], "refs": [one_line]}),
        json!({"id": format!("{tag}-j"), "kind": "user_input", "content": "wrapped", "metadata": {"raw": json!({"who": name}).to_string()}}),
        json!({"id": format!("{tag}-u"), "kind": "user_input", "content": format!("see https://example.org/?q={}", name.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>())}),
    ];
    place.append(&records.iter().map(Value::to_string).collect::<Vec<_>>());
    place.ok(&["remember", &format!("{name} prefers tea, {tag}")]);
    place.ok(&[
        "note",
        "write",
        &format!("{one_line} at work"),
        "--id",
        &format!("note-{tag}"),
        "--force",
        "--content",
        &format!("{name} works late"),
    ]);
    place.ok(&["note", "outcome", &format!("note-{tag}"), "--worked"]);
    place.ok(&["fact", "store", &format!("{one_line} lives in {tag}")]);
    place.ok(&["episode", "store", &format!("help {one_line}"), "--outcome", &format!("{one_line} was helped")]);
}

/// Sessions begin and end whether or not somebody is named in them.
fn in_sessions(place: &Place, tag: &str, name: Option<&str>) {
    let session = format!("s-{tag}");
    let told = name.map(|name| {
        [
            ("UserPromptSubmit", json!({"prompt": format!("ask {name} about {tag}")})),
            ("Stop", json!({"last_assistant_message": format!("{name} was asked")})),
        ]
    });
    let begins = [("SessionStart", json!({"source": "startup"}))];
    let ends = [("SessionEnd", json!({"reason": "exit"}))];
    for (event, more) in begins.into_iter().chain(told.into_iter().flatten()).chain(ends) {
        let mut message = json!({"session_id": session, "hook_event_name": event, "cwd": place.path("user"), "transcript_path": "/t"});
        more.as_object().into_iter().flatten().for_each(|(key, value)| message[key] = value.clone());
        std::fs::create_dir_all(place.path("user")).expect("a folder");
        place.feed(&["hook", "claude", event], message.to_string()).ok();
    }
    place.run(&["session", "start", "--agent", &format!("agent-{tag}")]);
    if let Some(name) = name {
        place.run(&["session", "note", &format!("{} waits", name.replace('\n', " "))]);
    }
}

fn by_http(client: &mut Client, tag: &str, name: &str) {
    let mut post = |route: &str, body: &Value| client.post_in("local/default", route, body);
    post("/v1/remember", &json!({"text": format!("{name} was here, {tag}")}));
    post(
        "/v1/append",
        &json!({"events": [{"id": format!("{tag}-h"), "kind": "user_input", "content": format!("{name} over HTTP")}]}),
    );
    post(
        "/v1/conversation/start",
        &json!({"conversation": format!("talk-{tag}"), "goal": format!("talk with {name}")}),
    );
    post(
        "/v1/conversation/add",
        &json!({"id": format!("talk-{tag}"), "query": format!("who is {name}?"), "summary": format!("about {name}"), "result": "told"}),
    );
    post(
        "/v1/fact/store",
        &json!({"text": format!("{name} likes {tag}"), "subject": name, "attribute": "likes", "value": tag}),
    );
    let span = json!({"traceId": format!("{:032x}", u128::from(tag.as_bytes()[0])), "spanId": format!("{:016x}", u64::from(tag.as_bytes()[3])), "name": "chat model", "startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000001000000000",
        "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}, {"key": "gen_ai.prompt", "value": {"stringValue": format!("tell {name}")}}, {"key": "who", "value": {"stringValue": name}}]});
    let export = json!({"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "s"}, "spans": [span]}]}]});
    let said = client.try_post("/v1/traces", "Content-Type: application/json\r\n", &export.to_string());
    assert_eq!(said.as_ref().map(|(status, _)| *status).ok(), Some(200), "{said:?}");
    let tool = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "remember", "arguments": {"text": format!("{name} by a tool, {tag}")}}});
    let headers = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n";
    let said = client.try_post("/mcp", headers, &tool.to_string());
    assert!(said.as_ref().is_ok_and(|(status, body)| *status == 200 && !body.contains("isError\":true")), "{said:?}");
}

fn by_files(place: &Place, tag: &str, name: &str) {
    let [memory, project] = outside(place);
    let line = json!({"event_type": "gateway.tool_call", "timestamp": "2024-01-05T00:00:00Z", "trace_id": format!("a-{tag}"), "status": "failure",
        "schema_version": "1.0", "source": "s", "metadata": {"error": format!("no {name}"), "agent_name": "cc"}});
    let month = memory.join("events/2024-01/events.jsonl");
    let before = std::fs::read_to_string(&month).unwrap_or_default();
    std::fs::write(&month, format!("{before}{line}\n")).expect("written");
    let one_line = name.replace('\n', " ");
    let note = format!("---\nid: file-{tag}\ntags: [people]\n---\n\n# About {one_line}\n\n> {name} came\n");
    std::fs::write(memory.join(format!("knowledge/notes/file-{tag}.md")), note).expect("written");
    place.run(&["amem", "sync", &place.arg("memory")]);
    let directory = project.to_str().expect("a plain name");
    for (kind, more) in [("create", None), ("fix", Some("--stage"))] {
        let summary = format!("{kind} the gate of {one_line} in {tag}");
        let mut arguments = vec![
            "md",
            "append",
            kind,
            "--project",
            directory,
            "--scope",
            "gate",
            "--summary",
            &summary,
            "--agent",
            "ann",
        ];
        arguments.extend(more);
        let answer = place.run(&arguments);
        assert_eq!(answer.code, 0, "{answer:?}");
    }
}
