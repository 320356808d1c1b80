//! Whatever a log holds, the graph is a function of it that never loses a row and never has an edge to nowhere.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

const NAMES: [&str; 6] = ["api", "web", "db", "auth", "Write the docs", "v1"];
const STATUSES: [&str; 8] = ["active", "planned", "completed", "deprecated", "blocked", "done", "In Progress", "odd"];
const TIES: [&str; 11] = [
    "depends_on",
    "implements",
    "tests",
    "documents",
    "precedes",
    "related_to",
    "part_of",
    "references",
    "contains",
    "blocks",
    "blocked_by",
];
const ABOUT: [&str; 10] = [
    "entity",
    "task",
    "target",
    "name",
    "blocked_entity",
    "blocking_entity",
    "required_by",
    "skill",
    "component",
    "affects",
];

/// A changelog event of few names, so that they meet often.
fn happening() -> impl Strategy<Value = Json> {
    let about = vec((0..ABOUT.len(), vec(0..NAMES.len(), 1..3)), 0..4);
    let tie = of((0..TIES.len(), 0..NAMES.len()));
    let parts = (0..kind::CHANGELOG_KINDS.len(), about, tie, of(0..STATUSES.len()), vec(0..NAMES.len(), 1..3));
    let rest = (vec(1..30_u32, 0..3), of(1..20_i64), 0..12_u8, 0..4_usize);
    (parts, rest).prop_map(|((kind, about, tie, status, scope), (refs, number, mark, summary))| {
        let list = |names: &[usize]| names.iter().map(|n| NAMES[*n]).collect::<Vec<_>>().join(", ");
        let mut details = serde_json::Map::new();
        for (key, names) in &about {
            details.insert(ABOUT[*key].to_owned(), list(names).into());
        }
        if let Some((key, name)) = tie {
            details.insert(TIES[key].to_owned(), NAMES[name].into());
        }
        if let Some(status) = status {
            details.insert("status".to_owned(), STATUSES[status].into());
        }
        if let Some(number) = number {
            details.insert("_md".to_owned(), json!({"number": number}));
        }
        let summary = ["Use tokens", "Use tokens, always", "", "api"][summary];
        let mut record = json!({"kind": kind::CHANGELOG_KINDS[kind], "scope": list(&scope), "summary": summary,
            "refs": refs.iter().map(|n| format!("e{n}")).collect::<Vec<_>>(), "metadata": details});
        let hide = record.as_object_mut().expect("an object");
        match mark {
            0 => hide.insert("tags".to_owned(), json!(["x", "SENSITIVE"])),
            1 => {
                hide.insert("agent_id".to_owned(), "a".into());
                hide.insert("persona".to_owned(), "subconscious".into())
            }

            2 => hide.insert("agent_id".to_owned(), "a".into()),
            3 => hide.remove("scope"),
            _ => None,
        };
        record
    })
}

fn adoption() -> impl Strategy<Value = Json> {
    let node = (0..NAMES.len(), 0..STATUSES.len()).prop_map(|(name, status)| {
        json!({"name": NAMES[name], "type": "task", "status": STATUSES[status], "created": "e1", "last": null, "attributes": [["k", "v"]]})
    });
    let edge = (0..NAMES.len(), 0..NAMES.len(), 0..TIES.len()).prop_map(
        |(from, to, tie)| json!({"from": NAMES[from], "to": NAMES[to], "relation": TIES[tie], "created": null}),
    );
    (vec(node, 0..3), vec(edge, 0..3))
        .prop_map(|(nodes, edges)| json!({"kind": "graph.adopted", "metadata": {"nodes": nodes, "edges": edges}}))
}

fn history() -> impl Strategy<Value = Vec<Json>> {
    let renumbered = (1..30_u32, 1..30_i64)
        .prop_map(|(n, to)| json!({"kind": "changelog.renumbered", "metadata": {"event": format!("e{n}"), "from": null, "to": to}}));
    vec(prop_oneof![20 => happening(), 1 => adoption(), 1 => renumbered], 1..30)
}

/// What holds for every graph.
fn check(rows: &Rows) -> Result<(), TestCaseError> {
    let nodes = rows.nodes();
    let names: BTreeSet<&str> = nodes.iter().map(|node| node.node.as_str()).collect();
    let (mut blocks, mut places) = (BTreeSet::new(), BTreeSet::new());
    for row in rows.of(&EDGES) {
        let edge = Edge::of(row);
        prop_assert_eq!(row[2].text(), Some(edge.relation.word()));
        prop_assert!(names.contains(edge.from.as_str()) && names.contains(edge.to.as_str()), "an edge to nowhere");
        prop_assert_eq!(edge.gone, edge.removed.is_some());
        prop_assert!(!edge.gone || edge.relation == Relation::Blocks, "only blocks are taken away");
        prop_assert!(places.insert(edge.place), "two edges in one place");
        if edge.relation == Relation::Blocks && !edge.gone {
            blocks.insert((edge.from.clone(), edge.to.clone()));
        }
    }
    let (mut out, mut into, mut places) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for row in rows.of(&NODES) {
        let node = Node::of(row);
        prop_assert_eq!((row[1].text(), row[2].text()), (Some(node.kind.word()), Some(node.status.word())));
        prop_assert!(places.insert(node.place), "two nodes in one place");
        prop_assert!(node.status == NodeStatus::Blocked || node.before.is_none(), "{:?}", node);
        out.extend(node.blocks.iter().map(|to| (node.node.clone(), to.clone())));
        into.extend(node.blocked_by.iter().map(|from| (from.clone(), node.node.clone())));
    }
    prop_assert_eq!(&out, &blocks);
    prop_assert_eq!(&into, &blocks);
    Ok(())
}

/// Nodes and edges: what others see.
fn shown(rows: &Rows) -> Vec<Vec<Value>> {
    [&NODES, &EDGES].into_iter().flat_map(|table| rows.of(table)).map(|row| row.to_vec()).collect()
}

#[test]
fn the_graph_of_a_prefix_is_the_graph_as_it_was_and_no_row_is_ever_lost() {
    let mut runner = TestRunner::new(Config { cases: 2000, failure_persistence: None, ..Config::default() });
    let cases = (history(), any::<prop::sample::Index>());
    let check = |(records, cut): (Vec<Json>, prop::sample::Index)| {
        let events = events(&records);
        let (mut rows, mut then) = (Rows::default(), Vec::new());
        for event in &events {
            let before = rows.clone();
            rows.take(event);
            prop_assert!(before.0.keys().all(|key| rows.0.contains_key(key)), "a row is gone");
            check(&rows)?;
            let ours = [ADOPTED, RENUMBERED].contains(&event.header.kind.as_str());
            if !ours && changelog(event).is_none() {
                prop_assert_eq!(shown(&before), shown(&rows), "what is not for others changes nothing");
            }
            then.push(rows.clone());
        }
        let at = cut.index(events.len());
        let mut stopped = Rows::default();
        events[..=at].iter().for_each(|event| stopped.take(event));
        prop_assert_eq!(&stopped, &then[at]);
        let mut whole = Rows::default();
        events.iter().for_each(|event| whole.take(event));
        prop_assert_eq!(whole, rows);
        Ok(())
    };
    runner.run(&cases, check).expect("holds for every history");
}

#[test]
fn hidden_events_leave_no_trace_in_the_graph() {
    let mut runner = TestRunner::new(Config { cases: 500, failure_persistence: None, ..Config::default() });
    runner
        .run(&history(), |records| {
            let hide = |record: &Json| {
                let mut hidden = record.clone();
                hidden["tags"] = json!(["private"]);
                hidden
            };
            let hidden: Vec<Json> = records.iter().map(hide).collect();
            prop_assert_eq!(shown(&graph(&hidden)), shown(&Rows::default()));
            Ok(())
        })
        .expect("holds for every history");
}
