//! Events that move, and none that is lost.

use proptest::prelude::*;

use super::*;
use crate::markdown::graph_file::{Edge, Node};
use crate::markdown::identities;

fn log(count: u64) -> String {
    let event = |n: u64| {
        format!(
            "### evt-{n:03} | 2026-02-26 12:00 | a | fix\n\n**Scope**: x\n**Summary**: event {n}\n\n**Refs**: evt-{:03}\n\n",
            n.saturating_sub(1)
        )
    };
    format!("# Log\n\n## Event Log\n\n{}", (1..=count).map(event).collect::<String>())
}

fn node(name: &str, kind: &str, status: &str, created: u64, last: u64) -> Node {
    let (name, kind, status) = (name.to_owned(), kind.to_owned(), status.to_owned());
    Node { name, kind, status, created: Some(created), last: Some(last), ..Node::default() }
}

fn graph(nodes: Vec<Node>) -> Graph {
    Graph { nodes, ..Graph::default() }
}

#[test]
fn the_last_twenty_stay_and_the_rest_moves_with_a_marker() {
    let text = log(60);
    let read = Changelog::read(&text);
    assert!(is_due(&read) && !is_due(&Changelog::read(&log(50))));
    let done = archive(&read, &Graph::default(), "2026-03-01", "Beta --> 1").expect("something moves");
    assert_eq!((done.first, done.last, done.count), (1, 40, 40));
    assert!(done.batch.starts_with(
        "---\n## Archive: evt-001 through evt-040 | Archived 2026-03-01\n<!-- Archived at milestone: Beta - 1 -->\n---\n\n### evt-001"
    ), "{}", &done.batch[..200]);
    assert!(done.changelog.contains("## Event Log\n\n<!-- Archived: evt-001 through evt-040 moved to CHANGELOG-archive.md on 2026-03-01 (milestone: Beta - 1) -->\n\n### evt-041"));
    let (old, new) = (Changelog::read(&add_batch("", &done.batch)), Changelog::read(&done.changelog));
    assert_eq!((old.entries().len(), new.entries().len()), (40, 20));
    assert!(old.problems().is_empty() && new.problems().is_empty());
    assert_eq!(identities(&[&old, &new]).concat(), identities(&[&read]).concat(), "they are the same events");
    assert_eq!(archive(&new, &Graph::default(), "2026-03-02", "x"), None);
}

#[test]
fn what_is_open_holds_its_events_and_what_only_made_a_node_does_not() {
    let read = Changelog::read(&log(60));
    let last = |graph: &Graph| archive(&read, graph, "d", "m").map(|a| a.last);
    assert_eq!(last(&graph(vec![node("a", "component", "active", 3, 30)])), Some(29));
    assert_eq!(last(&graph(vec![node("a", "component", "completed", 3, 30)])), Some(40));
    assert_eq!(
        last(&graph(vec![node("a", "task", "active", 3, 30)])),
        Some(28),
        "a task keeps what its event refers to"
    );
    let mut blocked = graph(vec![node("a", "component", "blocked", 1, 59)]);
    let edge = Edge {
        from: "b".to_owned(),
        to: "a".to_owned(),
        relation: "blocks".to_owned(),
        created: Some(10),
        ..Edge::default()
    };
    blocked.edges.push(edge);
    assert_eq!(last(&blocked), Some(8));
    assert_eq!(last(&graph(vec![node("a", "component", "active", 1, 1)])), None);
}

#[test]
fn a_move_that_was_cut_short_is_finished() {
    let text = log(60);
    let read = Changelog::read(&text);
    let done = archive(&read, &Graph::default(), "2026-03-01", "m").expect("something moves");
    let there = Changelog::read(&add_batch("", &done.batch));
    let finished = without_archived(&read, &there).expect("events stand twice");
    assert_eq!(Changelog::read(&finished).entries().len(), 20);
    assert_eq!(without_archived(&Changelog::read(&finished), &there), None);
}

proptest! {
    #[test]
    fn nothing_is_lost(text in crate::markdown::changelog::tests::any_log(), count in 20_u64..40, last in 1_u64..40) {
        let whole = text + "\n" + &log(count);
        let read = Changelog::read(&whole);
        let graph = graph(vec![node("a", "component", "active", 1, last)]);
        if let Some(done) = archive(&read, &graph, "2026-03-01", "m") {
            let (old, new) = (Changelog::read(&add_batch("", &done.batch)), Changelog::read(&done.changelog));
            let blocks = |logs: &[&Changelog]| {
                let mut blocks: Vec<String> =
                    logs.iter().flat_map(|log| log.entries().iter().map(|e| log.raw(e).trim_end().to_owned())).collect();
                blocks.sort();
                blocks
            };
            prop_assert_eq!(blocks(&[&old, &new]), blocks(&[&read]));
        }
    }
}
