//! The files of coding agents: what is put in comes out again, and nothing else changes by a byte.

use idetic_clients::content::Planned;
use idetic_clients::message::{Happened, Message, OUTPUT_MAX_BYTES, answer};
use idetic_clients::{CLIENTS, Client, Content, Scope, Start, block, diff, jsonc, plan, table};
use proptest::prelude::*;

fn start() -> Start {
    Start { program: "/opt/my tools/idetic".to_owned(), flags: vec!["--agent".to_owned(), "ann".to_owned()] }
}

fn moved() -> Start {
    Start { program: "/usr/bin/idetic".to_owned(), flags: Vec::new() }
}

/// Every file of every client.
fn files(start: &Start) -> Vec<(&'static Client, Planned)> {
    let both = CLIENTS.iter().flat_map(|client| Scope::ALL.map(|scope| (client, scope)));
    both.flat_map(|(client, scope)| plan(client, scope, start).into_iter().map(move |file| (client, file))).collect()
}

/// Chances from a tape: what fails is cut down to the shortest tape that does.
struct Tape<'t>(std::slice::Iter<'t, u8>);

impl Tape<'_> {
    fn next(&mut self, below: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % below
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.next(from.len())]
    }

    /// What may stand between two parts of a JSON text.
    fn gap(&mut self) -> String {
        let gaps = ["", "", " ", "\n  ", "\n\t", "\r\n    ", "\n\n", " /* , } */ ", " // \"[\n", "\r\n// b,\r\n\t"];
        (0..self.next(3)).map(|_| self.pick(&gaps)).collect()
    }

    fn value(&mut self, depth: usize) -> String {
        match self.next(if depth > 3 { 3 } else { 5 }) {
            0 => self.pick(&["1", "-2.5e3", "true", "null"]).to_owned(),
            1 | 2 => self.pick(&["\"\"", "\"a \\\" // }\"", "\"\\u00e9é\"", "\"idetic\""]).to_owned(),
            3 => self.list(depth, Self::value),
            _ => self.object(depth),
        }
    }

    fn list(&mut self, depth: usize, item: fn(&mut Self, usize) -> String) -> String {
        let items = (0..self.next(4)).map(|_| item(self, depth + 1)).collect();
        self.around('[', items, ']')
    }

    fn object(&mut self, depth: usize) -> String {
        let keys = ["a", "b c", "é", "command", "x.y"];
        let members = (0..self.next(4)).map(|n| (format!("{}{n}", self.pick(&keys)), self.value(depth + 1)));
        let members: Vec<(String, String)> = members.collect();
        self.members(members)
    }

    fn members(&mut self, members: Vec<(String, String)>) -> String {
        let written = members.into_iter().map(|(key, value)| format!("\"{key}\"{}:{}{value}", self.gap(), self.gap()));
        let written = written.collect();
        self.around('{', written, '}')
    }

    fn around(&mut self, open: char, items: Vec<String>, close: char) -> String {
        let mut text = String::from(open);
        let count = items.len();
        for (number, item) in items.into_iter().enumerate() {
            text += &format!("{}{item}{}", self.gap(), self.gap());
            if number + 1 < count || self.next(3) == 0 {
                text.push(',');
            }
        }
        text += &self.gap();
        text.push(close);
        text
    }

    /// A configuration: some of what a client may have, in any order and layout.
    fn configuration(&mut self) -> String {
        let mut members = Vec::new();
        for key in ["theme", "mcpServers", "servers", "mcp", "hooks", "version", "last"] {
            if self.next(2) == 0 {
                continue;
            }
            let value = match key {
                "hooks" => {
                    let events = ["SessionStart", "stop", "AfterTool", "pre_user_prompt"];
                    let mut lists = Vec::new();
                    for event in events {
                        if self.next(2) > 0 {
                            lists.push((event.to_owned(), self.list(2, Self::hook)));
                        }
                    }
                    self.members(lists)
                }
                "mcpServers" | "servers" | "mcp" => self.object(1),
                "version" => "1".to_owned(),
                _ => self.value(1),
            };
            members.push((key.to_owned(), value));
        }
        let turn = self.next(members.len().max(1));
        members.rotate_left(turn);
        let mark = self.pick(&["", "\u{feff}"]);
        format!("{mark}{}{}{}", self.gap(), self.members(members), self.gap())
    }

    fn hook(&mut self, _: usize) -> String {
        self.pick(&[
            "{\"hooks\": [{\"type\": \"command\", \"command\": \"lint\"}]}",
            "{ \"command\": \"my hook claude Stop\" }",
            "{}",
        ])
        .to_owned()
    }

    /// A TOML text: tables, comments, and texts that look like tables.
    fn toml(&mut self) -> String {
        let lines = [
            "# a comment",
            "",
            "key = \"[mcp_servers.idetic]\"",
            "text = '''\n[mcp_servers.idetic]\n'''",
            "long = \"\"\"\\\"\n[mcp_servers.idetic]\n\"\"\"  # \"\"\"",
            "list = [\n  1, # ]\n  2,\n]",
            "[other]",
            "[ mcp_servers . \"git hub\" ] # here",
            "[mcp_servers.idetic2]",
            "[[mcp_servers.many]]",
        ];
        let end = self.pick(&["\n", "\r\n"]);
        let mut used = Vec::new();
        for _ in 0..self.next(12) {
            let at = self.next(lines.len());
            // A name may stand once only; a table of its own makes room for it again.
            if at < 2 || !used.contains(&at) {
                used.push(at);
            }
        }
        let mut text = used.iter().map(|at| lines[*at]).collect::<Vec<_>>().join("\n").replace('\n', end);
        text += self.pick(&["", end]);
        format!("{}{text}", self.pick(&["", "\u{feff}"]))
    }
}

fn json_file() -> Vec<(&'static Client, Content)> {
    let json = |(client, file): (&'static Client, Planned)| match file.content {
        Content::Json(_) => Some((client, file.content)),
        _ => None,
    };
    files(&start()).into_iter().filter_map(json).collect()
}

/// Whether one text is the other with something added.
fn is_added_to(before: &str, after: &str) -> bool {
    let mut all = after.bytes();
    before.bytes().all(|byte| all.any(|other| other == byte))
}

/// What must hold of every file, whatever was in it.
fn check(client: &Client, content: &Content, moved: &Content, before: &str) {
    let Ok(after) = content.put_in(Some(before)) else { panic!("{}: {before:?}", client.name) };
    assert!(is_added_to(before, &after), "{}: {before:?} lost something: {after:?}", client.name);
    assert_eq!(content.put_in(Some(&after)), Ok(after.clone()), "{}: twice is once: {before:?}", client.name);
    assert_eq!(content.is_in(&after), Ok(true), "{before:?}");
    assert_eq!(content.take_out(&after, Some(before)), Ok(Some(before.to_owned())), "{}: {after:?}", client.name);
    // Another version of the program moved it meanwhile.
    let again = moved.put_in(Some(&after)).expect("it can be put in again");
    assert_eq!(content.take_out(&again, Some(before)), Ok(Some(before.to_owned())), "{}: {again:?}", client.name);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_put_into_any_json_comes_out_to_the_byte(tape in prop::collection::vec(any::<u8>(), 0..200)) {
        let before = Tape(tape.iter()).configuration();
        let root = jsonc::parse(&before).expect("what was made is JSON");
        prop_assert!(root.is_some());
        for ((client, content), (_, moved)) in json_file().into_iter().zip(files(&moved()).into_iter().filter_map(|(c, f)| {
            matches!(f.content, Content::Json(_)).then_some((c, f.content))
        })) {
            check(client, &content, &moved, &before);
            // A user's own edit keeps the short way from being taken: the long way leads to the same bytes.
            let later = "\n// mine\n";
            let edited = content.put_in(Some(&before)).expect("as above") + later;
            let left = content.take_out(&edited, Some(&before));
            prop_assert_eq!(left, Ok(Some(format!("{before}{later}"))), "{} {:?}", client.name, edited);
        }
    }

    #[test]
    fn what_is_put_into_any_toml_comes_out_to_the_byte(tape in prop::collection::vec(any::<u8>(), 0..60)) {
        let before = Tape(tape.iter()).toml();
        let toml = |start: &Start| {
            let files = files(start).into_iter();
            files.map(|(_, file)| file.content).find(|content| matches!(content, Content::Toml(_))).expect("Codex")
        };
        let (content, codex) = (toml(&start()), table::find("codex").expect("known"));
        if content.is_in(&before).is_ok() {
            check(codex, &content, &toml(&moved()), &before);
            let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
            let edited = content.put_in(Some(&before)).expect("as above") + &format!("{end}[mine]{end}x = 1{end}");
            let left = content.take_out(&edited, Some(&before)).expect("it comes out").expect("something is left");
            prop_assert!(!left.lines().any(|line| line.contains("my tools")), "{left:?}");
            prop_assert!(left.starts_with(before.trim_end()) && left.ends_with(&format!("{end}[mine]{end}x = 1{end}")), "{left:?}");
        }
    }

    #[test]
    fn what_is_put_into_any_markdown_comes_out_to_the_byte(lines in prop::collection::vec("[a-z# ]{0,6}", 0..6), end in 0..3_usize) {
        let end = ["\n", "\r\n", ""][end];
        let before = lines.join(if end.is_empty() { "\n" } else { end }) + end;
        let after = block::put_in(&before);
        prop_assert_eq!(&block::put_in(&after), &after);
        prop_assert_eq!(block::take_out(&after), before.clone());
        prop_assert_eq!(block::take_out(&format!("{after}more{end}")), format!("{before}more{end}"));
    }
}

#[test]
fn a_file_that_was_not_there_is_gone_again() {
    for (client, file) in files(&start()) {
        let made = file.content.put_in(None).expect("nothing is easy to add to");
        assert_eq!(file.content.take_out(&made, None), Ok(None), "{}: {made}", client.name);
        let theirs = file.content.put_in(Some("")).expect("nor is an empty file");
        assert_eq!(file.content.take_out(&theirs, Some("")), Ok(Some(String::new())), "{}", client.name);
    }
}

#[test]
fn what_a_user_adds_later_stays() {
    let claude = table::find("claude").expect("known");
    let [servers, hooks] = &plan(claude, Scope::User, &start())[..] else { panic!("two files") };
    let made = servers.content.put_in(None).expect("made");
    let theirs = made.replace("\"mcpServers\": {", "\"mcpServers\": {\n    \"other\": {\"command\": \"x\"}, // mine");
    assert_eq!(
        servers.content.take_out(&theirs, None),
        Ok(Some("{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"} // mine\n  }\n}\n".to_owned()))
    );
    let own = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}}";
    let both = hooks.content.put_in(Some(own)).expect("added");
    let kept = hooks.content.take_out(&both.replace("say done", "say it"), Some(own)).expect("taken out");
    assert_eq!(kept, Some(own.replace("say done", "say it")));
    // What somebody added to our own entry stays while it is there, and goes with it.
    let env = made.replace("\"type\": \"stdio\"", "\"env\": {\"A\": \"b\"},\n      \"type\": \"stdio\"");
    let again = servers.content.put_in(Some(&env)).expect("added");
    assert_eq!(again, env);
    assert_eq!(servers.content.take_out(&env, None), Ok(None));
    // Somebody's own entry under our name comes back.
    let before = "{\n  \"mcpServers\": { \"idetic\": { \"command\": \"old\" } }\n}\n";
    let after = servers.content.put_in(Some(before)).expect("corrected");
    assert!(after.contains("/opt/my tools/idetic") && !after.contains("old"), "{after}");
    assert_eq!(servers.content.take_out(&after, Some(before)), Ok(Some(before.to_owned())));
}

fn claude_hooks(start: &Start) -> Content {
    plan(table::find("claude").expect("known"), Scope::User, start)[1].content.clone()
}

#[test]
fn what_a_user_adds_to_our_group_of_hooks_stays() {
    let hooks = claude_hooks(&moved());
    let made = hooks.put_in(None).expect("made");
    let ours = "\"command\": \"/usr/bin/idetic hook claude Stop\",\n            \"timeout\": 10\n          }";
    let theirs = "{ \"type\": \"command\", \"command\": \"notify-send done\" }";
    let both = made.replace(ours, &format!("{ours},\n          {theirs}"));
    assert_ne!(both, made);
    assert_eq!(hooks.put_in(Some(&both)), Ok(both.clone()));
    let again = claude_hooks(&start()).put_in(Some(&both)).expect("put in again");
    assert!(again.contains("notify-send done") && !again.contains("/usr/bin/idetic"), "{again}");
    let left = hooks.take_out(&again, None).expect("taken out").expect("something is left");
    let left: serde_json::Value = serde_json::from_str(&left).expect("JSON");
    let theirs: serde_json::Value = serde_json::from_str(theirs).expect("JSON");
    assert_eq!(left, serde_json::json!({"hooks": {"Stop": [{"hooks": [theirs]}]}}));
    // A group with something else said about it is somebody's, even if no hook is left in it.
    let stop = made.find("\"Stop\"").expect("there");
    let matched = [&made[..stop], &made[stop..].replacen("{\n", "{\n        \"matcher\": \"x\",\n", 1)].concat();
    assert_eq!(hooks.put_in(Some(&matched)), Ok(matched.clone()));
    let left = hooks.take_out(&matched, None).expect("taken out").expect("something is left");
    let left: serde_json::Value = serde_json::from_str(&left).expect("JSON");
    assert_eq!(left, serde_json::json!({"hooks": {"Stop": [{"matcher": "x", "hooks": []}]}}));
}

#[test]
fn a_hook_is_ours_by_its_whole_command_whatever_the_program_is_called() {
    let hooks = claude_hooks(&moved());
    let one = |command: &str| {
        serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
    };
    for (command, is_ours) in [
        ("/opt/bin/mem hook claude Stop", true),
        ("'/my tools/it'\\''s' hook claude Stop --agent 'ann & bob'", true),
        ("\"/my tools/idetic\" hook claude Stop", true),
        ("idetic hook claude Stop && notify-send done", false),
        ("idetic hook claude Stop; true", false),
        ("env A=b idetic hook claude Stop", false),
        ("idetic hook claude Stopped", false),
        ("idetic hook codex Stop", false),
        ("idetic 'hook claude Stop", false),
        ("hook claude Stop", false),
    ] {
        assert_eq!(hooks.is_in(&one(command)), Ok(is_ours), "{command}");
        let after = hooks.put_in(Some(&one(command))).expect("put in");
        let calls = after.matches("hook claude Stop").count();
        assert_eq!(calls == 1, is_ours || !command.contains("hook claude Stop"), "{after}");
    }
    // What was added twice by an earlier program goes with the one that is kept, and all of it comes out.
    let twice =
        one("/a/mem hook claude Stop\"}]},{\"hooks\":[{\"type\":\"command\",\"command\":\"/b/mem hook claude Stop");
    let twice = twice.replace("\\\"", "\"");
    let after = hooks.put_in(Some(&twice)).expect("put in");
    assert_eq!(after.matches("hook claude Stop\"").count(), 1, "{after}");
    assert_eq!(hooks.take_out(&twice, None), Ok(None));
    // Somebody's own hook under our name comes back, beside what was added meanwhile.
    let own = one("idetic hook claude Stop --agent me");
    let after = hooks.put_in(Some(&own)).expect("put in").replacen('{', "{\"a\": 1, ", 1);
    assert_eq!(hooks.take_out(&after, Some(&own)), Ok(Some(own.replacen('{', "{\"a\": 1, ", 1))));
}

fn codex_servers(start: &Start) -> Content {
    plan(table::find("codex").expect("known"), Scope::User, start)[0].content.clone()
}

#[test]
fn a_table_is_somebodys_own_unless_it_is_just_as_written() {
    let (ours, made) = (codex_servers(&moved()), codex_servers(&moved()).put_in(None).expect("made"));
    assert_eq!(ours.is_as_written(&made), Ok(true));
    let by_hand = format!("{made}env = {{ A = \"b\" }}\n\n[mcp_servers.idetic.tools]\nx = 1\n");
    assert_eq!(ours.is_as_written(&by_hand), Ok(false));
    let before = format!("a = 1\n\n{by_hand}\n# theirs\n[other]\n");
    let after = codex_servers(&start()).put_in(Some(&before)).expect("put in") + "\n[mine]\n";
    assert!(after.contains("/opt/my tools/idetic"), "{after}");
    let left = ours.take_out(&after, Some(&before)).expect("taken out").expect("something is left");
    assert!(left.contains("/usr/bin/idetic") && left.contains("A = \"b\"") && left.contains("x = 1"), "{left}");
    assert!(!left.contains("my tools") && left.ends_with("\n# theirs\n[other]\n\n[mine]\n"), "{left}");
    // What somebody writes behind our table is not ours.
    let noted = format!("{made}# my own note\n");
    assert_eq!(ours.take_out(&noted, None), Ok(Some("# my own note\n".to_owned())));
    for text in [
        "mcp_servers.idetic = { command = \"idetic\" }\n",
        "mcp_servers.idetic.command = \"idetic\"\n",
        "[mcp_servers]\nidetic = { command = \"idetic\" }\n",
    ] {
        let fault = ours.put_in(Some(text)).expect_err(text);
        assert!(fault.what.contains("write it under [mcp_servers.idetic]"), "{fault}");
    }
}

#[test]
fn how_the_program_is_started_is_read_from_every_file() {
    for (client, file) in files(&start()) {
        let made = file.content.put_in(None).expect("made");
        let is_block = matches!(file.content, Content::Block);
        assert_eq!(file.content.started_by(&made), Ok((!is_block).then(start)), "{}: {made}", client.name);
        assert_eq!(file.content.is_as_written(&made), Ok(true), "{}: {made}", client.name);
    }
    for (client, file) in files(&moved()) {
        let made = file.content.put_in(None).expect("made");
        let by_hand = made.replace("\"mcp\"]", "\"mcp\"], \"env\": {}").replace("hook ", "hook  ");
        if by_hand != made && matches!(file.content, Content::Json(_)) {
            assert_eq!(file.content.is_as_written(&by_hand), Ok(false), "{}: {by_hand}", client.name);
        }
    }
}

#[test]
fn a_marker_without_the_other_is_no_block() {
    let half = format!("{}\nmine\n", block::BEGIN);
    let after = block::put_in(&half);
    assert!(after.starts_with(&half), "{after}");
    assert_eq!(block::put_in(&after), after);
    assert_eq!(block::take_out(&after), half);
    assert_eq!(block::take_out(&half), half);
    assert_eq!(Content::Block.is_in(&half), Ok(false));
    let told = format!("Between `{}` and\n`{}` it is.\n", block::BEGIN, block::END);
    assert_eq!(block::take_out(&told), told);
}

#[test]
fn every_form_is_as_its_client_documents_it() {
    let written = |client: &str, number: usize| {
        let client = table::find(client).expect("known");
        plan(client, Scope::User, &moved())[number].content.put_in(None).expect("made")
    };
    assert_eq!(
        written("claude", 0),
        "{\n  \"mcpServers\": {\n    \"idetic\": {\n      \"type\": \"stdio\",\n      \"command\": \"/usr/bin/idetic\",\n      \
         \"args\": [\"mcp\"]\n    }\n  }\n}\n"
    );
    assert_eq!(written("codex", 0), "[mcp_servers.idetic]\ncommand = \"/usr/bin/idetic\"\nargs = [\"mcp\"]\n");
    assert!(written("opencode", 0).contains("\"command\": [\"/usr/bin/idetic\", \"mcp\"]"));
    assert!(written("vscode", 0).starts_with("{\n  \"servers\": {\n    \"idetic\": {\n      \"type\": \"stdio\""));
    let hooks: serde_json::Value = serde_json::from_str(&written("claude", 1)).expect("JSON");
    assert_eq!(
        hooks["hooks"]["PreCompact"][0]["hooks"][0],
        serde_json::json!({"type": "command", "command": "/usr/bin/idetic hook claude PreCompact", "timeout": 10})
    );
    let gemini: serde_json::Value = serde_json::from_str(&written("gemini", 0)).expect("JSON");
    assert_eq!(gemini["hooks"]["AfterTool"][0]["hooks"][0]["timeout"], 10_000);
    assert_eq!(gemini["mcpServers"]["idetic"]["args"], serde_json::json!(["mcp"]));
    let cursor: serde_json::Value = serde_json::from_str(&written("cursor", 1)).expect("JSON");
    assert_eq!(cursor["version"], 1);
    assert_eq!(cursor["hooks"]["stop"][0]["command"], "/usr/bin/idetic hook cursor stop");
}

#[test]
fn a_text_that_cannot_be_read_is_refused_with_its_place() {
    let gemini = &plan(table::find("gemini").expect("known"), Scope::User, &start())[0].content;
    for (text, place) in [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: ',' or '}' was expected"),
        ("{\"a\": tru}", "line 1, column 7: 'tru' is not a value"),
        ("{\"a\": \"x\n\"}", "line 1, column 7: this text has no end"),
        ("{} {}", "line 1, column 4: something follows the end of the value"),
        ("{ /* x", "line 1, column 3: this comment has no end"),
        ("[1]", "line 1, column 1: the whole should be an object"),
        ("{\n \"mcpServers\": []}", "line 2, column 16: mcpServers should be an object"),
        ("{\"hooks\": {\"AfterTool\": {}}}", "line 1, column 25: hooks.AfterTool should be a list"),
    ] {
        assert_eq!(gemini.put_in(Some(text)).expect_err(text).to_string(), place);
    }
    assert!(gemini.put_in(Some(&"[".repeat(100_000))).is_err(), "however deep it is");
    let codex = &plan(table::find("codex").expect("known"), Scope::User, &start())[0].content;
    let fault = codex.put_in(Some("a = 1\nb = \n")).expect_err("no value");
    assert_eq!((fault.line, fault.column), (2, 5), "{fault}");
    codex.put_in(Some("mcp_servers = { a = {} }\n")).expect_err("an inline table takes no more");
}

#[test]
fn a_difference_shows_what_changes_and_little_else() {
    let before: String = (0..40).map(|n| format!("line {n}\n")).collect();
    let after = before.replace("line 20\n", "line 20\nnew\n").replace("line 35\n", "");
    assert_eq!(
        diff::lines(&before, &after),
        "  line 18\n  line 19\n  line 20\n+ new\n  line 21\n  line 22\n  line 23\n…\n  line 32\n  line 33\n  line 34\n- line \
         35\n  line 36\n  line 37\n  line 38\n"
    );
    assert_eq!(diff::lines(&before, &before), "");
}

#[test]
fn what_each_client_tells_is_read() {
    let read = |client: &str, event: &str, text: &str| {
        Message::read(table::find(client).expect("known"), event, text.as_bytes())
    };
    let claude = read(
        "claude",
        "PostToolUse",
        r#"{"session_id":"s1","cwd":"/p","tool_name":"Bash","tool_input":{"command":"ls"},
            "tool_response":{"stdout":"a\nb","stderr":"","interrupted":false}}"#,
    )
    .expect("read");
    assert_eq!((claude.session.as_str(), claude.folder.as_deref()), ("s1", Some("/p")));
    let Happened::Used(used) = claude.happened else { panic!("a tool was used") };
    assert_eq!((used.input.as_str(), used.output.as_str(), used.failed), ("command: ls", "stdout:\na\nb", false));
    let Ok(Message { happened: Happened::Used(failed), .. }) =
        read("claude", "PostToolUseFailure", r#"{"session_id":"s","tool_name":"Bash","error":"exit 1"}"#)
    else {
        panic!("a tool failed")
    };
    assert_eq!((failed.output.as_str(), failed.failed), ("exit 1", true));
    let codex =
        read("codex", "Stop", r#"{"session_id":"s","turn_id":"t","last_assistant_message":"done"}"#).expect("read");
    assert_eq!((codex.turn.as_deref(), codex.happened), (Some("t"), Happened::Stopped("done".to_owned())));
    let cursor = read(
        "cursor",
        "beforeSubmitPrompt",
        r#"{"conversation_id":"c","generation_id":"g","prompt":"hi",
        "workspace_roots":["/w"]}"#,
    );
    let cursor = cursor.expect("read");
    assert_eq!((cursor.folder.as_deref(), cursor.happened), (Some("/w"), Happened::Asked("hi".to_owned())));
    let surf = read("windsurf", "pre_user_prompt", r#"{"trajectory_id":"w","tool_info":{"user_prompt":"go"}}"#);
    assert_eq!(surf.expect("read").happened, Happened::Asked("go".to_owned()));
    for (client, event, text) in [
        ("claude", "Stop", "{"),
        ("claude", "Stop", "[]"),
        ("claude", "Stop", r#"{"session_id":""}"#),
        ("claude", "Banana", r#"{"session_id":"s"}"#),
        ("vscode", "Stop", r#"{"session_id":"s"}"#),
    ] {
        read(client, event, text).expect_err(text);
    }
    let long = serde_json::json!({"session_id": "s", "tool_name": "Read", "tool_response": "é".repeat(1 << 20)});
    let Ok(Message { happened: Happened::Used(long), .. }) = read("claude", "PostToolUse", &long.to_string()) else {
        panic!("read")
    };
    assert!(long.output.len() <= OUTPUT_MAX_BYTES && long.output.contains("bytes are left out"));
}

#[test]
fn a_tool_that_failed_is_known_however_its_client_says_so() {
    let used = |input: serde_json::Value, output: serde_json::Value| {
        let said =
            serde_json::json!({"session_id": "s", "tool_name": "T", "tool_input": input, "tool_response": output});
        let read = Message::read(table::find("claude").expect("known"), "PostToolUse", said.to_string().as_bytes());
        let Ok(Message { happened: Happened::Used(used), .. }) = read else { panic!("{said}") };
        used
    };
    let failed = |output| used(serde_json::Value::Null, output).failed;
    for output in [
        serde_json::json!("Exit code: 101\nWall time: 1 s\nOutput:\nerror[E0308]"),
        serde_json::json!("running\nProcess exited with code 2\n"),
        serde_json::json!({"output": "no", "metadata": {"exit_code": 1}}),
        serde_json::json!({"llmContent": "Output: no\nExit Code: 1\nSignal: (none)"}),
        serde_json::json!([{"type": "text", "text": "Exit code 3"}]),
        serde_json::json!({"content": [], "isError": true}),
    ] {
        assert!(failed(output.clone()), "{output}");
    }
    let within = format!("{}Exit code: 1\n{}", "line\n".repeat(50), "line\n".repeat(50));
    for output in [
        serde_json::json!("Exit code: 0\nfine"),
        serde_json::json!({"metadata": {"exit_code": 0}, "output": "the exit code 1 is for checks"}),
        serde_json::json!({"file": {"content": "Exit code: 1"}}),
        serde_json::json!({"exit_code": 0, "output": "Exit code: 1"}),
        serde_json::json!({"isError": false, "text": "Exit code: 1"}),
        serde_json::json!(within),
    ] {
        assert!(!failed(output.clone()), "{output}");
    }
    for (input, gist) in [
        (serde_json::json!({"description": "list", "command": "ls -l\npwd"}), "ls -l"),
        (serde_json::json!({"command": ["bash", "-lc", "ls"]}), "bash -lc ls"),
        (serde_json::json!({"edits": [{"new_string": "b", "old_string": "a"}], "file_path": "a.rs"}), "a.rs"),
        (serde_json::json!({"todos": [{"status": "open", "content": "x"}]}), "content: x"),
        (serde_json::json!({"password": "hunter2", "username": "ann"}), "password: hunter2"),
        (serde_json::json!({}), ""),
    ] {
        assert_eq!(used(input.clone(), serde_json::Value::Null).gist, gist, "{input}");
    }
    let edited = used(serde_json::Value::Null, serde_json::json!({"filePath": "a.rs", "originalFile": "all of it"}));
    assert_eq!(edited.output, "filePath: a.rs");
}

#[test]
fn each_client_is_answered_in_its_own_form() {
    let said = |client: &str, event: &str| answer(table::find(client).expect("known"), event, "\"x\"");
    assert_eq!(
        said("claude", "SessionStart").as_deref(),
        Some(r#"{"hookSpecificOutput":{"additionalContext":"\"x\"","hookEventName":"SessionStart"}}"#)
    );
    assert_eq!(said("cursor", "sessionStart").as_deref(), Some(r#"{"additional_context":"\"x\""}"#));
    assert_eq!(said("windsurf", "pre_user_prompt"), None);
}

#[test]
fn the_gist_of_a_tool_s_input_is_one_line_however_it_is_written() {
    let client = table::find("claude").expect("known");
    let inputs =
        [serde_json::json!({"two\nlines": "x"}), serde_json::json!({"command": format!("echo {}", "a".repeat(9000))})];
    for input in inputs {
        let text = serde_json::json!({"session_id": "s", "tool_name": "T", "tool_input": input}).to_string();
        let message = Message::read(client, "PostToolUse", text.as_bytes()).expect("a message");
        let Happened::Used(tool) = message.happened else { panic!("{message:?}") };
        assert!(!tool.gist.is_empty() && !tool.gist.contains('\n'), "{:?}", tool.gist);
    }
}
