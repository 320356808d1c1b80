//! `graph` as a person and a shell meet it.

use serde_json::json;

use super::place::Place;

fn furnished() -> Place {
    let place = Place::new();
    let event = |id: &str, kind: &str, details: serde_json::Value| {
        json!({"id": id, "kind": kind, "scope": "all", "summary": kind, "metadata": details}).to_string()
    };
    place.append(&[
        event("m1", "create", json!({"entity": "api", "path": "src/api", "_md": {"number": 1}})),
        event("m2", "create", json!({"entity": "web", "depends_on": "api"})),
        event("m3", "blocker", json!({"blocked_entity": "web", "blocking_entity": "\u{1b}[31mred"})),
    ]);
    place
}

#[test]
fn it_is_read_line_by_line() {
    let place = furnished();
    let all = "api  component active  evt-001  path: src/api\nweb  component blocked  m3\n[31mred  component active  m3\n\n\
               web -depends_on-> api  m2\n[31mred -blocks-> web  m3\n";
    assert_eq!(place.ok(&["graph"]), all);
    assert_eq!(place.ok(&["graph", "--status", "blocked"]), "web  component blocked  m3\n");
    assert_eq!(place.ok(&["graph", "--blocks", "api"]), "nothing blocks api\n");
    assert_eq!(place.ok(&["graph", "--path", "api", "web"]).lines().count(), 4);
    assert_eq!(place.ok(&["graph", "--recent", "1"]).lines().count(), 1);
    assert_eq!(place.json(&["graph", "--untested"])["nodes"][0]["node"], "api");
    assert_eq!(place.ok(&["graph", "--format", "json"]), place.ok(&["graph", "--json"]));
    let dot = place.ok(&["graph", "--format", "dot", "api"]);
    assert!(dot.contains("n2 -> n1 [label=\"depends_on\"];") && !dot.contains('\u{1b}'), "{dot}");
    assert_eq!(place.json(&["graph", "--format", "mermaid"])["format"], "mermaid");
}

#[test]
fn what_is_wrong_is_said_with_a_code() {
    let place = furnished();
    let (what, hint) = place.run(&["graph", "apy"]).refused(3);
    assert!(what.contains("no node 'apy'") && hint.contains("'api'"), "{what} {hint}");
    let (what, _) = place.run(&["graph", "api", "--orphans"]).refused(2);
    assert!(what.contains("two questions"), "{what}");
    place.run(&["graph", "--status", "asleep"]).refused(2);
    place.run(&["graph", "--format", "svg"]).refused(2);
    place.run(&["graph", "--path", "api"]).refused(2);
    assert!(Place::new().run(&["graph"]).code != 101);
}
