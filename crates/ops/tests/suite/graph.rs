//! The graph of a space: each rule through real appends, every question, the past, other programs' languages.

use idetic_ops::Kind;
use serde_json::{Value, json};

use crate::hermetic::Hermetic;

const SPACE: &str = "local/x";

fn happened(home: &Hermetic, kind: &str, scope: &str, details: &Value) -> String {
    let record = json!({"kind": kind, "scope": scope, "summary": format!("{kind} of {scope}"), "metadata": details});
    home.append(SPACE, &[record.to_string()]);
    let last = home.call(SPACE, "log", r#"{"reverse":true,"limit":1}"#).expect("answers");
    serde_json::from_str::<Value>(&last[0]).expect("JSON")["id"].as_str().expect("an id").to_owned()
}

fn ask(home: &Hermetic, arguments: &Value) -> Value {
    let lines =
        home.call(SPACE, "graph", &arguments.to_string()).unwrap_or_else(|error| panic!("{arguments}: {error}"));
    assert_eq!(lines.len(), 1);
    serde_json::from_str(&lines[0]).expect("JSON")
}

/// The names of the nodes of an answer.
fn names(answer: &Value) -> Vec<&str> {
    answer["nodes"].as_array().expect("nodes").iter().map(|node| node["node"].as_str().expect("a name")).collect()
}

/// The edges of an answer.
fn ties(answer: &Value) -> Vec<String> {
    let tie = |edge: &Value| {
        let part = |key: &str| edge[key].as_str().expect("a text").to_owned();
        format!("{} -{}-> {}", part("from"), part("relation"), part("to"))
    };
    answer["edges"].as_array().expect("edges").iter().map(tie).collect()
}

fn node(home: &Hermetic, name: &str) -> Value {
    let answer = ask(home, &json!({"node": name, "depth": 0}));
    assert_eq!(names(&answer), [name]);
    answer["nodes"][0].clone()
}

/// A small project: six events, and one that nobody but its writer should see.
fn project() -> Hermetic {
    let home = Hermetic::new();
    happened(&home, "create", "api", &json!({"entity": "api", "path": "src/api", "_md": {"number": 1}}));
    happened(&home, "create", "web", &json!({"entity": "web", "depends_on": "api", "_md": {"number": 2}}));
    happened(&home, "dependency", "api", &json!({"entity": "sqlite", "version": "3.50"}));
    happened(&home, "test", "api", &json!({"target": "api", "result": "pass", "coverage": "91%"}));
    happened(&home, "blocker", "api", &json!({"blocked_entity": "api", "blocking_entity": "schema"}));
    happened(&home, "create", "docs", &json!({"entity": "README.md", "type": "document"}));
    let secret = json!({"kind": "create", "scope": "s", "tags": ["private"], "metadata": {"entity": "secret-plan"}});
    let doubt = json!({"kind": "create", "scope": "s", "agent_id": "a", "persona": "subconscious", "metadata": {"entity": "doubt"}});
    let plain = json!({"kind": "create", "metadata": {"entity": "no scope"}});
    home.append(SPACE, &[secret.to_string(), doubt.to_string(), plain.to_string()]);
    home
}

#[test]
fn the_whole_graph_stands_in_the_order_it_was_made() {
    let home = project();
    let all = ask(&home, &json!({}));
    assert_eq!(names(&all), ["api", "web", "sqlite", "schema", "README.md"]);
    assert_eq!(ties(&all), ["web -depends_on-> api", "api -depends_on-> sqlite", "schema -blocks-> api"]);
    assert_eq!(all["as_of"], 9);
    let api = &all["nodes"][0];
    assert_eq!((&api["type"], &api["status"], &api["seq"]), (&json!("component"), &json!("blocked"), &json!(5)));
    assert_eq!((&api["created_evt"], &api["last_evt"]), (&json!("evt-001"), &Value::Null));
    let attributes = json!([["path", "src/api"], ["test_result", "pass"], ["coverage", "91%"]]);
    assert_eq!(api["attributes"], attributes);
    assert_eq!(names(&ask(&home, &json!({"status": "blocked"}))), ["api"]);
    assert_eq!(names(&ask(&home, &json!({"type": "document"}))), ["README.md"]);
    assert_eq!(names(&ask(&home, &json!({"type": "skill"}))), Vec::<&str>::new());
}

#[test]
fn every_question_has_its_answer() {
    let home = project();
    let of = |arguments: Value| {
        let answer = ask(&home, &arguments);
        (names(&answer).join(" "), ties(&answer).join("; "))
    };
    let said = |nodes: &str, edges: &str| (nodes.to_owned(), edges.to_owned());
    assert_eq!(of(json!({"blocks": "api"})), said("api schema", "schema -blocks-> api"));
    assert_eq!(of(json!({"blocks": "web"})), said("", ""));
    assert_eq!(of(json!({"depends_on": "sqlite"})), said("api sqlite", "api -depends_on-> sqlite"));
    let deep = said("api web sqlite", "web -depends_on-> api; api -depends_on-> sqlite");
    assert_eq!(of(json!({"depends_on": "sqlite", "deep": true})), deep);
    let path = said("web api schema", "web -depends_on-> api; schema -blocks-> api");
    assert_eq!(of(json!({"path": ["web", "schema"]})), path);
    assert_eq!(of(json!({"path": ["web", "README.md"]})), said("", ""));
    assert_eq!(of(json!({"recent": 2})), said("README.md api", ""));
    assert_eq!(of(json!({"untested": true})), said("web schema", ""));
    assert_eq!(of(json!({"orphans": true})), said("README.md", ""));
    assert_eq!(of(json!({"orphans": true, "type": "task"})), said("", ""));
    assert_eq!(of(json!({"node": "web"})), said("api web", "web -depends_on-> api"));
    let around = ask(&home, &json!({"node": "web", "depth": 2}));
    assert_eq!(names(&around), ["api", "web", "sqlite", "schema"]);
    let steps: Vec<&Value> = around["nodes"].as_array().expect("nodes").iter().map(|node| &node["distance"]).collect();
    assert_eq!(steps, [&json!(1), &json!(0), &json!(2), &json!(2)]);
}

#[test]
fn a_fix_frees_what_was_blocked_and_the_past_remains() {
    let home = project();
    let blocker = happened(&home, "blocker", "web", &json!({"blocked_entity": "web", "blocking_entity": "schema"}));
    let fix = json!({"kind": "fix", "scope": "schema", "refs": [blocker], "metadata": {"symptom": "x"}});
    home.append(SPACE, &[fix.to_string()]);
    assert_eq!(node(&home, "web")["status"], "active");
    assert_eq!(ties(&ask(&home, &json!({"blocks": "api"}))), ["schema -blocks-> api"], "another blocker's edge stays");
    happened(&home, "fix", "schema", &json!({"entity": "schema", "resolution": "migrated"}));
    assert_eq!(node(&home, "api")["status"], "active");
    assert_eq!(ties(&ask(&home, &json!({}))).len(), 2);
    assert_eq!(ties(&ask(&home, &json!({"as_of": 10}))).len(), 4);
    assert_eq!(names(&ask(&home, &json!({"as_of": 1}))), ["api"]);
    assert_eq!(names(&ask(&home, &json!({"as_of": 0}))), Vec::<&str>::new());
    let gone = home.call(SPACE, "graph", r#"{"node":"web","as_of":1}"#).expect_err("not yet there");
    assert_eq!(gone.kind, Kind::NotFound);
    let (live, digest) = (ask(&home, &json!({})), home.call(SPACE, "digest", "{}").expect("answers"));
    home.call(SPACE, "rebuild", "{}").expect("rebuilds");
    assert_eq!((live, digest), (ask(&home, &json!({})), home.call(SPACE, "digest", "{}").expect("answers")));
}

#[test]
fn every_type_of_event_does_what_its_rule_says() {
    let home = project();
    happened(&home, "modify", "web", &json!({"entity": "web", "status": "completed", "port": "80"}));
    assert_eq!(
        (&node(&home, "web")["status"], &node(&home, "web")["attributes"]),
        (&json!("completed"), &json!([["port", "80"]]))
    );
    happened(&home, "delete", "web", &json!({"entity": "web"}));
    assert_eq!(node(&home, "web")["status"], "deprecated");
    happened(&home, "decision", "all", &json!({"entity": "api", "attribute": "store", "to": "sqlite"}));
    assert_eq!(node(&home, "decision-of-all")["type"], "decision");
    assert!(
        ties(&ask(&home, &json!({"node": "decision-of-all"})))
            .contains(&"decision-of-all -implements-> api".to_owned())
    );
    happened(&home, "milestone", "all", &json!({"name": "Beta"}));
    assert_eq!(node(&home, "Beta")["status"], "completed");
    happened(&home, "create", "all", &json!({"task": "ship", "assignee": "ann"}));
    let handed =
        happened(&home, "handoff", "ship", &json!({"from_agent": "ann", "to_agent": "bob", "phase": "release"}));
    assert_eq!(node(&home, "ship")["attributes"], json!([["assignee", "bob"], ["phase", "release"]]));
    happened(&home, "result", "all", &json!({"task": "ship", "status": "completed"}));
    assert_eq!(node(&home, "ship")["status"], "completed");
    for kind in ["escalation", "archive", "session"] {
        happened(&home, kind, "ship", &json!({"entity": "new one", "reason": "x"}));
    }
    assert!(!names(&ask(&home, &json!({}))).contains(&"new one"));
    let scoped = happened(&home, "change", "ship, nothing we know", &json!({"what": "words"}));
    assert_eq!(node(&home, "ship")["last"], json!(scoped));
    assert_ne!(handed, scoped);
}

#[test]
fn a_question_that_cannot_be_meant_is_refused() {
    let home = project();
    for (wrong, why) in [
        (json!({"node": "api", "blocks": "api"}), "two questions"),
        (json!({"untested": true, "orphans": true}), "two questions"),
        (json!({"depth": 2}), "--depth cannot be used with the whole graph"),
        (json!({"deep": true, "path": ["api", "web"]}), "--deep cannot be used with --path"),
        (json!({"status": "active", "node": "api"}), "--status cannot be used with NODE"),
        (json!({"path": ["api"]}), "needs two nodes"),
        (json!({"format": "png"}), "format 'png' is not known"),
        (json!({"status": "odd"}), "status 'odd' is not known"),
        (json!({"type": "odd"}), "type 'odd' is not known"),
    ] {
        let error = home.call(SPACE, "graph", &wrong.to_string()).expect_err("refused");
        assert!(error.kind == Kind::Invalid && error.message.contains(why), "{wrong}: {error}");
    }
    for unknown in [json!({"node": "READ.md"}), json!({"blocks": "READ.md"}), json!({"path": ["api", "READ.md"]})] {
        let error = home.call(SPACE, "graph", &unknown.to_string()).expect_err("refused");
        assert_eq!((error.kind, error.message.as_str()), (Kind::NotFound, "there is no node 'READ.md'"));
        assert!(error.hint.contains("similar nodes: 'README.md'"), "{}", error.hint);
    }
}

/// Whether every quoted string of a line ends, and how many there are.
fn quotes(line: &str) -> Option<usize> {
    let (mut inside, mut count, mut chars) = (false, 0, line.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' if inside => drop(chars.next()?),
            '"' => (inside, count) = (!inside, count + 1),
            _ => {}
        }
    }
    (!inside).then_some(count / 2)
}

#[test]
fn names_of_any_kind_are_only_labels_in_other_languages() {
    let home = Hermetic::new();
    let hostile =
        ["a\"]; evil -> b; \"", "back\\slash\\", "</data><x>&amp;", "x[\"y\"] --> z;", "#quot;`%%{init}%%`", "\\N\\G"];
    happened(&home, "create", "s", &json!({"entity": hostile.map(|name| name.replace(',', " "))}));
    let adopted = json!({"kind": "graph.adopted", "metadata": {"nodes": [{"name": "line\nbreak\u{1b}[31m\u{ffff}", "type": "file"}],
        "edges": [{"from": "line\nbreak\u{1b}[31m\u{ffff}", "to": hostile[1], "relation": "references", "attributes": [["", "<&\">"]]}]}});
    home.append(SPACE, &[adopted.to_string()]);
    let drawn = |format: &str| {
        let answer = ask(&home, &json!({"format": format}));
        assert_eq!(answer["format"], format);
        answer["text"].as_str().expect("a text").to_owned()
    };
    let dot = drawn("dot");
    assert!(dot.starts_with("digraph idetic {\n") && dot.ends_with("}\n") && !dot.contains('\u{1b}'), "{dot}");
    for line in dot.lines().filter(|line| line.contains('"')) {
        assert!(quotes(line) == Some(1) && line.ends_with("];"), "{line}");
    }
    assert_eq!(dot.lines().filter(|line| line.contains(" -> n")).count(), 1, "{dot}");
    let mermaid = drawn("mermaid");
    let boxes: Vec<&str> = mermaid.lines().filter(|line| line.contains("[\"")).collect();
    assert_eq!(boxes.len(), 7);
    assert!(boxes.iter().all(|line| line.matches('"').count() == 2 && !line.contains('`')), "{mermaid}");
    assert_eq!(mermaid.lines().filter(|line| line.contains("-->")).count(), 1, "{mermaid}");
    let xml = drawn("graphml");
    let (mut open, mut rest) = (Vec::new(), xml.as_str());
    while let Some(at) = rest.find('<') {
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{xml}"),
            None if tag.starts_with('?') || tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap_or_default()),
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(xml.chars().all(|c| (!c.is_control() || c == '\n') && c != '\u{ffff}'));
    assert!(xml.contains("&lt;/data&gt;&lt;x&gt;&amp;amp;") && xml.contains("&lt;&amp;&quot;&gt;"), "{xml}");
    assert_eq!(names(&ask(&home, &json!({"format": "json"}))).len(), 7);
}

#[test]
fn the_graph_can_be_asked_in_sql() {
    let home = project();
    let rows = |sql: &str| {
        let lines = home.call(SPACE, "query", &json!({ "sql": sql }).to_string()).expect(sql);
        serde_json::from_str::<Value>(&lines[0]).expect("JSON")["rows"].clone()
    };
    assert_eq!(rows("SELECT node FROM nodes WHERE status = 'blocked'"), json!([{"node": "api"}]));
    assert_eq!(rows("SELECT target FROM edges WHERE source = 'web'"), json!([{"target": "api"}]));
    let numbered = rows("SELECT number, type, scope FROM changelog WHERE number IS NOT NULL ORDER BY number DESC");
    assert_eq!(numbered[0], json!({"number": 2, "type": "create", "scope": "web"}));
}
