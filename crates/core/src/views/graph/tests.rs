//! Given events of a changelog, when they are folded, then this is the graph.

mod properties;

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::*;
use crate::chain::Secret;
use crate::views::{Shape, Table, Value};
use crate::{Record, SpaceId, Time, Tip};

/// The rows of all tables, as a store holds them: by table and key, with the seq they were born at.
#[derive(Default, Clone, PartialEq, Debug)]
struct Rows(BTreeMap<Key, (u64, Vec<Value>)>);

type Key = (&'static str, Vec<Value>);

fn key_of(table: &Table) -> usize {
    let Shape::Entity { key } = table.shape else { panic!("{} is no entity", table.name) };
    key
}

impl Rows {
    /// Folds one event.
    fn take(&mut self, event: &Event) {
        let changes = fold(event, &mut |table, key| {
            assert_eq!(key.len(), key_of(table), "a row is looked up by its whole key");
            self.0.get(&(table.name, key.to_vec())).map(|(_, row)| row.clone())
        });
        let mut put = Vec::new();
        for change in changes {
            let Change::Put(table, row) = change else { panic!("rows are only put") };
            assert_eq!(row.len(), table.columns.len());
            let key = (table.name, row[..key_of(table)].to_vec());
            assert!(!put.contains(&key), "{key:?} is put twice by one event");
            put.push(key.clone());
            self.0.insert(key, (event.seq(), row));
        }
    }

    fn of(&self, table: &'static Table) -> impl Iterator<Item = &[Value]> {
        self.0.iter().filter(|((name, _), _)| *name == table.name).map(|(_, (_, row))| row.as_slice())
    }

    fn nodes(&self) -> Vec<Node> {
        self.of(&NODES).map(Node::of).collect()
    }

    fn edges(&self) -> Vec<Edge> {
        self.of(&EDGES).map(Edge::of).collect()
    }

    fn node(&self, name: &str) -> Node {
        self.nodes().into_iter().find(|node| node.node == name).unwrap_or_else(|| panic!("there is no {name}"))
    }

    fn entry(&self, id: &str) -> GraphEvent {
        self.of(&ENTRIES).map(GraphEvent::of).find(|entry| entry.event == id).expect("an entry")
    }

    /// The edges there are, as `from -relation-> to`.
    fn ties(&self) -> Vec<String> {
        let edges = self.edges().into_iter().filter(|edge| !edge.gone);
        edges.map(|edge| format!("{} -{}-> {}", edge.from, edge.relation.word(), edge.to)).collect()
    }

    /// The nodes there are, as `name type status`.
    fn stand(&self) -> Vec<String> {
        let said = |node: Node| format!("{} {} {}", node.node, node.kind.word(), node.status.word());
        self.nodes().into_iter().map(said).collect()
    }
}

/// Events under the ids `e1`, `e2`…
fn events(records: &[Json]) -> Vec<Event> {
    let mut tip = Tip::empty(SpaceId([1; 16]));
    let seal = |record: &Json| {
        let record = Record::parse(record.to_string().as_bytes()).expect("a valid record");
        let secret = Secret { salt: [0; 32], body: record.body };
        let stored = tip.seal(format!("e{}", tip.seq + 1), record.claim.kind, secret, Time(0));
        tip = stored.tip();
        Event::read(&stored).expect("reads")
    };
    records.iter().map(seal).collect()
}

fn graph(records: &[Json]) -> Rows {
    let mut rows = Rows::default();
    events(records).iter().for_each(|event| rows.take(event));
    rows
}

/// An event of a changelog.
fn of(kind: &str, details: Json) -> Json {
    json!({"kind": kind, "scope": "somewhere", "summary": format!("A {kind} happened"), "metadata": details})
}

fn attributes(node: &Node) -> Vec<String> {
    node.attributes.iter().map(|(name, value)| format!("{name}: {value}")).collect()
}

#[test]
fn create_adds_a_row_and_modify_updates_it() {
    let rows = graph(&[
        of("create", json!({"entity": "`auth_module`", "path": "src/auth.rs", "purpose": "logins", "reason": "told"})),
        of(
            "modify",
            json!({"entity": "auth_module", "status": "Done", "path": "src/auth/", "changes": ["a", "b"], "port": 8080}),
        ),
        of("change", json!({"entity": "auth_module", "attribute": "owner", "from": "ann", "to": "bob"})),
    ]);
    let node = rows.node("auth_module");
    assert_eq!((node.kind, node.status), (NodeType::Component, NodeStatus::Completed));
    assert_eq!((node.created.as_deref(), node.last.as_deref()), (Some("e1"), Some("e3")));
    assert_eq!(attributes(&node), ["path: src/auth/", "purpose: logins", "port: 8080", "owner: bob"]);
    assert_eq!(rows.stand(), ["auth_module component completed"]);
}

#[test]
fn a_created_node_is_what_it_is_said_to_be() {
    let rows = graph(&[
        of("create", json!({"entity": "a", "type": "Task", "status": "planned", "assignee": "ann", "phase": "build"})),
        of("create", json!({"task": "Write the docs", "priority": "high"})),
        of("create", json!({"name": "README.md", "type": "document"})),
        json!({"kind": "create", "summary": "x", "scope": "-", "metadata": {"skill": "name setup; prose that names nothing"}}),
        of("create", json!({"entity": "s, p", "kind": "skill", "part_of": "pack-1"})),
        of("create", json!({"entity": "pack-1", "type": "pack"})),
        of("create", json!({"entity": "odd", "type": "gizmo"})),
    ]);
    assert_eq!(
        rows.stand(),
        [
            "README.md document active",
            "Write the docs task active",
            "a task planned",
            "odd component active",
            "p skill active",
            "pack-1 pack active",
            "s skill active"
        ]
    );
    assert_eq!(rows.ties(), ["p -part_of-> pack-1", "s -part_of-> pack-1"]);
    assert_eq!(attributes(&rows.node("a")), ["assignee: ann", "phase: build"]);
    assert_eq!(attributes(&rows.node("odd")), ["type: gizmo"]);
    assert_eq!(rows.node("pack-1").created.as_deref(), Some("e5"), "it was first named there");
}

#[test]
fn delete_deprecates_and_create_brings_back() {
    let mut records = vec![of("create", json!({"entity": "a"})), of("delete", json!({"entity": "a", "reason": "old"}))];
    assert_eq!(graph(&records).stand(), ["a component deprecated"]);
    records.push(of("create", json!({"entity": "a"})));
    assert_eq!(graph(&records).stand(), ["a component active"]);
    assert_eq!(graph(&[of("delete", json!({"entity": "never made"}))]).stand(), ["never made component deprecated"]);
}

#[test]
fn a_decision_is_a_node_that_implements_what_it_affects() {
    let decision = |summary: &str, details: Json| json!({"kind": "decision", "scope": "s", "summary": summary, "metadata": details});
    let rows = graph(&[
        decision(
            "Use RS256, not HS256, for all of our tokens",
            json!({"entity": "auth", "attribute": "algorithm", "from": "HS256", "to": "RS256", "rationale": "keys rotate"}),
        ),
        decision("Use RS256, not HS256, for all modules", json!({"entity": "billing"})),
        decision("Anything", json!({"name": "Ship, then polish", "affects": "auth"})),
        decision("Names nothing", json!({"rationale": "why not"})),
        decision("!", json!({"entity": "auth", "attribute": "status", "to": "completed"})),
    ]);
    let names: Vec<String> =
        rows.nodes().into_iter().filter(|n| n.kind == NodeType::Decision).map(|n| n.node).collect();
    let [own, one, four, two, three] = &names[..] else { panic!("{names:?}") };
    assert_eq!(four, "names-nothing", "its summary names it");
    assert_eq!((own.as_str(), two.as_str()), ("Ship, then polish", "use-rs256-not-hs256-for-all"));
    assert!(three.starts_with("use-rs256-not-hs256-for-all-") && three.len() == two.len() + 7, "{three}");
    assert!(one.starts_with("decision-"), "{one}");
    assert_eq!(attributes(&rows.node("auth")), ["algorithm: RS256"]);
    assert_eq!(rows.node("auth").status, NodeStatus::Completed);
    let ties = rows.ties();
    assert!(ties.contains(&"use-rs256-not-hs256-for-all -implements-> auth".to_owned()), "{ties:?}");
    assert!(ties.contains(&format!("{three} -implements-> billing")), "{ties:?}");
    assert_eq!(ties.len(), 5);
}

#[test]
fn a_dependency_is_a_node_that_others_depend_on() {
    let rows = graph(&[
        of("create", json!({"entity": "api"})),
        json!({"kind": "dependency", "scope": "api, unknown area", "summary": "x", "metadata": {"entity": "jsonwebtoken, bcrypt", "version": "9.0", "reason": "signing"}}),
        of("dependency", json!({"entity": "bcrypt", "version": "9.1", "required_by": ["web", "worker"]})),
    ]);
    assert_eq!(
        rows.ties(),
        [
            "api -depends_on-> bcrypt",
            "api -depends_on-> jsonwebtoken",
            "web -depends_on-> bcrypt",
            "worker -depends_on-> bcrypt"
        ]
    );
    assert_eq!(attributes(&rows.node("bcrypt")), ["version: 9.1"]);
    assert_eq!((rows.node("bcrypt").kind, rows.node("api").last.as_deref()), (NodeType::Dependency, Some("e2")));
    assert_eq!(rows.nodes().len(), 5, "an area in Scope that is no node stays none");
}

fn blocker(blocking: &str, blocked: &str) -> Json {
    of("blocker", json!({"blocked_entity": blocked, "blocking_entity": blocking, "resolution_path": "ask"}))
}

#[test]
fn a_blocker_blocks_until_a_fix_of_what_stands_in_the_way() {
    let mut records = vec![
        of("create", json!({"entity": "api", "status": "planned"})),
        blocker("schema", "api"),
        blocker("keys", "api"),
        of("fix", json!({"entity": "schema", "symptom": "s", "root_cause": "r", "resolution": "d"})),
    ];
    let rows = graph(&records);
    assert_eq!(rows.ties(), ["keys -blocks-> api"]);
    assert_eq!(rows.node("api").status, NodeStatus::Blocked);
    let gone = rows.edges().into_iter().find(|edge| edge.from == "schema").expect("rows stay");
    assert_eq!((gone.gone, gone.created.as_deref(), gone.removed.as_deref()), (true, Some("e2"), Some("e4")));
    assert_eq!(gone.attributes, [("resolution_path".to_owned(), "ask".to_owned())]);
    records.push(of("fix", json!({"entity": "keys"})));
    let rows = graph(&records);
    assert_eq!((rows.ties().len(), rows.node("api").status), (0, NodeStatus::Planned), "as before it was blocked");
    assert_eq!(rows.node("api").last.as_deref(), Some("e5"));
    records.push(blocker("schema", "api"));
    let again = graph(&records).edges().into_iter().find(|edge| edge.from == "schema").expect("an edge");
    assert_eq!((again.gone, again.created.as_deref(), again.removed), (false, Some("e6"), None));
}

#[test]
fn a_fix_resolves_the_blockers_it_refers_to() {
    let fix = |refs: &[&str]| json!({"kind": "fix", "scope": "s", "summary": "x", "refs": refs});
    let blocked = [blocker("a, b", "x, y"), blocker("c", "x")];
    let of_first = [&blocked[..], &[fix(&["e1", "evt-999", "e3"])]].concat();
    let rows = graph(&of_first);
    assert_eq!(rows.ties(), ["c -blocks-> x"]);
    assert_eq!((rows.node("y").status, rows.node("x").status), (NodeStatus::Active, NodeStatus::Blocked));
    let all = [&of_first[..], &[fix(&["e2"])]].concat();
    assert_eq!(graph(&all).node("x").status, NodeStatus::Active);
    let untouched = [&blocked[..], &[of("modify", json!({"entity": "c", "status": "completed"}))]].concat();
    assert_eq!(graph(&untouched).node("x").status, NodeStatus::Blocked, "only a fix takes an edge away");
}

#[test]
fn a_status_that_is_told_holds_against_what_stands_in_the_way_only_where_it_ends_something() {
    let told = |status: &str| {
        let records = [
            blocker("a", "x"),
            of("modify", json!({"entity": "x", "status": status})),
            of("fix", json!({"entity": "a"})),
        ];
        (graph(&records[..2]).node("x").status, graph(&records).node("x").status)
    };
    assert_eq!(told("planned"), (NodeStatus::Blocked, NodeStatus::Planned));
    assert_eq!(told("completed"), (NodeStatus::Completed, NodeStatus::Completed));
    assert_eq!(told("deprecated"), (NodeStatus::Deprecated, NodeStatus::Deprecated));
    assert_eq!(told("odd"), (NodeStatus::Blocked, NodeStatus::Active));
    let half = graph(&[of("blocker", json!({"blocked_entity": "x", "reason": "a person is away"}))]);
    assert_eq!((half.stand(), half.ties().len()), (vec!["x component active".to_owned()], 0));
    assert_eq!(graph(&[blocker("x", "x")]).ties().len(), 0, "nothing stands in its own way");
}

#[test]
fn a_test_says_how_its_target_fared() {
    let rows = graph(&[
        of("test", json!({"target": "auth", "result": "PASSED", "coverage": "85%"})),
        of("test", json!({"entity": "auth_suite", "target": "auth", "result": "fail"})),
        json!({"kind": "test", "scope": "s", "status": "success", "metadata": {"entity": "web", "status": "completed"}}),
        of("result", json!({"target": "auth", "result": "skip"})),
        of("result", json!({"task": "t", "status": "completed"})),
    ]);
    assert_eq!(attributes(&rows.node("auth")), ["test_result: skip", "coverage: 85%"]);
    assert_eq!(rows.ties(), ["auth_suite -tests-> auth"]);
    assert_eq!((rows.node("auth").tested.as_deref(), rows.node("auth_suite").tested), (Some("e4"), None));
    assert_eq!(attributes(&rows.node("web")), ["test_result: pass"]);
    assert_eq!(rows.node("web").status, NodeStatus::Active, "a test is done, not its target");
    assert_eq!(
        (rows.node("t").kind, rows.node("t").status, rows.node("t").tested),
        (NodeType::Task, NodeStatus::Completed, None)
    );
}

#[test]
fn a_milestone_is_reached_unless_it_is_planned() {
    let rows = graph(&[
        of("milestone", json!({"name": "Beta, at last", "criteria_met": ["logins", "billing"]})),
        of("milestone", json!({"name": "v1", "status": "planned"})),
        of("milestone", json!({"name": "v2", "status": "planned"})),
        of("milestone", json!({"name": "v2", "depends_on": "v1"})),
    ]);
    assert_eq!(rows.stand(), ["Beta, at last milestone completed", "v1 milestone planned", "v2 milestone completed"]);
    assert_eq!(attributes(&rows.node("Beta, at last")), ["criteria_met: logins, billing"]);
    assert_eq!(rows.ties(), ["v2 -depends_on-> v1"]);
}

#[test]
fn a_handoff_gives_a_task_to_another() {
    let rows = graph(&[
        of("create", json!({"task": "build api", "precedes": "ship", "assignee": "architect"})),
        json!({"kind": "handoff", "scope": "build api, core", "metadata": {"from_agent": "architect", "to_agent": "builder", "phase": "build"}}),
        of("create", json!({"entity": "core"})),
        json!({"kind": "handoff", "scope": "core", "metadata": {"to_agent": "tester", "payload_summary": "x"}}),
        of("handoff", json!({"task": "new one", "to_agent": "tester", "status": "planned"})),
    ]);
    let task = rows.node("build api");
    assert_eq!(attributes(&task), ["assignee: builder", "phase: build"]);
    assert_eq!((task.last.as_deref(), rows.node("core").last.as_deref()), (Some("e2"), Some("e4")));
    assert_eq!(attributes(&rows.node("core")), Vec::<String>::new(), "only tasks are handed over by Scope");
    assert_eq!(rows.ties(), ["build api -precedes-> ship"]);
    assert_eq!((rows.node("new one").kind, rows.node("new one").status), (NodeType::Task, NodeStatus::Planned));
}

#[test]
fn details_tie_nodes_and_contains_leads_from_child_to_parent() {
    let rows = graph(&[
        of("create", json!({"entity": "root", "contains": "a, b"})),
        of(
            "modify",
            json!({"entity": "a", "Depends-On": "b", "references": ["b"], "documents": "all of it, at length", "blocks": "b", "blocked_by": "root"}),
        ),
    ]);
    assert_eq!(
        rows.ties(),
        [
            "a -blocks-> b",
            "a -depends_on-> b",
            "a -references-> b",
            "a -contains-> root",
            "b -contains-> root",
            "root -blocks-> a"
        ],
        "several words are no name of something new"
    );
}

#[test]
fn an_event_that_names_nothing_concerns_what_its_scope_names() {
    let scoped = |kind: &str| json!({"kind": kind, "scope": "**core**, docs (a, b)", "summary": "Something was done", "metadata": {"docs": "changed a lot", "status": "completed"}});
    for kind in kind::CHANGELOG_KINDS {
        let rows = graph(&[
            of("create", json!({"entity": "core"})),
            of("create", json!({"entity": "docs (a, b)"})),
            scoped(kind),
        ]);
        let mut wanted = vec!["core component active", "docs (a, b) component active"];
        match kind {
            "decision" => wanted.push("something-was-done decision active"),
            "milestone" => wanted.push("something-was-done milestone completed"),
            _ => {}
        }
        assert_eq!(rows.stand(), wanted, "{kind}");
        let last = if ["escalation", "archive", "session"].contains(&kind) { "e1" } else { "e3" };
        assert_eq!(rows.node("core").last.as_deref(), Some(last), "{kind}");
    }
}

#[test]
fn scope_and_summary_serve_where_no_detail_names_anything() {
    let plain = |kind: &str, scope: &str, summary: &str| json!({"kind": kind, "scope": scope, "summary": summary, "metadata": {"New skill": "prose"}});
    let rows = graph(&[
        plain("create", ".agents/skills/flutter-setup, AGENTS.md", "Added the flutter-setup skill"),
        plain("modify", "global skills (all of them), flutter-setup", "Synced"),
        plain("decision", "flutter-setup", "Use one linter"),
        plain("milestone", "docs/", "Docs are done"),
        plain("test", "nowhere", "Tried"),
    ]);
    assert_eq!(
        rows.stand(),
        [
            "docs component active",
            "docs-are-done milestone completed",
            "flutter-setup component active",
            "use-one-linter decision active",
        ]
    );
    assert_eq!(rows.ties(), ["docs-are-done -related_to-> docs", "use-one-linter -implements-> flutter-setup"]);
    assert_eq!(rows.node("flutter-setup").last.as_deref(), Some("e3"));
}

#[test]
fn a_scope_names_a_thing_by_its_form_and_what_was_created_is_in_the_summary() {
    let made = |kind: &str, scope: &str, summary: &str| {
        let rows = graph(&[json!({"kind": kind, "scope": scope, "summary": summary})]);
        let nodes = rows.nodes().into_iter().filter(|node| node.kind != NodeType::Milestone);
        nodes.map(|node| node.node).collect::<Vec<_>>()
    };
    let mixed = "skills, memory-system, AuthModule, docs/protocols, docs/, Core tier, AGENTS.md, src/main.rs";
    for kind in ["modify", "change", "milestone"] {
        assert_eq!(made(kind, mixed, "Much was done"), ["AuthModule", "docs", "memory-system", "protocols"], "{kind}");
        assert_eq!(made(kind, "billing", "Much was done"), ["billing"], "{kind}: the only word is what it is about");
        assert_eq!(made(kind, "README.md", "Much was done"), ["README.md"], "{kind}");
        assert_eq!(made(kind, "the user interface", "Much was done"), Vec::<String>::new(), "{kind}");
    }
    assert_eq!(made("create", "docs/memory-system, AGENTS.md", "Added the Memory System"), ["memory-system"]);
    assert_eq!(
        made("create", "api, the login page", "Begun at last"),
        ["api", "the-login-page"],
        "it names none of them"
    );
    assert_eq!(made("create", "api, web", "An API for the web"), ["api", "web"]);
}

/// Scopes as people write them, words and areas among the names: what is left is what a person would keep.
#[test]
fn scopes_in_loose_words_make_the_nodes_that_a_person_would_write() {
    let events = [
        ("milestone", "order-engine, plugin, scripts", "Plugin and scripts are there"),
        ("milestone", "order-engine, scripts, docs, contract, plugin", "Lookup tools work"),
        ("modify", "README.md, GUIDE.md, HOWTO.md, order-engine-setup", "Guides brought up to date: HOWTO.md"),
        ("modify", "tools/plugins/order-engine-setup, shared editor plugins", "Plugin changed here"),
        ("create", "docs/order-engine, manual", "Wrote how the order engine is built"),
        ("milestone", "product, contracts, plugins, rules", "Contracts are the seventh kind"),
        ("modify", "contracts, order-engine-setup, price-checks-setup, docs/contracts", "Told as contracts"),
        ("modify", "correctness of the manual (README, GUIDE, rules-setup)", "Manual read through"),
        ("create", "docs, storage plan", "Wrote the STORAGE-PLAN-AND-WHAT-IS-THERE.md"),
        ("milestone", "storage plan, today's system, first tier, README.md, disks", "Better in many places"),
        ("create", "tools/plugins/mobile-setup, README.md, GUIDE.md", "New mobile-setup plugin"),
    ];
    let record =
        |(kind, scope, summary): &(&str, &str, &str)| json!({"kind": kind, "scope": scope, "summary": summary});
    let rows = graph(&events.iter().map(record).collect::<Vec<_>>());
    let components = rows.nodes().into_iter().filter(|node| node.kind == NodeType::Component);
    let touched: Vec<String> =
        components.map(|node| format!("{} {}", node.node, node.last.unwrap_or_default())).collect();
    assert_eq!(
        touched,
        [
            "contracts e7",
            "mobile-setup e11",
            "order-engine e5",
            "order-engine-setup e7",
            "price-checks-setup e7",
            "storage-plan e10",
        ]
    );
    assert!(rows.nodes().iter().all(|node| [NodeType::Component, NodeType::Milestone].contains(&node.kind)));
    assert_eq!(rows.ties().len(), 3, "a milestone is related to what it is about: {:?}", rows.ties());
}

#[test]
fn links_of_the_first_layout_are_nodes_and_its_scope_is_none() {
    let rows = graph(&[
        json!({"kind": "change", "scope": "skill", "summary": "x", "metadata": {"_md": {"generation": 1,
            "links": ["skill-a", "pack-1", "docs/x.md"], "ties": [["skill-a", "part_of", "pack-1"]]}}}),
        json!({"kind": "decision", "scope": "repository", "summary": "Keep it", "metadata": {"_md": {"generation": 1}}}),
    ]);
    assert_eq!(
        rows.stand(),
        ["docs/x.md file active", "keep-it decision active", "pack-1 pack active", "skill-a skill active"]
    );
    assert_eq!(rows.ties(), ["skill-a -part_of-> pack-1"]);
}

#[test]
fn escalations_are_answered_by_the_first_event_that_refers_to_them() {
    let refers = |refs: &[&str]| json!({"kind": "modify", "scope": "s", "refs": refs});
    let rows = graph(&[
        json!({"kind": "escalation", "scope": "s", "refs": ["e1"]}),
        of("escalation", json!({"reason": "x"})),
        refers(&["evt-7", "e1"]),
        refers(&["e1"]),
    ]);
    assert_eq!((rows.entry("e1").answered.as_deref(), rows.entry("e2").answered), (Some("e3"), None));
    assert_eq!(rows.stand(), ["s component active"], "escalations make no node");
}

#[test]
fn entries_know_their_numbers_and_what_they_became() {
    let rows = graph(&[
        json!({"kind": "create", "scope": "a, b", "ts": "2026-02-26T12:00:00Z", "metadata": {"entity": "x", "_md": {"number": 7, "identity": "ab12", "date_only": false}}}),
        of("modify", json!({"entity": "x"})),
        json!({"kind": "changelog.renumbered", "metadata": {"event": "e1", "from": 7, "to": 9}}),
        json!({"kind": "changelog.renumbered", "metadata": {"event": "e2", "from": null, "to": 8}}),
        json!({"kind": "changelog.renumbered", "metadata": {"event": "unknown", "to": 8}}),
        json!({"kind": "changelog.renumbered", "tags": ["Private"], "metadata": {"event": "e2", "to": 99}}),
    ]);
    let first = rows.entry("e1");
    assert_eq!((first.number, first.identity.as_deref(), first.seq), (Some(9), Some("ab12"), 1));
    assert_eq!((first.kind.as_str(), first.scope.as_str(), first.ts), ("create", "a, b", 1_772_107_200_000_000));
    assert_eq!(rows.entry("e2").number, Some(8));
    assert_eq!(rows.of(&ENTRIES).count(), 2);
    assert!(attributes(&rows.node("x")).is_empty(), "what the file keeps to itself is no attribute");
}

#[test]
fn a_graph_made_by_hand_is_taken_over_and_replay_goes_on_from_it() {
    let adopted = json!({"kind": "graph.adopted", "content": "# Knowledge Graph", "metadata": {"file": ".memory/graph.md", "part": 1, "parts": 2,
        "nodes": [
            {"name": "api", "type": "component", "status": "resolved", "created": "old-1", "last": null, "attributes": [["path", "src/"], ["", "free text"]]},
            {"name": "kept", "type": "Gizmo", "status": "Sleeping", "created": null, "last": null},
            {"name": "  "}, {"type": "no name"}, 7],
        "edges": [
            {"from": "db", "to": "api", "relation": "blocks", "created": "old-1", "attributes": []},
            {"from": "kept", "to": "api", "relation": "leans on", "created": null, "attributes": [["", "why"]]},
            {"from": "x"}]}});
    let second = json!({"kind": "graph.adopted", "metadata": {"part": 2, "parts": 2, "nodes": [
        {"name": "db", "type": "dependency", "status": "active", "created": "old-2", "last": "old-2", "attributes": []}]}});
    let mut records = vec![
        of("create", json!({"entity": "api", "status": "planned"})),
        of("create", json!({"entity": "mine"})),
        adopted,
        second,
    ];
    let rows = graph(&records);
    assert_eq!(
        rows.stand(),
        ["api component completed", "db dependency active", "kept component active", "mine component active"]
    );
    let api = rows.node("api");
    assert_eq!((api.created.as_deref(), api.last.as_deref()), (Some("old-1"), None));
    assert_eq!(attributes(&api), ["path: src/", ": free text"]);
    assert_eq!(attributes(&rows.node("kept")), ["type: Gizmo", "status: Sleeping"]);
    let related = rows.edges().into_iter().find(|edge| edge.relation == Relation::RelatedTo).expect("an edge");
    assert_eq!(related.attributes[1], ("relation".to_owned(), "leans on".to_owned()));
    records.push(of("fix", json!({"entity": "db"})));
    assert_eq!(graph(&records).ties(), ["kept -related_to-> api"]);
}

#[test]
fn names_and_values_have_their_limits() {
    let many: Vec<String> = (0..500).map(|n| format!("n{n}")).collect();
    let rows = graph(&[
        of("blocker", json!({"blocked_entity": many.join(","), "blocking_entity": ["z", "z"]})),
        of("modify", json!({"entity": "a".repeat(121)})),
        of("modify", json!({"entity": "ok", "purpose": "p".repeat(201), "path": "line\nbreak\u{7}s"})),
        of("create", json!({"entity": ["none", "—", "", "[[linked]]", "**bold**"]})),
        json!({"kind": "create", "scope": "s", "metadata": {"entity": {"no": "text"}, "path": null}}),
    ]);
    assert_eq!(rows.ties().len(), crate::limits::GRAPH_NAMES_MAX_AT_ONCE);
    assert_eq!(attributes(&rows.node("ok")), ["path: line break s"]);
    let names: Vec<String> = rows.nodes().into_iter().map(|n| n.node).filter(|n| !n.starts_with('n')).collect();
    assert_eq!(names, ["bold", "linked", "ok", "s", "somewhere", "z"], "Scope serves where nothing is named");
    let much: serde_json::Map<String, Json> =
        (0..90).map(|n| (format!("k{n}"), n.into())).chain([("entity".to_owned(), "e".into())]).collect();
    assert_eq!(graph(&[of("create", much.into())]).node("e").attributes.len(), crate::limits::GRAPH_ATTRIBUTES_MAX);
}
