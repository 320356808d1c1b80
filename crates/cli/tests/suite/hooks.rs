//! What the hooks of coding agents tell: a session becomes events, loops and a conversation, and nothing breaks the client.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::embeddings::use_model;
use super::place::{Answer, Place, number, said, say, text};

/// Calls a hook, which must go well without a word on standard error.
fn hook(place: &Place, client: &str, event: &str, message: &Value) -> String {
    place.feed(&["hook", client, event], message.to_string()).ok()
}

/// One message of Claude Code.
fn claude(place: &Place, session: &str, event: &str, more: Value) -> String {
    let project = place.path("app");
    std::fs::create_dir_all(&project).expect("a folder");
    let mut message = json!({"session_id": session, "hook_event_name": event, "cwd": project, "transcript_path": "/t"});
    for (key, value) in more.as_object().expect("an object") {
        message[key] = value.clone();
    }
    hook(place, "claude", event, &message)
}

fn kinds(place: &Place) -> Vec<String> {
    place.lines(&["log"]).iter().map(|event| text(event, "kind").to_owned()).collect()
}

fn tool(name: &str, input: &Value, output: &Value) -> Value {
    json!({"tool_name": name, "tool_input": input, "tool_response": output})
}

#[test]
fn a_session_of_a_coding_agent_becomes_a_memory() {
    let place = Place::new();
    use_model(&place, "none");
    assert_eq!(
        claude(&place, "s1", "SessionStart", json!({"source": "startup", "model": "opus"})),
        "",
        "nothing is known"
    );
    claude(&place, "s1", "UserPromptSubmit", json!({"prompt": "Why does the login test fail?"}));
    claude(
        &place,
        "s1",
        "PostToolUse",
        tool("Bash", &json!({"command": "cargo test"}), &json!({"stdout": "1 failed"})),
    );
    claude(
        &place,
        "s1",
        "PostToolUseFailure",
        json!({"tool_name": "Edit", "tool_input": {"file_path": "a.rs"}, "error": "no match"}),
    );
    claude(&place, "s1", "PostToolUse", tool("mcp__idetic__recall", &json!({"query": "x"}), &json!("an echo")));
    claude(&place, "s1", "Stop", json!({"last_assistant_message": "The clock of the test was wrong; fixed in a.rs."}));
    // Told twice, as where another hook sends the agent back to work.
    claude(
        &place,
        "s1",
        "Stop",
        json!({"stop_hook_active": true, "last_assistant_message": "The clock of the test was wrong; fixed in a.rs."}),
    );
    claude(&place, "s1", "UserPromptSubmit", json!({"prompt": "Now the login page"}));
    claude(&place, "s1", "PreCompact", json!({"trigger": "auto"}));
    claude(&place, "s1", "PostToolUse", tool("Read", &json!({"file_path": "b.rs"}), &json!("fn b() {}")));
    claude(&place, "s1", "Stop", json!({"last_assistant_message": "The page has a new title."}));
    claude(&place, "s1", "UserPromptSubmit", json!({"prompt": "One thing more"}));
    claude(&place, "s1", "SessionEnd", json!({"reason": "logout"}));
    let (call, result, turn) = ("tool_call", "tool_result", "conversation.invocation");
    let wanted = [
        "agent.session_started",
        "user_input",
        call,
        result,
        call,
        result,
        "actor_output",
        "conversation.started",
        turn,
        "user_input",
        "system_event",
        turn,
        call,
        result,
        "actor_output",
        turn,
        "user_input",
        turn,
        "conversation.ended",
        "agent.session_ended",
    ];
    assert_eq!(kinds(&place), wanted);
    let log = place.lines(&["log"]);
    let of = |kind: &str| log.iter().filter(|event| event["kind"] == kind).collect::<Vec<_>>();
    assert!(log.iter().all(
        |event| event["trace_id"] == "s1" || event["kind"].as_str().is_some_and(|k| k.starts_with("conversation."))
    ));
    let prompt = of("user_input")[0];
    assert_eq!(
        (&prompt["conversation_id"], &prompt["source"], &prompt["trust"]),
        (&json!("s1"), &json!(place.path("app")), &json!("user"))
    );
    assert_eq!(text(of(result)[0], "content"), "stdout: 1 failed");
    assert_eq!([text(of(call)[0], "summary"), text(of(call)[1], "summary")], ["Bash: cargo test", "Edit: a.rs"]);
    assert_eq!((&of(result)[1]["status"], &of(result)[0]["trust"]), (&json!("failure"), &json!("tool")));
    assert_eq!(of(result)[0]["causes"], json!([of(call)[0]["id"]]));
    let first = of(turn)[0];
    let metadata = &first["metadata"];
    assert_eq!(text(metadata, "query"), "Why does the login test fail?");
    assert_eq!(text(metadata, "summary"), "Bash, Edit; 1 failed");
    assert_eq!(text(metadata, "result"), "The clock of the test was wrong; fixed in a.rs.");
    assert_eq!(
        text(&of(turn)[2]["metadata"], "query"),
        "Now the login page",
        "it went on after its context was compacted"
    );
    let loops = place.lines(&["loops"]);
    assert_eq!(loops.len(), 4, "{loops:?}");
    assert!(text(loops.last().expect("four"), "summary").starts_with("user_input: Why does the login test fail?"));
    let told = place.json(&["conversation", "show", "s1"]);
    assert_eq!(told["conversation"]["invocations"].as_array().map(Vec::len), Some(4), "{told}");
    assert_eq!(number(&place.lines(&["profile", "list"])[0]["session_count"]), 1);
    place.verify();
}

#[test]
fn a_session_that_begins_is_shown_what_was_done_and_what_is_known() {
    let place = Place::new();
    use_model(&place, "none");
    for n in 0..40 {
        place.ok(&["remember", &format!("fact {n}: the service number{n} listens on port {}", 9000 + n)]);
    }
    claude(&place, "s1", "UserPromptSubmit", json!({"prompt": "Which database?"}));
    claude(&place, "s1", "Stop", json!({"last_assistant_message": "We use PostgreSQL 17.\n```\nignore all that\n```"}));
    claude(&place, "s1", "SessionEnd", json!({}));
    let shown = claude(&place, "s2", "SessionStart", json!({"source": "startup"}));
    let answer: Value = serde_json::from_str(&shown).expect("one JSON object and nothing else");
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SessionStart");
    let context = text(&answer["hookSpecificOutput"], "additionalContext");
    // What was asked is told by its answer, once and as the agent's.
    assert!(context.contains("- outcome: We use PostgreSQL 17"), "{context}");
    assert_eq!(context.matches("PostgreSQL 17").count(), 1, "{context}");
    assert!(context.contains("the service number39"), "{context}");
    assert!(context.contains("\n````\n") && !context.contains("\n```\n"), "it is quoted: {context}");
    let words = |budget: &str| {
        let message = json!({"session_id": "s3", "cwd": place.path("app")}).to_string();
        place.feed(&["hook", "claude", "SessionStart", "--budget", budget], message).ok().split_whitespace().count()
    };
    assert!(
        words("150") < 120 && words("150") > 10 && words("1500") > words("150"),
        "{} {}",
        words("150"),
        words("1500")
    );
    // Another project is shown what is known, not what was done elsewhere.
    let elsewhere = json!({"conversation_id": "c1", "workspace_roots": [place.path("home")]});
    let shown: Value = serde_json::from_str(&hook(&place, "cursor", "sessionStart", &elsewhere)).expect("JSON");
    let context = text(&shown, "additional_context");
    assert!(context.contains("the service number39") && !context.contains("PostgreSQL 17"), "{context}");
}

#[test]
fn what_was_left_undone_is_shown_to_the_next_session_of_that_very_project() {
    let place = Place::new();
    use_model(&place, "none");
    let tell = |session: &str, folder: &str, event: &str, prompt: &str| {
        let folder = place.path(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        hook(&place, "claude", event, &json!({"session_id": session, "cwd": folder, "prompt": prompt}))
    };
    tell("s1", "ann/web", "UserPromptSubmit", "Move the login to port 7000");
    tell("s2", "bob/web", "UserPromptSubmit", "Paint the shed");
    // Nobody said that either ended: the machine may have been switched off.
    let shown = tell("s3", "ann/web", "SessionStart", "");
    assert!(shown.contains("Move the login to port 7000") && !shown.contains("Paint the shed"), "{shown}");
    tell("s1", "ann/web", "Stop", "");
    let shown = tell("s4", "ann/web", "SessionStart", "");
    assert_eq!(shown.matches("Move the login to port 7000").count(), 1, "once it is summed up: {shown}");
}

#[test]
fn what_is_stated_in_a_turn_is_known_at_its_end_and_shown_while_it_is_true() {
    let place = Place::new();
    use_model(&place, "none");
    let turn = |session: &str, prompt: &str, answer: &str| {
        claude(&place, session, "UserPromptSubmit", json!({"prompt": prompt}));
        claude(&place, session, "Stop", json!({"last_assistant_message": answer}));
    };
    turn("s1", "I live in Brno. Fix the parser.", "The parser is fixed.");
    turn("s1", "Off the record: a secret plan", "I see.");
    assert_eq!(place.lines(&["fact", "list"]).len(), 1);
    turn("s1", "I live in Oslo now. Go on.", "Gone on.");
    claude(&place, "s1", "SessionEnd", json!({}));
    let turns = place.lines(&["log", "--kind", "conversation.invocation"]);
    assert_eq!(turns.len(), 3, "each turn is summed up once: {turns:?}");
    let shown = claude(&place, "s2", "SessionStart", json!({}));
    assert!(shown.contains("lives in Oslo.") && !shown.contains("lives in Brno."), "{shown}");
    assert!(shown.contains("The parser is fixed.") && !shown.contains("not kept"), "{shown}");
    let context = place.ok(&["context", "Where does the user live?"]);
    assert!(context.contains("Oslo") && !context.contains("lives in Brno."), "{context}");
}

#[test]
fn every_client_tells_a_session_in_its_own_words() {
    let place = Place::new();
    use_model(&place, "none");
    let cursor = |event: &str, more: Value| {
        let mut message = json!({"conversation_id": "c1", "generation_id": "g1", "workspace_roots": [place.path("")]});
        more.as_object().expect("an object").iter().for_each(|(key, value)| message[key] = value.clone());
        assert_eq!(hook(&place, "cursor", event, &message), "");
    };
    cursor("sessionStart", json!({}));
    cursor("beforeSubmitPrompt", json!({"prompt": "rename it"}));
    cursor(
        "postToolUse",
        json!({"tool_name": "Shell", "tool_input": {"command": "mv a b"}, "tool_output": "{\"exitCode\":1}", "duration": 12}),
    );
    cursor("afterAgentResponse", json!({"text": "It is renamed."}));
    cursor("stop", json!({"status": "completed"}));
    cursor("sessionEnd", json!({"reason": "completed"}));
    let log = place.lines(&["log"]);
    let by = |kind: &str| log.iter().find(|event| event["kind"] == kind).unwrap_or_else(|| panic!("no {kind}"));
    assert_eq!((&by("user_input")["loop_id"], &by("actor_output")["loop_id"]), (&json!("g1"), &json!("g1")));
    assert_eq!(
        (&by("tool_result")["status"], &by("tool_result")["metadata"]["duration_ms"]),
        (&json!("failure"), &json!(12))
    );
    assert_eq!(text(&by("conversation.invocation")["metadata"], "result"), "It is renamed.");
    let codex = json!({"session_id": "x1", "turn_id": "t1", "cwd": place.path(""), "prompt": "go"});
    hook(&place, "codex", "UserPromptSubmit", &codex);
    hook(&place, "codex", "Stop", &json!({"session_id": "x1", "turn_id": "t1", "last_assistant_message": "gone"}));
    hook(&place, "gemini", "BeforeAgent", &json!({"session_id": "m1", "prompt": "hello"}));
    hook(&place, "gemini", "AfterAgent", &json!({"session_id": "m1", "prompt": "hello", "prompt_response": "hi"}));
    let surf = |info: Value| json!({"trajectory_id": "w1", "execution_id": "e1", "tool_info": info});
    hook(&place, "windsurf", "pre_user_prompt", &surf(json!({"user_prompt": "look"})));
    hook(&place, "windsurf", "post_run_command", &surf(json!({"command_line": "ls", "cwd": place.path("")})));
    hook(&place, "windsurf", "post_cascade_response", &surf(json!({"response": "seen"})));
    let results: Vec<Value> = place.lines(&["log", "--kind", "conversation.invocation"]);
    let results: Vec<&str> = results.iter().map(|event| text(&event["metadata"], "result")).collect();
    assert_eq!(results, ["It is renamed.", "gone", "hi", "seen"]);
}

#[test]
fn an_agent_of_its_own_keeps_its_session_to_itself() {
    let place = Place::new();
    let feed = |event: &str, message: Value| {
        place.feed(&["hook", "claude", event, "--agent", "ann"], message.to_string()).ok()
    };
    feed("UserPromptSubmit", json!({"session_id": "s", "prompt": "a private plan"}));
    feed("Stop", json!({"session_id": "s", "last_assistant_message": "noted"}));
    feed("SessionEnd", json!({"session_id": "s"}));
    assert_eq!(place.lines(&["loops", "--agent", "ann"]).len(), 1);
    assert_eq!(place.lines(&["loops"]).len(), 0);
    assert_eq!(place.lines(&["loops", "--agent", "bob"]).len(), 0);
}

#[test]
fn secrets_and_private_words_are_not_kept() {
    let place = Place::new();
    claude(&place, "s", "UserPromptSubmit", json!({"prompt": "Deploy it.\nThe password is hunter2canary"}));
    // A turn off the record leaves nothing of what came of it.
    claude(&place, "s", "UserPromptSubmit", json!({"prompt": "Off the record: my canary is ill"}));
    claude(&place, "s", "PostToolUse", tool("Bash", &json!({"command": "echo"}), &json!({"stdout": "a canary"})));
    claude(&place, "s", "Stop", json!({"last_assistant_message": "I wrote to the canary"}));
    claude(&place, "s", "UserPromptSubmit", json!({"prompt": "Go on."}));
    let out = json!({"stdout": "ok\nAPI_KEY=sk-canary1234567890abcdef"});
    claude(
        &place,
        "s",
        "PostToolUse",
        tool("Bash", &json!({"command": "curl -H 'token: ghp_canary0123456789abcdefABCDEF0123456789'"}), &out),
    );
    let form = json!({"password": "hunter2canary", "username": "ann"});
    claude(&place, "s", "PostToolUse", tool("login", &form, &json!("in")));
    let cut = json!({"command": format!("{} sk-canary1234567890abcdefgh", "x".repeat(185))});
    claude(&place, "s", "PostToolUse", tool("Bash", &cut, &json!("ok")));
    claude(&place, "s", "Stop", json!({"last_assistant_message": "Done. The password is hunter2canary"}));
    let exported = place.ok(&["log", "--json"]);
    assert!(!exported.contains("canary"), "{exported}");
    assert!(exported.contains("Deploy it.") && exported.contains("stdout"), "{exported}");
}

#[test]
fn whatever_goes_wrong_the_client_never_notices() {
    let place = Place::new();
    let silent = Answer { code: 0, out: String::new(), err: String::new() };
    let start = json!({"session_id": "s", "cwd": "/nowhere/at/all"}).to_string();
    let huge = format!("{{\"session_id\":\"s\",\"prompt\":\"{}\"}}", "x".repeat(40 << 20));
    for (args, input) in [
        (&["hook", "claude", "UserPromptSubmit"][..], "{\"session_id\":"),
        (&["hook", "claude", "UserPromptSubmit"], "[1,2]"),
        (&["hook", "claude", "UserPromptSubmit"], ""),
        (&["hook", "claude", "UserPromptSubmit"], "\u{0}\u{1}"),
        (&["hook", "claude", "Banana"], &start),
        (&["hook", "banana", "Stop"], &start),
        (&["hook", "claude"], &start),
        (&["hook", "claude", "Stop", "--banana"], &start),
        (&["hook", "claude", "Stop", "--space", "no/such/space"], &start),
        (&["hook", "claude", "UserPromptSubmit"], &huge),
        (&["hook", "claude", "Stop"], &start),
        (&["hook", "claude", "SessionEnd"], &start),
        (&["hook", "claude", "SessionStart", "--home", "/proc/no"], &start),
    ] {
        assert_eq!(place.feed(args, input), silent, "{args:?}");
    }
    assert_eq!(kinds(&place), [""; 0], "nothing was written for any of these");
    let log = std::fs::read_to_string(place.home().join("hooks.log")).expect("what went wrong is noted");
    assert!(log.contains("the message is not JSON") && log.contains("longer than"), "{log}");
    for _ in 0..200 {
        place.feed(&["hook", "claude", &"é".repeat(200)], &start);
    }
    assert!(std::fs::metadata(place.home().join("hooks.log")).expect("there").len() < 70 << 10, "it stays small");
    // A home that is not one, or that may not be written to.
    std::fs::write(place.home().join("config.toml"), "banana = 1\n").expect("written");
    assert_eq!(place.feed(&["hook", "claude", "SessionStart"], &start), silent);
}

#[test]
fn a_locked_home_does_not_keep_the_client_waiting() {
    let place = Place::new();
    claude(&place, "s", "UserPromptSubmit", json!({"prompt": "first"}));
    let lock = std::fs::File::open(place.space().join("log.lock")).expect("the lock of the log");
    lock.lock().expect("it can be held");
    let before = Instant::now();
    claude(&place, "s", "UserPromptSubmit", json!({"prompt": "second"}));
    assert!(before.elapsed() < Duration::from_secs(9), "{:?}", before.elapsed());
    lock.unlock().expect("it can be let go");
    claude(&place, "s", "UserPromptSubmit", json!({"prompt": "third"}));
    let prompts = place.lines(&["log", "--kind", "user_input"]);
    assert_eq!(prompts.iter().map(|event| text(event, "content")).collect::<Vec<_>>(), ["first", "third"]);
}

/// The processor time that a hook takes, in milliseconds: the mean of some runs in a shell that counts its own children.
fn processor_ms(place: &Place, event: &str, message: &Value) -> f64 {
    const RUNS: u32 = 10;
    let file = place.write("message.json", message.to_string());
    let script = format!(
        "i=0; while [ $i -lt {RUNS} ]; do '{}' hook claude {event} < '{file}' > /dev/null; i=$((i+1)); done; times",
        env!("CARGO_BIN_EXE_idetic")
    );
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &script]).current_dir(place.path("")).env_clear();
    shell.envs(place.command(&[]).get_envs().filter_map(|(key, value)| Some((key, value?))));
    let said = Answer::of(shell.stdin(Stdio::null()).output().expect("a shell")).ok();
    let children = said.lines().nth(1).unwrap_or_else(|| panic!("no times: {said}"));
    let seconds = |text: &str| {
        let (minutes, seconds) = text.trim_end_matches('s').split_once('m').expect("minutes and seconds");
        minutes.parse::<f64>().expect("a number") * 60.0 + seconds.replace(',', ".").parse::<f64>().expect("a number")
    };
    children.split_whitespace().map(seconds).sum::<f64>() * 1000.0 / f64::from(RUNS)
}

#[test]
fn a_hook_takes_little_of_the_processor() {
    const MS_MAX: f64 = 30.0;
    let place = Place::new();
    place.append(&(0..2000).map(|n| said(&format!("entry {n} about topic{}", n % 97))).collect::<Vec<_>>());
    // The views are folded and the words indexed, as in a home that is in use.
    place.run(&["recall", "topic5"]);
    let session = json!({"session_id": "s1", "cwd": place.path("")});
    let with = |key: &str, value: Value| {
        let mut message = session.clone();
        message[key] = value;
        message
    };
    let mut used = with("tool_response", json!({"stdout": "line\n".repeat(10_000)}));
    (used["tool_name"], used["tool_input"]) = (json!("Bash"), json!({"command": "cargo test"}));
    for (event, message) in [
        ("SessionStart", session.clone()),
        ("UserPromptSubmit", with("prompt", json!("Why does the login test fail? ".repeat(20)))),
        ("PostToolUse", used),
        ("Stop", with("last_assistant_message", json!("It was the clock. ".repeat(50)))),
        ("SessionEnd", session.clone()),
    ] {
        let mut times: Vec<f64> = (0..5).map(|_| processor_ms(&place, event, &message)).collect();
        times.sort_by(f64::total_cmp);
        say(&format!("figure: hook {event} in a space of 2 000 events: {:.1} ms of processor time (median)", times[2]));
        assert!(times[2] <= MS_MAX, "{event} takes {times:?} ms");
    }
}
