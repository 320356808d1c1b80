//! Agent profiles: derived from the log, shown as of any moment, kept in step with their files.

use std::fs;
use std::path::Path;

use idetic_ops::Kind;
use serde_json::{Value, json};

use crate::hermetic::Hermetic;

const SPACE: &str = "local/x";

fn ask(home: &Hermetic, operation: &str, arguments: &Value) -> Value {
    let lines = home.call(SPACE, operation, &arguments.to_string()).expect("answers");
    serde_json::from_str(&lines[0]).expect("JSON")
}

fn profile(home: &Hermetic, agent: &str) -> Value {
    ask(home, "profile show", &json!({"agent": agent}))
}

fn put(home: &Hermetic, events: &[Value]) {
    home.append(SPACE, &events.iter().map(Value::to_string).collect::<Vec<_>>());
}

fn did(capability: &str, tool: &str, status: &str, error: Option<&str>) -> Value {
    let mut metadata = json!({"agent_name": "claude-code", "capability": capability, "tool_name": tool});
    if let Some(error) = error {
        metadata["error"] = json!(error);
    }
    json!({"kind": "gateway.tool_call", "ts": "2025-01-17T14:00:00Z", "status": status, "trace_id": "abc123", "metadata": metadata})
}

fn note(id: &str, author: &str, more: &Value) -> Value {
    let mut metadata = json!({"note": id, "title": id, "status": "validated"});
    metadata.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    json!({"kind": "note.written", "author": author, "content": id, "metadata": metadata})
}

/// The history behind the example of section 5.1.
fn history() -> Vec<Value> {
    let mut events = Vec::new();
    for _ in 0..42 {
        events.push(json!({"kind": "agent.session_started", "ts": "2025-01-17T14:30:00Z", "status": "success",
            "metadata": {"agent_name": "claude-code", "agent_version": "sonnet-4.5-20250929", "capability": "sessions"}}));
    }
    for n in 0..133 {
        let failed = n % 26 == 25;
        let error = failed.then(|| format!("Backend failed to start (timeout {n}s)"));
        events.push(did("backend_management", "", if failed { "failure" } else { "success" }, error.as_deref()));
    }
    for _ in 0..101 {
        events.push(did("artifact_creation", "chora:assemble_artifact", "success", None));
    }
    events.push(did("artifact_creation", "chora:other", "success", None));
    for _ in 0..2 {
        let error = Some("Forgetting to validate content before assembly");
        events.push(did("artifact_creation", "chora:other", "timeout", error));
    }
    events.push(note("backend-timeout-fix", "claude-code", &json!({"capability": "backend_management"})));
    events.push(note("trace-context-pattern", "claude-code", &json!({"tags": ["backend-management"]})));
    events.push(note("by-its-trace", "claude-code", &json!({"traces": ["abc123"]})));
    events.push(note("about-nothing", "claude-code", &json!({})));
    events.push(note("of-another", "ann", &json!({"capability": "backend_management"})));
    let wrong = json!({"capability": "backend_management", "status": "deprecated"});
    events.push(note("found-wrong", "claude-code", &wrong));
    for _ in 0..15 {
        events.push(json!({"kind": "gateway.context_switch", "ts": "2025-01-16T16:00:00Z", "trace_id": "xyz789",
            "metadata": {"from_agent": "claude-code", "to_project": "other-project", "pending_tasks": 2}}));
    }
    events
}

#[test]
fn the_example_of_the_specification_follows_from_its_history() {
    let home = Hermetic::new();
    put(&home, &history());
    for (key, value) in
        [("verbose_logging", "true"), ("auto_retry_on_timeout", "true"), ("preferred_backend_timeout", "60")]
    {
        ask(&home, "profile prefer", &json!({"agent": "claude-code", "key": key, "value": value}));
    }
    let shown = profile(&home, "claude-code");
    assert_eq!(shown["agent_name"], "claude-code");
    assert_eq!(shown["agent_version"], "sonnet-4.5-20250929");
    assert_eq!(shown["session_count"], 42);
    let backend = &shown["capabilities"]["backend_management"];
    assert_eq!((&backend["successful_operations"], &backend["failed_operations"]), (&json!(128), &json!(5)));
    assert_eq!(backend["skill_level"], "expert", "more than 100: the document's own example is one level off");
    let learned = json!(["backend-timeout-fix", "by-its-trace", "trace-context-pattern"]);
    assert_eq!(backend["learned_patterns"], learned, "as the note says, by its trace, by its tag");
    let mistakes = backend["common_mistakes"].as_array().expect("a list");
    assert_eq!(mistakes.len(), 1, "failures that differ in a number are one mistake: {mistakes:?}");
    let artifacts = &shown["capabilities"]["artifact_creation"];
    assert_eq!(artifacts["skill_level"], "expert");
    assert_eq!(artifacts["preferred_tool"], "chora:assemble_artifact");
    assert_eq!(artifacts["common_mistakes"], json!(["Forgetting to validate content before assembly"]));
    assert_eq!(shown["learned_patterns"], json!(["about-nothing"]), "what belongs to no capability has its own place");
    let preferences = json!({"verbose_logging": true, "auto_retry_on_timeout": true, "preferred_backend_timeout": 60});
    assert_eq!(shown["preferences"], preferences);
    assert_eq!(shown["context_switches"]["total"], 15);
    let handoff = json!({"to": "other-project", "timestamp": "2025-01-16T16:00:00.000000Z", "trace_id": "xyz789"});
    assert_eq!(shown["context_switches"]["last_handoff"], handoff);
    assert_eq!(shown["schema_version"], "1.0");
    assert!(!shown.to_string().contains("of-another") && !shown.to_string().contains("found-wrong"));
}

#[test]
fn preferences_are_kept_for_the_next_session_and_can_be_taken_away() {
    let home = Hermetic::new();
    let prefer = |arguments: Value| home.call(SPACE, "profile prefer", &arguments.to_string());
    prefer(json!({"agent": "a", "key": "verbose_logging", "value": "true"})).expect("set");
    prefer(json!({"agent": "a", "key": "editor", "value": "the small one"})).expect("set");
    prefer(json!({"agent": "a", "key": "nested", "value": "{\"x\": [1, 2.50]}"})).expect("set");
    assert_eq!(profile(&home, "a")["preferences"]["editor"], "the small one");
    let again = prefer(json!({"agent": "a", "key": "verbose_logging", "value": " true "})).expect("said already");
    assert!(again[0].contains("already"), "{again:?}");
    assert_eq!(home.call(SPACE, "log", "{}").expect("answers").len(), 3, "what changes nothing is no event");
    prefer(json!({"agent": "a", "key": "editor", "unset": true})).expect("taken away");
    let shown = profile(&home, "a");
    assert_eq!(shown["preferences"], json!({"verbose_logging": true, "nested": {"x": [1, 2.50]}}));
    let kinds = [
        (json!({"agent": "a", "key": "editor", "unset": true}), Kind::NotFound),
        (json!({"agent": "a", "key": "editor"}), Kind::Invalid),
        (json!({"agent": "a", "key": "editor", "value": "x", "unset": true}), Kind::Invalid),
        (json!({"agent": " ", "key": "editor", "value": "x"}), Kind::Invalid),
        (json!({"agent": "a", "key": "x", "value": "{\"a\":1,\"a\":2}"}), Kind::Invalid),
    ];
    for (arguments, kind) in kinds {
        let error = prefer(arguments.clone()).expect_err("refused");
        assert_eq!((error.kind, error.hint.is_empty()), (kind, false), "{arguments}: {error}");
    }
    assert_eq!(home.call(SPACE, "log", "{}").expect("answers").len(), 4);
    let before = ask(&home, "profile show", &json!({"agent": "a", "as_of": 3}));
    assert_eq!(before["preferences"]["editor"], "the small one", "the past stays what it was");
    let unknown = home.call(SPACE, "profile show", r#"{"agent":"nobody"}"#).expect_err("nobody");
    assert_eq!(unknown.kind, Kind::NotFound);
    // An agent speaks for itself alone.
    put(&home, &[json!({"kind": "profile.preferences", "agent_id": "b", "metadata": {"agent": "a", "set": {"x": 1}}})]);
    assert_eq!(profile(&home, "a")["preferences"], shown["preferences"]);
}

#[test]
fn a_profile_as_of_a_moment_is_that_of_a_space_that_stopped_there() {
    let home = Hermetic::new();
    let mut events = Vec::new();
    for n in 0..5000 {
        let status = ["success", "success", "failure", "pending"][n % 4];
        events.push(json!({"kind": "tool_call", "agent_id": format!("a{}", n % 3), "status": status,
            "summary": format!("step {n}"), "metadata": {"tool_name": format!("t{}", n % 7)}}));
        if n % 500 == 0 {
            events.push(json!({"kind": "agent.session_started", "agent_id": "a0", "status": "success"}));
        }
    }
    put(&home, &events);
    for at in [0, 1, 700, 4095, 4096, 4097, 5000] {
        let listed = home.call(SPACE, "profile list", &json!({"as_of": at}).to_string()).expect("answers");
        let (copy, shown) = (format!("local/copy{at}"), |space: &str, arguments: Value| {
            home.call(space, "profile show", &arguments.to_string()).map_err(|e| e.kind)
        });
        if at > 0 {
            home.copy_prefix(SPACE, &copy, at);
            assert_eq!(listed, home.call(&copy, "profile list", "{}").expect("answers"), "as of {at}");
            let then = shown(SPACE, json!({"agent": "a0", "as_of": at}));
            assert_eq!(then, shown(&copy, json!({"agent": "a0"})), "as of {at}");
        } else {
            assert_eq!(listed, Vec::<String>::new());
        }
    }
}

#[test]
fn the_other_side_of_an_agent_and_what_is_private_leave_no_text_in_a_profile() {
    let home = Hermetic::new();
    put(&home, &[json!({"kind": "tool_call", "agent_id": "a", "status": "failure", "summary": "plain"})]);
    let before = profile(&home, "a");
    let hidden = |more: Value| {
        let mut event = json!({"kind": "tool_call", "agent_id": "a", "persona": "subconscious", "status": "failure",
            "summary": "hidden", "metadata": {"tool_name": "hidden", "capability": "hidden", "agent_name": "hidden"}});
        event.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
        event
    };
    put(
        &home,
        &[
            hidden(json!({})),
            hidden(json!({"agent_id": "only-hidden"})),
            hidden(json!({"kind": "agent.session_started"})),
            hidden(json!({"kind": "handoff"})),
            hidden(json!({"kind": "profile.preferences", "metadata": {"agent": "a", "set": {"hidden": 1}}})),
            hidden(
                json!({"kind": "profile.imported", "content": "{\"agent_name\":\"a\",\"hidden\":1}", "metadata": {"agent": "a"}}),
            ),
        ],
    );
    assert_eq!(profile(&home, "a"), before);
    assert_eq!(home.call(SPACE, "profile list", "{}").expect("answers").len(), 1);
    put(
        &home,
        &[json!({"kind": "tool_call", "agent_id": "a", "status": "failure", "summary": "hush", "tags": ["Private"]})],
    );
    let after = profile(&home, "a");
    assert!(!after.to_string().contains("hush"), "{after}");
    assert_eq!(after["capabilities"]["tool_call"]["failed_operations"], 1, "nor is what is private counted");
}

#[test]
fn the_published_profile_is_taken_in_once_and_shown_with_what_happened_since() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/spec/samples/amem/profiles_agents_claude-code.json");
    let Ok(text) = fs::read_to_string(&sample) else { return };
    let home = Hermetic::new();
    let folder = home.folder.path().join("memory");
    fs::create_dir_all(folder.join("profiles/agents")).expect("folders");
    fs::write(folder.join("profiles/agents/claude-code.json"), &text).expect("a file");
    let import = |operation: &str| ask(&home, operation, &json!({"folder": folder}));
    let first = import("amem import");
    assert_eq!((&first["events_added"], &first["troubles"]), (&json!(1), &json!([])), "{first}");
    assert_eq!(import("amem import")["events_added"], 0);
    fs::write(folder.join("profiles/copy.json"), &text).expect("a copy of it");
    assert_eq!(import("amem import")["events_added"], 0, "the same text in another place is nothing new");
    fs::remove_file(folder.join("profiles/copy.json")).expect("it is there");
    let raw: Value =
        serde_json::from_str(&home.call(SPACE, "get", r#"{"event":"1"}"#).expect("there")[0]).expect("JSON");
    assert_eq!(raw["content"].as_str(), Some(text.as_str()), "the file is kept as it was");
    let shown = profile(&home, "claude-code");
    let told: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(shown["preferences"], told["preferences"]);
    assert_eq!(shown["capabilities"].as_object().map(serde_json::Map::len), Some(9));
    assert_eq!((&shown["session_count"], &shown["last_active"]), (&json!(7), &json!("2025-11-04")));
    assert_eq!(shown["agent_version"], "claude-sonnet-4-5-20250929");
    for key in ["specializations", "recent_achievements", "learning_trajectory", "performance"] {
        assert_eq!(shown[key], told[key], "{key}");
    }
    put(
        &home,
        &[
            json!({"kind": "agent.session_started", "ts": "2026-01-01T00:00:00Z", "status": "success", "agent_id": "claude-code",
                "metadata": {"agent_version": "newer", "capability": "debugging"}}),
            json!({"kind": "profile.preferences", "metadata": {"agent": "claude-code", "set": {"progressive_loading": false}}}),
        ],
    );
    let later = profile(&home, "claude-code");
    assert_eq!((&later["session_count"], &later["agent_version"]), (&json!(8), &json!("newer")));
    assert_eq!(later["preferences"]["progressive_loading"], false);
    assert_eq!(later["capabilities"]["debugging"]["successful_operations"], 1);
    // Ours is written beside theirs, which stays; nothing comes in twice.
    import("amem sync");
    assert_eq!(fs::read_to_string(folder.join("profiles/agents/claude-code.json")).expect("there"), text);
    assert!(folder.join("profiles/claude-code.json").is_file());
    assert_eq!(import("amem sync")["events_added"], 0);
}

/// A folder that was written, with the profile in it.
fn written(home: &Hermetic) -> (std::path::PathBuf, std::path::PathBuf) {
    put(home, &[did("building", "cargo", "success", None)]);
    ask(home, "profile prefer", &json!({"agent": "claude-code", "key": "timeout", "value": "30"}));
    let folder = home.folder.path().join("memory");
    ask(home, "amem sync", &json!({"folder": folder}));
    let file = folder.join("profiles/claude-code.json");
    (folder, file)
}

#[test]
fn preferences_edited_in_the_file_are_taken_in() {
    let home = Hermetic::new();
    let (folder, file) = written(&home);
    let sync = || ask(&home, "amem sync", &json!({"folder": folder}));
    let text = fs::read_to_string(&file).expect("a profile");
    let same: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(same, profile(&home, "claude-code"));
    assert_eq!(sync()["events_added"], 0, "what was written is nothing new");
    // Meanwhile another preference is set in the log: both stay.
    ask(&home, "profile prefer", &json!({"agent": "claude-code", "key": "verbose", "value": "true"}));
    fs::write(&file, text.replace("\"timeout\": 30", "\"timeout\": 60,\n    \"colour\": \"blue\"")).expect("edited");
    let report = sync();
    assert_eq!((&report["events_added"], &report["troubles"]), (&json!(1), &json!([])), "{report}");
    let wanted = json!({"timeout": 60, "verbose": true, "colour": "blue"});
    assert_eq!(profile(&home, "claude-code")["preferences"], wanted);
    let now = fs::read_to_string(&file).expect("a profile");
    assert_eq!(serde_json::from_str::<Value>(&now).expect("JSON")["preferences"], wanted);

    fs::write(&file, now.replace("\"colour\": \"blue\"", "\"colour\": \"blue\",,")).expect("broken");
    let broken = home.call(SPACE, "amem sync", &json!({"folder": folder}).to_string()).expect_err("it says so");
    assert_eq!(broken.kind, Kind::CheckFailed);
    assert!(fs::read_to_string(&file).expect("a profile").contains(",,"), "an edit that cannot be read is not lost");
    fs::write(&file, now.replace(",\n    \"colour\": \"blue\"", "").replace("\"colour\": \"blue\",\n    ", ""))
        .expect("repaired");
    assert_eq!(sync()["events_added"], 1);
    assert_eq!(profile(&home, "claude-code")["preferences"], json!({"timeout": 60, "verbose": true}));
}

#[test]
fn every_edit_of_a_profile_is_taken_in_or_kept_beside_it() {
    let home = Hermetic::new();
    let (folder, file) = written(&home);
    let sync = || ask(&home, "amem sync", &json!({"folder": folder}));
    let edit = |change: &dyn Fn(&mut Value)| {
        let mut text: Value = serde_json::from_str(&fs::read_to_string(&file).expect("a profile")).expect("JSON");
        change(&mut text);
        fs::write(&file, serde_json::to_string_pretty(&text).expect("JSON")).expect("edited");
        let report = sync();
        let now: Value = serde_json::from_str(&fs::read_to_string(&file).expect("a profile")).expect("JSON");
        assert_eq!(now, profile(&home, "claude-code"), "the file and the log say the same");
        (report, now)
    };
    let (report, now) = edit(&|text| {
        text["capabilities"]["building"]["skill_level"] = json!("expert");
        text["capabilities"]["building"]["common_mistakes"] = json!(["Forgetting the lock file"]);
        text["capabilities"]["writing"] = json!({"skill_level": "advanced", "since": "2019"});
        text["session_count"] = json!(50);
        text["team"] = json!({"name": "red", "lead": null});
    });
    assert_eq!((&report["events_added"], &report["troubles"]), (&json!(1), &json!([])), "{report}");
    assert_eq!(now["capabilities"]["building"]["skill_level"], "expert");
    assert_eq!(now["capabilities"]["building"]["common_mistakes"], json!(["Forgetting the lock file"]));
    assert_eq!(now["capabilities"]["writing"]["since"], "2019");
    assert_eq!((&now["session_count"], &now["team"]), (&json!(50), &json!({"name": "red", "lead": null})));
    // What happens later is counted on top of it: one failure makes no novice of an expert.
    put(&home, &[did("writing", "", "failure", Some("no paper")), did("building", "", "failure", Some("no bricks"))]);
    assert_eq!((&sync()["troubles"], sync()["events_added"].as_u64()), (&json!([]), Some(0)));
    let later = profile(&home, "claude-code");
    assert_eq!(later["capabilities"]["writing"]["skill_level"], "advanced");
    assert_eq!(later["capabilities"]["building"]["skill_level"], "expert");
    assert_eq!(later["capabilities"]["building"]["common_mistakes"], json!(["no bricks", "Forgetting the lock file"]));
    // What is taken out stays out, and the rest stays in.
    let (_, now) = edit(&|text| {
        text.as_object_mut().expect("an object").remove("team");
        text["capabilities"]["building"]["successful_operations"] = json!(1000);
    });
    assert!(now.get("team").is_none(), "{now}");
    assert_eq!(now["capabilities"]["building"]["successful_operations"], 1000);
    assert_eq!(now["capabilities"]["writing"]["since"], "2019");
    // What the log counts otherwise, and what is no level, is kept beside the file.
    let (report, now) = edit(&|text| {
        text["session_count"] = json!("about 60");
        text["capabilities"]["writing"]["skill_level"] = json!("guru");
    });
    let told = report["troubles"][0]["reason"].as_str().expect("it is told").to_owned();
    assert!(told.contains("session_count") && told.contains("skill_level") && told.contains(".before-"), "{report}");
    let beside = fs::read_dir(folder.join("profiles")).expect("there").flatten().find(|entry| {
        fs::read_to_string(entry.path()).is_ok_and(|text| text.contains("about 60") && text.contains("guru"))
    });
    assert!(beside.is_some_and(|entry| entry.file_name().to_string_lossy().contains(".before-")));
    assert_eq!(now["session_count"], 50);
    // Another version of the shape stays what it says it is.
    let (_, now) = edit(&|text| text["schema_version"] = json!("2.3"));
    assert_eq!(now["schema_version"], "2.3");
    assert_eq!(sync()["events_added"], 0);
    // In another space the folder gives the same profile.
    let call = |operation: &str, to: &Path| home.call("local/other", operation, &json!({"folder": to}).to_string());
    call("amem import", &folder).expect("answers");
    let out = home.folder.path().join("again");
    call("amem export", &out).expect("answers");
    let copy = fs::read_to_string(out.join("profiles/claude-code.json")).expect("a profile");
    assert_eq!(copy, fs::read_to_string(&file).expect("a profile"));
}

#[test]
fn a_folder_gives_the_same_profile_in_another_space() {
    let home = Hermetic::new();
    let (folder, file) = written(&home);
    let call = |operation: &str, to: &Path| {
        let lines = home.call("local/other", operation, &json!({"folder": to}).to_string()).expect("answers");
        serde_json::from_str::<Value>(&lines[0]).expect("JSON")
    };
    let report = call("amem import", &folder);
    assert_eq!((&report["events_added"], &report["troubles"]), (&json!(2), &json!([])), "{report}");
    let out = home.folder.path().join("again");
    call("amem export", &out);
    let (one, other) = (fs::read(&file).expect("a profile"), fs::read(out.join("profiles/claude-code.json")));
    assert_eq!(other.expect("a profile"), one);
}

#[test]
fn an_agent_s_name_cannot_leave_the_folder() {
    let home = Hermetic::new();
    let folder = home.folder.path().join("deep/memory");
    put(&home, &[json!({"kind": "tool_call", "agent_id": "../../../up", "status": "success"})]);
    ask(&home, "amem export", &json!({"folder": folder}));
    let names: Vec<_> =
        fs::read_dir(folder.join("profiles")).expect("there").flatten().map(|e| e.file_name()).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(!home.folder.path().join("up.json").exists());
}
