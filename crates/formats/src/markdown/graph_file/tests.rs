//! Graphs of both generations, read and printed.

use proptest::prelude::*;

use super::*;
use crate::markdown::seal::{self, Seal};

fn pairs(pairs: &[(&str, &str)]) -> Attributes {
    pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
}

#[test]
fn what_is_printed_is_read_back_and_known_as_ours() {
    let node = Node {
        name: "docs_core".to_owned(),
        kind: "component".to_owned(),
        status: "active".to_owned(),
        created: Some(1),
        last: None,
        attributes: pairs(&[("path", "docs/a|b"), ("", "free text")]),
        line: 0,
    };
    let edge = Edge {
        from: "a".to_owned(),
        to: "b".to_owned(),
        relation: "blocks".to_owned(),
        created: Some(1000),
        ..Edge::default()
    };
    let graph =
        Graph { nodes: vec![node], edges: vec![edge], updated: Some("2026-02-28".to_owned()), horizon: Some(14) };
    let text = print(&graph);
    assert!(
        text.contains("| docs_core | component | active | evt-001 | — | path: docs/a\\|b, free text |\n"),
        "{text}"
    );
    assert!(text.contains("| a | b | blocks | evt-1000 | |\n"), "{text}");
    let file = GraphFile::read(&text);
    assert_eq!((file.aside.as_slice(), file.problems.as_slice()), (&[][..], &[][..]));
    assert_eq!(file.graph.nodes[0].line, 12);
    assert_eq!(without_lines(file.graph), graph);
    assert_eq!((file.counts.0.map(|c| c.number), file.counts.1.map(|c| c.number)), (Some(1), Some(1)));
    assert_eq!(seal::check(&text), Seal::Ours);
    assert_eq!(seal::check(&text.replace("active |", "blocked |")), Seal::Edited);
}

fn without_lines(mut graph: Graph) -> Graph {
    graph.nodes.iter_mut().for_each(|node| node.line = 0);
    graph.edges.iter_mut().for_each(|edge| edge.line = 0);
    graph
}

#[test]
fn the_bullets_of_specification_003_are_read_and_printed() {
    let text = "# Knowledge Graph\n\n## Entities\n\n### Skills\n- [[skill-a]] — Algorithms — Complete — pack-b\n\n### Packs\n- [[pack-b]] — Core — 40 % — 12\n\n### Files\n- [[docs/a.md]] — guide — skill-a\n\n## Relations\n\n### Depends On\n- [[skill-a]] → [[skill-b]]\n\n### Part Of\n- [[skill-a]] → [[pack-b]] (a note)\n\n### References\n- [[docs/a.md]] → documents → [[skill-a]], [[skill-b]]\n";
    let file = GraphFile::read(text);
    assert_eq!((file.generation, file.aside.len()), (Some(Generation::One), 0));
    let nodes: Vec<(&str, &str, &str)> =
        file.graph.nodes.iter().map(|n| (n.name.as_str(), n.kind.as_str(), n.status.as_str())).collect();
    assert_eq!(nodes, [("skill-a", "skill", "Complete"), ("pack-b", "pack", ""), ("docs/a.md", "file", "")]);
    let edges: Vec<String> = file.graph.edges.iter().map(|e| format!("{} {} {}", e.from, e.relation, e.to)).collect();
    let wanted = [
        "skill-a depends_on skill-b",
        "skill-a part_of pack-b",
        "docs/a.md documents skill-a",
        "docs/a.md documents skill-b",
    ];
    assert_eq!(edges, wanted);
    assert_eq!(file.graph.edges[1].attributes, pairs(&[("", "a note")]));
}

#[test]
fn a_dash_names_nothing_however_it_is_marked() {
    let text = "# Knowledge Graph\n\n## Edges\n\n| From | To | Relation |\n|---|---|---|\n| a | b | `-` |\n| a | `b` | uses |\n";
    let read = GraphFile::read(text).graph;
    assert_eq!(read.edges.len(), 1);
    assert_eq!(GraphFile::read(&print(&read)).graph.edges.len(), 1);
}

#[test]
fn a_note_of_a_dash_says_nothing_and_is_printed_as_nothing() {
    let read = GraphFile::read("## Relations\n- [[a]] → uses → [[b]]-->x\n").graph;
    let printed = print(&read);
    assert_eq!(print(&GraphFile::read(&printed).graph), printed);
}

#[test]
fn what_is_no_graph_is_kept_aside_by_line() {
    let text = "# Knowledge Graph\n\nhello\n\n## Nodes\n\n| Node | Type | Status | Created (evt) | Last Event | Attributes |\n|---|---|---|---|---|---|\n| a | task | active | someday | — |\n| — | — | — | — | — | — |\n\n## Rules\n\n1. never\n\n## Meta\n- **Event horizon**: — ← update\n- **Nodes**: 0 ← update this\n";
    let file = GraphFile::read(text);
    assert_eq!(file.aside.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 12, 14]);
    assert_eq!(file.problems.iter().map(|p| (p.line, p.rule)).collect::<Vec<_>>(), [(9, "graph-event")]);
    assert_eq!(
        (file.graph.nodes.len(), file.graph.horizon, file.counts.0),
        (1, None, Some(Count { number: 0, line: 18 }))
    );
    assert_eq!(GraphFile::read("# Other\n\n## Entities\n- x\n").generation, None);
}

fn word() -> impl Strategy<Value = String> {
    "[a-z_][a-z0-9_-]{0,6}"
}

fn any_attributes() -> impl Strategy<Value = Attributes> {
    let value = "v[a-zé|\\\\`][a-zé|\\\\;/` ]{0,8}[a-z|]";
    proptest::collection::vec((prop_oneof![Just(String::new()), word()], value.prop_map(|v: String| one(&v))), 0..3)
}

fn one(text: &str) -> String {
    crate::markdown::write::one_line(text)
}

proptest! {
    #[test]
    fn any_graph_comes_back(
        nodes in proptest::collection::vec((word(), word(), word(), proptest::option::of(0_u64..2000), any_attributes()), 0..5),
        edges in proptest::collection::vec((word(), word(), word(), any_attributes()), 0..5),
        horizon in proptest::option::of(0_u64..2000),
    ) {
        let nodes = nodes.into_iter().map(|(name, kind, status, created, attributes)| Node { name: format!("n{name}"), kind: format!("k{kind}"), status: format!("s{status}"), created, last: created, attributes, line: 0 });
        let edges = edges.into_iter().map(|(from, to, relation, attributes)| Edge { from: format!("n{from}"), to: format!("n{to}"), relation: format!("r{relation}"), created: None, attributes, line: 0 });
        let graph = Graph { nodes: nodes.collect(), edges: edges.collect(), updated: None, horizon };
        let text = print(&graph);
        let read = GraphFile::read(&text);
        prop_assert!(read.aside.is_empty(), "{text}");
        prop_assert_eq!(without_lines(read.graph), graph, "{}", text);
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "[\\s\\S]{0,200}|(#{1,3} (Nodes|Edges|Meta|Entities|Relations)\n|\\| a \\| b\\||- \\[\\[a\\]\\] → |\n|- \\*\\*Nodes\\*\\*: ){0,20}") {
        GraphFile::read(&text);
    }
}
