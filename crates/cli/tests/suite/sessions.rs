//! Sessions at the command line, and commands run inside a trace.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::place::{Answer, Place, json_lines, said, text};

const TRACE: &str = "CHORA_TRACE_ID";

/// Runs the program inside a trace.
fn within(place: &Place, trace: &str, args: &[&str]) -> Answer {
    Answer::of(place.command(args).env(TRACE, trace).stdin(Stdio::null()).output().expect("the program starts"))
}

fn last(place: &Place) -> Value {
    place.lines(&["log"]).pop().expect("an event")
}

#[test]
fn a_shell_that_evaluates_the_start_works_inside_the_session() {
    let place = Place::new();
    let script = r#"
        eval "$("$IDETIC" session start --agent claude-code --version sonnet --trace "a b'c")" || exit 9
        "$IDETIC" remember "inside" >/dev/null || exit 8
        echo '{"kind":"test","content":"appended"}' | "$IDETIC" append - >/dev/null || exit 7
        echo '{"kind":"test","trace_id":"its-own"}' | "$IDETIC" append - >/dev/null || exit 6
        "$IDETIC" remember "elsewhere" --trace other >/dev/null || exit 5
        "$IDETIC" session note port 8080 >/dev/null || exit 4
        "$IDETIC" session show --json || exit 3
        "$IDETIC" session end
    "#;
    let program = place.command(&[]);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", script]).current_dir(place.path("")).env_clear();
    shell.envs(program.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let run = Answer::of(
        shell.env("IDETIC", env!("CARGO_BIN_EXE_idetic")).env("PATH", "/usr/bin:/bin").output().expect("a shell"),
    );
    let out = run.ok();
    let shown = &json_lines(out.lines().next().expect("a line"))[0];
    assert_eq!((&shown["session"], &shown["values"]), (&json!("a b'c"), &json!({"port": 8080})));
    assert_eq!(shown["operations_count"], 2);
    assert!(out.contains("session a b'c of claude-code ended after"), "{out}");
    let traces: Vec<Value> = place.lines(&["log"]).iter().map(|e| e["trace_id"].clone()).collect();
    assert_eq!(traces, ["a b'c", "a b'c", "a b'c", "its-own", "other", "a b'c"]);
    assert_eq!(last(&place)["metadata"]["operations_count"], 2);
    let list = place.ok(&["profile", "list"]);
    assert!(list.starts_with("claude-code  1 sessions"), "{list}");
    place.verify();
}

#[test]
fn a_session_is_found_by_name_by_the_trace_around_or_because_it_is_the_only_one() {
    let place = Place::new();
    place.run(&["session", "show"]).refused(3);
    place.ok(&["remember", "x"]);
    place.run(&["session", "show"]).refused(3);
    place.ok(&["session", "start", "--agent", "one", "--trace", "t1"]);
    assert_eq!(
        within(&place, "t9", &["session", "show"]).refused(3).0,
        "CHORA_TRACE_ID names 't9', and no such session is open"
    );
    place.ok(&["session", "start", "--agent", "two", "--trace", "t2"]);
    let (what, hint) = place.run(&["session", "show"]).refused(2);
    assert!(what == "2 sessions are open" && hint.contains("t1 (one), t2 (two)"), "{what} {hint}");
    place.run(&["session", "start", "--agent", "two", "--trace", "t2"]).refused(4);
    assert!(within(&place, "t2", &["session", "show"]).ok().starts_with("session t2 of two  open for "));
    // A helper inside the session of another agent gets a trace of its own.
    let helper = within(&place, "t2", &["session", "start", "--agent", "helper", "--json"]).ok();
    assert_ne!(json_lines(&helper)[0]["session"], "t2");
    within(&place, "t2", &["session", "start", "--agent", "two"]).refused(4);
    within(&place, "t1", &["session", "end", "--session", "t2"]).ok();
    within(&place, "t1", &["session", "end"]).ok();
    assert!(place.ok(&["session", "show"]).contains("of helper"));
    place.run(&["session", "note"]).refused(2);
    place.run(&["session", "note", "a", "b", "c"]).refused(2);
}

#[test]
fn the_workflow_of_the_specification_is_one_trace_of_two_seconds() {
    let place = Place::new();
    let steps = [
        ("12:00:00.000", "agent.session_started", json!({"agent_name": "claude-code", "agent_version": "sonnet"})),
        (
            "12:00:00.100",
            "gateway.tool_call",
            json!({"tool_name": "chora:generate_content", "agent_name": "claude-code"}),
        ),
        ("12:00:00.600", "backend.content_generated", json!({"duration_ms": 500})),
        (
            "12:00:00.720",
            "gateway.tool_call",
            json!({"tool_name": "chora:assemble_artifact", "agent_name": "claude-code"}),
        ),
        ("12:00:01.920", "backend.artifact_assembled", json!({"duration_ms": 1200})),
        ("12:00:02.000", "agent.session_ended", json!({"agent_name": "claude-code"})),
    ];
    for (time, kind, metadata) in steps {
        let event =
            json!({"ts": format!("2025-01-17T{time}Z"), "kind": kind, "status": "success", "metadata": metadata});
        let call = json!({"events": [event]}).to_string();
        within(&place, "abc123", &["call", "append", &call]).ok();
    }
    assert!(place.ok(&["trace", "abc123"]).starts_with("abc123  6 steps, 2.0s, from 2025-01-17 12:00:00Z"));
    let profile = place.json(&["profile", "show", "claude-code"]);
    assert_eq!((&profile["session_count"], &profile["agent_version"]), (&json!(1), &json!("sonnet")));
    assert_eq!(text(&profile, "last_active"), "2025-01-17T12:00:02.000000Z");
    assert_eq!(profile["capabilities"]["gateway"]["successful_operations"], 2);
}

#[test]
fn a_command_is_run_untouched_and_remembered() {
    let place = Place::new();
    let script = r#"cat; printf "$CHORA_TRACE_ID" ; printf 'to stderr\n\0' >&2; exit 7"#;
    let mut command = place.command(&["run", "--", "/bin/sh", "-c", script]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), b"in\0put\xff ").expect("written");
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(&output.stderr, b"to stderr\n\0");
    let (echoed, trace) = output.stdout.split_at(8);
    assert_eq!(echoed, b"in\0put\xff ");
    let trace = std::str::from_utf8(trace).expect("a trace");
    let event = last(&place);
    assert_eq!(
        (text(&event, "kind"), text(&event, "status"), text(&event, "trace_id")),
        ("run.completed", "failure", trace)
    );
    assert_eq!((trace.len(), &event["metadata"]["exit_status"]), (36, &json!(7)));
    assert_eq!(event["metadata"]["command"], json!(["/bin/sh", "-c", script]));
    assert!(event["metadata"]["duration_ms"].is_u64() && event.get("content").is_none(), "{event}");
    assert_eq!(event["trust"], "tool");

    assert_eq!(within(&place, "mine", &["run", "--", "/bin/sh", "-c", "test $CHORA_TRACE_ID = mine"]).code, 0);
    let event = last(&place);
    assert_eq!((text(&event, "status"), text(&event, "trace_id")), ("success", "mine"));
    // What the command itself remembers is part of the same workflow.
    let inner = format!("{} remember inside", env!("CARGO_BIN_EXE_idetic"));
    place.ok(&["run", "--", "/bin/sh", "-c", &inner]);
    let events = place.lines(&["log"]);
    let [.., inside, run] = &events[..] else { panic!("{events:?}") };
    assert_eq!((text(inside, "content"), &inside["trace_id"]), ("inside", &run["trace_id"]));
    place.run(&["run"]).refused(2);
    place.run(&["run", "--tail", "999999999", "--", "/bin/true"]).refused(2);
}

#[test]
fn the_end_of_what_a_failed_command_said_is_kept_when_wanted() {
    let place = Place::new();
    let noisy = "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done >&2; echo 'the cause: é' >&2; exit 1";
    let answer = place.run(&["run", "--tail", "20", "--agent", "coder", "--", "/bin/sh", "-c", noisy]);
    assert_eq!((answer.code, answer.err.lines().count()), (1, 3001), "everything is passed through");
    let event = last(&place);
    let kept = text(&event, "content");
    assert!(kept.ends_with("the cause: é\n") && kept.len() <= 20, "{kept:?}");
    assert_eq!(event["agent_id"], "coder");
    let profile = place.json(&["profile", "show", "coder"]);
    assert_eq!(profile["capabilities"]["run"]["failed_operations"], 1);
    place.run(&["run", "--tail", "20", "--", "/bin/sh", "-c", "echo fine >&2"]);
    assert!(last(&place).get("content").is_none(), "what went well leaves no noise");
    // Something left behind that keeps the stream open keeps nobody waiting.
    let began = Instant::now();
    assert_eq!(place.run(&["run", "--tail", "20", "--", "/bin/sh", "-c", "sleep 30 >/dev/null & exit 3"]).code, 3);
    assert!(began.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_command_that_cannot_be_started_or_is_killed_exits_as_in_a_shell() {
    let place = Place::new();
    let missing = place.run(&["run", "--", "/no/such/command"]);
    assert_eq!(missing.code, 127, "{missing:?}");
    let event = last(&place);
    assert!(event["metadata"]["error"].is_string() && event["status"] == "failure", "{event}");
    let file = place.write("data.txt", "x");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("its rights");
    assert_eq!(place.run(&["run", "--", &file]).code, 126);
    assert_eq!(place.run(&["run", "--", "/bin/sh", "-c", "kill -9 $$"]).code, 137);
    assert_eq!(last(&place)["metadata"]["signal"], 9);
}

#[test]
fn a_signal_reaches_the_command_and_its_end_is_still_remembered() {
    let place = Place::new();
    let script = "trap 'exit 42' TERM; echo ready; while :; do sleep 0.05; done";
    let mut command = place.command(&["run", "--", "/bin/sh", "-c", script]);
    command.env("PATH", "/usr/bin:/bin").stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    let mut ready = [0; 5];
    child.stdout.as_mut().expect("piped").read_exact(&mut ready).expect("it runs");
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    assert_eq!(child.wait().expect("ends").code(), Some(42));
    assert_eq!(last(&place)["metadata"]["exit_status"], 42);
}

#[test]
fn where_nothing_can_be_remembered_the_command_still_runs() {
    let place = Place::new();
    place.append(&[said("x")]);
    std::fs::write(place.home().join("config.toml"), "no such = key").expect("written");
    let answer = place.run(&["run", "--", "/bin/sh", "-c", "echo out; exit 5"]);
    assert_eq!((answer.code, answer.out.as_str()), (5, "out\n"));
    assert!(answer.err.starts_with("note: the run could not be remembered: "), "{answer:?}");
    let nowhere = place.arg("not-a-home");
    let answer = place.run(&["run", "--home", &nowhere, "--", "/bin/sh", "-c", "exit 0"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.err.contains("could not be remembered"), "{answer:?}");
}
