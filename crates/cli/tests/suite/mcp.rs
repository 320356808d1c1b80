//! MCP as real clients meet it: the official Python client, the inspector and the conformance tests, over both transports.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::peers::Peers;
use super::place::{Place, say};

const TOOLS: [&str; 10] =
    ["remember", "recall", "context", "get", "note", "fact", "episode", "trace", "graph", "forget"];

/// A call of every tool, in an order in which each finds what it asks for.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("remember", json!({"text": "the build needs Node 20", "id": "first", "trace": "t1"})),
        ("recall", json!({"query": "which Node does the build need"})),
        ("context", json!({"query": "Node build"})),
        ("get", json!({"event": "first"})),
        ("note", json!({"action": "write", "title": "Build with Node", "content": "Version 20"})),
        ("note", json!({"action": "search", "query": "Node"})),
        ("fact", json!({"action": "store", "text": "Ann lives in Brno"})),
        ("episode", json!({"action": "store", "goal": "Build it", "status": "success"})),
        ("trace", json!({"trace": "t1"})),
        ("graph", json!({})),
        ("forget", json!({"event": "first"})),
    ]
}

/// `idetic serve` on a port of its own.
pub struct Served {
    child: Child,
    pub url: String,
}

impl Served {
    pub fn start(place: &Place, arguments: &[&str]) -> Self {
        let arguments = [&["serve", "--listen", "127.0.0.1:0", "--log", "off"], arguments].concat();
        let mut child = place.command(&arguments).stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut url = String::new();
        let output = child.stdout.take().expect("it was piped");
        BufReader::new(output).read_line(&mut url).expect("it says where it listens");
        Self { child, url: url.trim().to_owned() }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `idetic mcp`, and a client that writes lines.
pub struct Spoken {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    id: u64,
}

impl Spoken {
    pub fn start(place: &Place, arguments: &[&str]) -> Self {
        Self::start_in(place, &place.path(""), arguments)
    }

    /// The same in the folder of a project.
    pub fn start_in(place: &Place, folder: &Path, arguments: &[&str]) -> Self {
        let mut command = place.command(&[&["mcp"], arguments].concat());
        let mut child = command
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("it was piped"));
        let mut spoken = Self { child, output, id: 0 };
        let hello =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        spoken.ask("initialize", hello);
        spoken.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        spoken
    }

    fn write(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().expect("its input is open");
        writeln!(input, "{line}").expect("it reads");
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        self.write(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}).to_string());
        let answer = self.read();
        assert_eq!(answer["id"], self.id, "{answer}");
        answer
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not protocol ({error}): {line:?}"))
    }

    /// The result of a call, which may be refused.
    pub fn try_call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone()
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_ne!(answer["result"]["isError"], true, "{tool}: {answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// Ends its input; what it says on standard error, and its exit code.
    fn end(mut self) -> (String, Option<i32>) {
        drop(self.child.stdin.take());
        let output = self.child.wait_with_output().expect("it ends");
        (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
    }
}

fn output(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {} {err} {out}", output.status);
    out.into_owned()
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_idetic")
}

#[test]
#[ignore = "needs packages of Python and npm: `cargo xtask ci` runs it"]
fn the_python_client_uses_every_tool_over_both_transports_in_both_revisions() {
    let peers = Peers::install();
    for (mode, revision) in [("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28"), ("auto", "2026-07-28")] {
        for transport in ["stdio", "http"] {
            let place = Place::new();
            let key = place.json(&["key", "create", "--name", "python", "--admin"])["key"].clone();
            let served = Served::start(&place, &[]);
            let home = place.home();
            let asked = match transport {
                "stdio" => {
                    json!({"command": [program(), "mcp", "--profile", "extended", "--home", home], "env": {}, "mode": mode, "calls": calls()})
                }
                _ => {
                    json!({"url": format!("{}/mcp?profile=extended", served.url), "key": key, "mode": mode, "calls": calls()})
                }
            };
            let saw: Value = serde_json::from_str(&output(&mut peers.client(&asked))).expect("JSON");
            let of = format!("{transport} {mode}: {saw}");
            assert_eq!((&saw["revision"], &saw["tools"]), (&json!(revision), &json!(TOOLS)), "{of}");
            // A client that adopts a revision without asking has not been told the name.
            assert!(saw["server"] == "idetic" || mode == "2026-07-28", "{of}");
            for (call, answer) in calls().iter().zip(saw["calls"].as_array().expect("answers")) {
                assert_eq!(answer["error"], false, "{call:?} {of}");
                assert!(answer["answer"].is_object(), "{call:?} {of}");
            }
            assert_eq!(saw["calls"][1]["answer"]["hits"][0]["id"], "first", "{of}");
            let resources = json!(["memory://context", "memory://note/build-with-node", "memory://trace/t1"]);
            assert_eq!(saw["resources"], resources, "{of}");
            assert_eq!(saw["prompts"], json!(["boot", "handoff", "advise"]), "{of}");
            assert!(saw["context"].as_str().is_some_and(|text| text.contains("Ann lives in Brno")), "{of}");
            assert!(saw["boot"].as_str().is_some_and(|text| text.contains("The task: build")), "{of}");
        }
    }
}

#[test]
#[ignore = "needs packages of Python and npm: `cargo xtask ci` runs it"]
fn the_inspector_lists_and_calls_every_tool_over_both_transports() {
    let peers = Peers::install();
    let place = Place::new();
    let served = Served::start(&place, &["--open"]);
    let home = place.arg("home");
    let stdio = [program(), "mcp", "--profile", "extended", "--home", &home];
    let url = format!("{}/mcp?profile=extended", served.url);
    for target in [&stdio[..], &[url.as_str()]] {
        let inspect = |more: &[String]| {
            let text = output(peers.inspector().args(target).args(more));
            serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("not JSON ({error}): {text}"))
        };
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<String>>();
        let listed = inspect(&words(&["--method", "tools/list", "--strict"]));
        let names: Vec<&str> =
            listed["tools"].as_array().expect("tools").iter().filter_map(|t| t["name"].as_str()).collect();
        assert_eq!(names, TOOLS);
        for (tool, mut arguments) in calls() {
            if target.len() == 1 && tool == "remember" {
                // Over stdio the project is known as well: under one id that would be another event.
                arguments["id"] = json!("second");
            }
            let mut more = words(&["--method", "tools/call", "--tool-name", tool]);
            for (name, value) in arguments.as_object().expect("arguments") {
                more.extend(["--tool-arg".to_owned(), format!("{name}={}", value.as_str().expect("a text"))]);
            }
            if target.len() == 1 && tool == "note" && arguments["action"] == "write" {
                // The other way it was written already, and a note is written once.
                more.extend(words(&["--tool-arg", "force=true", "--tool-arg", "id=again"]));
            }
            let called = inspect(&more);
            assert_ne!(called["isError"], true, "{tool} {arguments}: {called}");
            assert!(called["structuredContent"].is_object(), "{tool}: {called}");
        }
        let resources = inspect(&words(&["--method", "resources/list"]));
        assert_eq!(resources["resources"][0]["uri"], "memory://context");
        let prompts = inspect(&words(&["--method", "prompts/list"]));
        assert_eq!(prompts["prompts"].as_array().map(Vec::len), Some(3));
    }
}

/// What the conformance tests of a revision find: those that fail, with how many of their checks, and how many pass.
fn failing(peers: &Peers, url: &str, revision: &str, results: &Path) -> (Vec<String>, usize) {
    let mut command = peers.conformance();
    command.args(["--url", url, "--suite", "all", "--spec-version", revision, "-o"]).arg(results);
    let output = command.stdin(Stdio::null()).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let summary = text.split("=== SUMMARY ===").nth(1).unwrap_or_else(|| panic!("no summary: {text}"));
    let (mut failing, mut passing) = (Vec::new(), 0);
    for line in summary.lines() {
        match line.trim().split_once(' ') {
            Some(("✗", rest)) => {
                let name = rest.split(':').next().unwrap_or(rest);
                let count = rest.split(' ').rev().nth(1).unwrap_or_default();
                failing.push(format!("{name}: {count}"));
            }
            Some(("✓", _)) => passing += 1,
            _ => {}
        }
    }
    (failing, passing)
}

#[test]
#[ignore = "needs packages of Python and npm: `cargo xtask ci` runs it"]
fn the_official_conformance_tests_fail_only_where_the_document_says_why() {
    let peers = Peers::install();
    let place = Place::new();
    let served = Served::start(&place, &["--open"]);
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mcp.md");
    let document = std::fs::read_to_string(document).expect("it is there");
    for revision in ["2025-11-25", "2026-07-28"] {
        let (failing, passing) = failing(&peers, &format!("{}/mcp", served.url), revision, &place.path(revision));
        // The rows of the table name a scenario, and each revision in which some of its checks are not passed.
        let mut explained: Vec<String> = document
            .lines()
            .filter_map(|line| {
                let (name, rest) = line.strip_prefix("| `")?.split_once('`')?;
                let count = rest.split_once(&format!("{revision} ("))?.1.split(')').next()?;
                Some(format!("{name}: {count}"))
            })
            .collect();
        explained.sort();
        let mut failing = failing;
        failing.sort();
        assert_eq!(failing, explained, "{revision}");
        say(&format!("figure: MCP conformance {revision}: {passing} scenarios pass, {} do not apply", failing.len()));
        assert!(passing >= 8, "{revision}: {passing} pass");
    }
}

#[test]
fn standard_output_carries_the_protocol_and_the_end_of_input_is_a_good_end() {
    let place = Place::new();
    let mut spoken = Spoken::start(&place, &[]);
    let told = spoken.ask("tools/list", json!({}));
    let names: Vec<&str> =
        told["result"]["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["recall", "remember", "get", "advise", "forget"]);
    spoken.write("no message of the protocol");
    spoken.call("remember", json!({"text": "tea"}));
    assert_eq!(spoken.ask("ping", json!({}))["result"], json!({}));
    assert_eq!(spoken.end(), (String::new(), Some(0)));
    // Nobody there at all.
    assert_eq!(place.feed(&["mcp"], "").code, 0);
}

#[test]
fn a_signal_is_a_good_end_too() {
    let place = Place::new();
    let mut spoken = Spoken::start(&place, &[]);
    spoken.call("remember", json!({"text": "tea"}));
    let killed = Command::new("kill").arg(spoken.child.id().to_string()).status().expect("kill is there");
    assert!(killed.success());
    let deadline = Instant::now() + Duration::from_secs(20);
    let ended = loop {
        match spoken.child.try_wait().expect("it is our child") {
            Some(status) => break status,
            None => assert!(Instant::now() < deadline, "it does not end"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(ended.code(), Some(0));
    assert_eq!(place.events(), 1);
}

#[test]
fn an_agent_that_is_named_sees_its_own_and_what_is_shared() {
    let place = Place::new();
    place.ok(&["remember", "for all to see", "--id", "shared"]);
    place.ok(&["remember", "a secret of eve", "--agent", "eve", "--id", "foreign"]);
    let mut spoken = Spoken::start(&place, &["--agent", "bot", "--profile", "full"]);
    let kept = spoken.call("remember", json!({"text": "what bot keeps"}));
    let shown = place.json(&["get", kept["id"].as_str().expect("an id")]);
    assert_eq!((&shown["agent_id"], &shown["persona"]), (&json!("bot"), &json!("actor")));
    let seen = spoken.call("log", json!({}));
    assert_eq!(seen["items"].as_array().map(Vec::len), Some(2), "{seen}");
    assert!(!seen.to_string().contains("secret"), "{seen}");
    assert_eq!(spoken.end(), (String::new(), Some(0)));
}

#[test]
fn every_request_that_is_piped_in_is_answered_before_the_end() {
    const REQUESTS: usize = 300;
    let place = Place::new();
    let hello =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}).to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
    ];
    lines.extend((0..REQUESTS).map(|n| {
        let params = json!({"name": "remember", "arguments": {"text": format!("line {n}")}});
        json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}).to_string()
    }));
    let mut child = place
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("it was piped");
    let writer = std::thread::spawn(move || input.write_all(lines.join("\n").as_bytes()).expect("it reads"));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("everything was written");
    assert_eq!(output.status.code(), Some(0));
    let answers = String::from_utf8_lossy(&output.stdout);
    let ids: std::collections::HashSet<String> =
        answers.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].to_string()).collect();
    assert_eq!(ids.len(), REQUESTS + 1, "each request, and the greeting");
    assert_eq!(place.lines(&["export"]).iter().filter(|line| line["body"]["content"].is_string()).count(), REQUESTS);
}
