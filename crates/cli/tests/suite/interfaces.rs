//! What the program shows: help, completions, JSON, plain text in a pipe, colours in a terminal.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::place::{Answer, Place, json_lines, said, say, text};

/// Every command, as `idetic ops` lists them and those that are no operations.
fn commands(place: &Place) -> Vec<String> {
    let mut names: Vec<String> = place.lines(&["ops"]).iter().map(|o| text(o, "name").to_owned()).collect();
    assert!(names.len() >= 20, "{names:?}");
    names.extend(["run", "setup", "hook", "call", "completions"].map(str::to_owned));
    names
}

#[test]
fn the_help_of_every_command_has_an_example_that_the_command_line_understands() {
    let place = Place::bare();
    let root = place.ok(&["--help"]);
    for name in commands(&place) {
        let words: Vec<&str> = name.split(' ').collect();
        assert!(root.lines().any(|l| l.trim_start().starts_with(words[0])), "{name} is not in the help");
        let help = place.ok(&[&words[..], &["--help"]].concat());
        for flag in ["--json", "--home <DIR>", "--space <USER/COLLECTION>"] {
            assert!(help.contains(flag), "{name} has no {flag}: {help}");
        }
        let (_, example) = help.split_once("\nExample:\n  ").unwrap_or_else(|| panic!("{name} has no example: {help}"));
        let (_, used) = example.split_once("idetic ").unwrap_or_else(|| panic!("{example}"));
        assert!(used.starts_with(&name), "the example of {name} shows something else: {example}");
        // A shell would cut off the redirection; with --help nothing is done, only understood.
        let script = example.split(" > ").next().unwrap_or_default().trim_end();
        let script = script.replace("idetic ", &format!("{} ", env!("CARGO_BIN_EXE_idetic")));
        // Behind -- everything is for a command that would be run.
        let script = match script.split_once(" -- ") {
            Some((ours, its)) => format!("{ours} --help -- {its}"),
            None => format!("{script} --help"),
        };
        // In this place's environment: an example that did something would do it here and not in somebody's own home.
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script]).current_dir(place.path("")).env_clear().env("PATH", "/usr/bin:/bin");
        shell.envs(place.command(&[]).get_envs().filter_map(|(key, value)| Some((key, value?))));
        let shown = shell.output().expect("a shell");
        assert!(shown.status.success(), "{script}: {}", String::from_utf8_lossy(&shown.stderr));
        assert!(!place.home().exists() && !place.path("data").exists(), "{script} was carried out");
    }
    for code in ["0 fine", "1 a check failed", "2 invalid", "3 not found", "4 conflict", "5 unavailable"] {
        assert!(root.contains(code), "the help does not say what exit code '{code}' is");
    }
    assert_eq!(place.ok(&["--version"]), format!("idetic {}\n", env!("CARGO_PKG_VERSION")));
    let nothing = place.run(&[]);
    let says_how = nothing.out.contains("idetic --help");
    assert_eq!((nothing.code, says_how), (0, true), "without a command it says what to do next: {}", nothing.out);
}

#[test]
fn completions_for_three_shells_know_every_command() {
    let place = Place::bare();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.ok(&["completions", shell]);
        for name in commands(&place) {
            let last = name.rsplit(' ').next().unwrap_or_default();
            assert!(script.contains(last), "{shell} does not complete {name}");
        }
        for flag in ["keep-going", "accept-loss", "as-of"] {
            assert!(script.contains(flag), "{shell} does not complete --{flag}");
        }
        let file = place.write(shell, &script);
        if let Ok(checked) = Command::new(shell).args(["-n", &file]).output() {
            assert!(checked.status.success(), "{shell}: {}", String::from_utf8_lossy(&checked.stderr));
        }
    }
    place.run(&["completions", "abacus"]).refused(2);
}

/// A home with one event of everything.
fn furnished() -> Place {
    let place = Place::new();
    place.append(&[
        json!({"id": "first", "kind": "tool_call", "ts": "2025-01-17T12:00:00Z", "status": "success",
            "source": "gateway", "agent_id": "bob", "trace_id": "t1", "content": "one",
            "metadata": {"duration_ms": 40}})
        .to_string(),
        json!({"kind": "error", "ts": "2025-01-17T12:00:01Z", "status": "failure", "trace_id": "t1",
            "tags": ["red"], "content": "\u{1b}[31mred\u{1b}[0m\u{7}"})
        .to_string(),
    ]);
    place
}

#[test]
fn with_json_every_command_answers_in_objects_of_its_own_shape() {
    let place = furnished();
    let (backup, more) = (place.arg("b.gz"), place.write("more.jsonl", said("more")));
    let exported = place.write("all.jsonl", place.ok(&["export"]));
    // Each with the fields it must have, and how many lines it prints; 0 stands for one a thing.
    let shapes: [(&[&str], &str, usize); 20] = [
        (&["init", &place.arg("other")], "done events", 1),
        (&["remember", "x"], "seq id", 1),
        (&["append", &more], "seq id", 1),
        (&["get", "first"], "seq id ts recorded_at kind status hash prev_hash visibility trust content", 1),
        (&["log"], "seq id ts recorded_at kind hash prev_hash visibility trust", 4),
        (&["trace", "t1"], "trace_id started ended total_ms first_failure bottleneck steps", 1),
        (&["trace"], "trace_id events failures started ended total_ms", 1),
        (&["stats"], "as_of events by_kind by_status by_source by_agent by_day", 1),
        (&["status"], "home home_found_by space space_id events head last_recorded_at views files", 1),
        (&["spaces"], "space events", 1),
        (&["verify"], "ok events erased head first_bad_seq problems", 1),
        (&["digest"], "seq head views", 1),
        (&["rebuild"], "done events head", 1),
        (&["backup", &backup], "done events head", 1),
        (&["restore", &backup], "done events head", 1),
        (&["export"], "v space seq id recorded_at kind prev_hash commitment hash salt body", 4),
        (&["import", &exported, "--space", "a/b"], "done events head", 1),
        (&["repair"], "done events head", 1),
        (&["doctor"], "ok checks", 1),
        (&["config", "show"], "home home_found_by settings", 1),
    ];
    for (args, fields, count) in shapes {
        let objects = place.lines(args);
        assert_eq!(objects.len(), count, "{args:?}: {objects:?}");
        for object in objects {
            for field in fields.split(' ') {
                assert!(object.get(field).is_some(), "{args:?} has no {field}: {object}");
            }
        }
    }
    let operation = place.json(&["ops", "remember"]);
    assert_eq!(operation["arguments"]["properties"]["text"]["type"], "string", "{operation}");
}

#[test]
fn acknowledgements_are_json_with_and_without_the_flag() {
    let place = Place::new();
    let file = place.write("a.jsonl", format!("{}\n{}\n", said("a"), said("b")));
    let plain = json_lines(&place.ok(&["append", &file]));
    let flagged = place.lines(&["append", &file]);
    let keys = |v: &Value| v.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>());
    assert_eq!(plain.iter().chain(&flagged).map(|v| v["seq"].as_u64()).collect::<Vec<_>>(), [1, 2, 3, 4].map(Some));
    assert!(plain.iter().chain(&flagged).all(|v| keys(v) == Some(vec!["id".to_owned(), "seq".to_owned()])));
}

#[test]
fn in_a_pipe_everything_is_plain_and_stored_text_commands_no_terminal() {
    let place = furnished();
    let backup = place.arg("b.gz");
    let commands: [&[&str]; 14] = [
        &["remember", "x"],
        &["get", "1"],
        &["get", "2"],
        &["log"],
        &["trace", "t1"],
        &["trace"],
        &["stats"],
        &["status"],
        &["spaces"],
        &["verify"],
        &["digest"],
        &["backup", &backup],
        &["doctor"],
        &["config", "show"],
    ];
    for args in commands {
        let shown = place.ok(args);
        let obeyed = shown.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(obeyed, None, "{args:?} prints a control character: {shown:?}");
        assert!(!shown.trim().is_empty(), "{args:?} says nothing");
    }
    let log = place.ok(&["log", "--limit", "3"]);
    assert!(log.contains("2025-01-17 12:00:00Z ✓ tool_call bob  one"), "{log}");
    assert!(log.contains("✗ error   [31mred [0m  #red"), "{log}");
    assert_eq!(
        text(&place.json(&["get", "2"]), "content"),
        "\u{1b}[31mred\u{1b}[0m\u{7}",
        "JSON keeps every character"
    );
}

/// Runs a command in a terminal, if the machine has the tool that makes one, in its Linux spelling.
fn in_terminal(place: &Place, variables: &[(&str, &str)], args: &str) -> Option<String> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let line = format!("{} {args}", env!("CARGO_BIN_EXE_idetic"));
    let mut command = place.command(&[]);
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(place.path("")).env_clear();
    script.envs(command.current_dir(".").get_envs().filter_map(|(k, v)| Some((k, v?))));
    script.env("SHELL", "/bin/sh").env("TERM", "xterm").envs(variables.iter().copied());
    let run = script.stdin(Stdio::null()).output().ok()?;
    Some(Answer::of(run).out)
}

#[test]
fn in_a_terminal_it_is_coloured_and_times_are_local() {
    let place = furnished();
    let berlin = [("TZ", "Europe/Berlin")];
    let Some(log) = in_terminal(&place, &berlin, "log") else {
        return say("the terminal test is skipped, there is no `script` command that makes one");
    };
    assert!(log.contains("\u{1b}[36mtool_call\u{1b}[0m"), "{log:?}");
    assert!(log.contains("2025-01-17 13:00:00") && !log.contains("13:00:00Z"), "noon in UTC is one in Berlin: {log}");
    let dull = |variables: &[(&str, &str)], args: &str| {
        let shown = in_terminal(&place, variables, args).expect("it ran above");
        assert!(!shown.contains('\u{1b}'), "{variables:?} {args}: {shown:?}");
        shown
    };
    dull(&[("NO_COLOR", "1")], "log");
    dull(&[("TERM", "dumb")], "log");
    assert_eq!(json_lines(&dull(&berlin, "log --json")).len(), 2, "JSON is for programs, in a terminal too");

    std::fs::write(place.home().join("config.toml"), "times = \"utc\"\ncolor = \"never\"\n").expect("written");
    assert!(dull(&berlin, "log").contains("2025-01-17 12:00:00Z"));
    place.append(&(0..60).map(|n| said(&n.to_string())).collect::<Vec<_>>());
    let many = dull(&[], "log");
    assert_eq!(many.lines().filter(|l| l.contains("user_input")).count(), 50, "a person is not flooded: {many}");
    assert!(many.contains("--limit 0 shows all"), "{many}");
    assert_eq!(json_lines(&place.ok(&["log", "--json"])).len(), 62, "a program gets all");
}

#[test]
fn an_operation_can_be_called_with_json_as_a_server_would() {
    let place = Place::new();
    let events = json!({"events": [{"kind": "user_input", "content": "a"}, {"kind": "error", "content": "b"}]});
    let acks = place.lines(&["call", "append", &events.to_string()]);
    assert_eq!(acks.iter().map(|a| a["seq"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2)]);
    place.ok(&["call", "remember", r#"{"text":"c","tags":["x"],"loop":"l"}"#]);
    let found = place.lines(&["call", "log", r#"{"tags":["x"],"loop":"l"}"#]);
    assert_eq!(found.iter().map(|e| text(e, "content")).collect::<Vec<_>>(), ["c"]);
    assert_eq!(place.json(&["call", "status"])["events"], 3);
    assert_eq!(place.json(&["call", "get", r#"{"event":"3","as_of":3}"#])["seq"], 3);
    place.run(&["call", "get", r#"{"event":"3","as_of":"banana"}"#]).refused(2);
    place.run(&["call", "remember", r#"{"text":"x","banana":1}"#]).refused(2);
    place.run(&["call", "remember", "not json"]).refused(2);
    place.run(&["call", "banana"]).refused(3);
    place.run(&["call", "restore", r#"{"file":"x"}"#]).refused(3);
    place.run(&["ops", "banana"]).refused(3);
    assert_eq!(place.events(), 3);
}
