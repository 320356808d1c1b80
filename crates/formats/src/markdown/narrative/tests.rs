//! Each section from its source.

use super::*;
use crate::markdown::Changelog;
use crate::markdown::context_file;

fn event(number: u64, when: &str, kind: &str, rest: &str) -> String {
    format!("### evt-{number:03} | {when} | a | {kind}\n\n**Scope**: x\n**Summary**: Summary of {number}\n{rest}\n\n")
}

fn node(name: &str, kind: &str, status: &str, created: u64) -> Node {
    let (name, kind, status) = (name.to_owned(), kind.to_owned(), status.to_owned());
    Node { name, kind, status, created: Some(created), last: Some(created), ..Node::default() }
}

fn edge(from: &str, relation: &str, to: &str) -> Edge {
    let (from, to, relation) = (from.to_owned(), to.to_owned(), relation.to_owned());
    Edge { from, to, relation, created: Some(1), ..Edge::default() }
}

fn story() -> (Graph, Changelog) {
    let nodes = vec![
        node("api", "component", "active", 1),
        node("old", "component", "deprecated", 1),
        node("late", "task", "active", 9),
        node("first", "task", "active", 5),
        node("second", "task", "active", 4),
        node("stuck", "task", "active", 3),
        node("done", "task", "completed", 2),
    ];
    let edges = vec![
        edge("first", "precedes", "second"),
        edge("bug", "blocks", "stuck"),
        edge("bug", "blocks", "done"),
        edge("api", "depends_on", "db"),
        edge("old", "depends_on", "db"),
    ];
    let text = [
        event(1, "2026-02-20 10:00", "decision", ""),
        event(2, "2026-02-20 11:00", "escalation", ""),
        event(3, "2026-02-20 12:00", "escalation", ""),
        event(44, "2026-02-21 12:00", "milestone", "**Tags**: Sensitive"),
        event(5, "2026-02-21", "fix", "**Refs**: evt-003, evt-005"),
    ];
    (Graph { nodes, edges, ..Graph::default() }, Changelog::read(&text.concat()))
}

#[test]
fn the_seven_sections_come_from_their_sources() {
    let (graph, log) = story();
    let told = narrate(&graph, &log.oldest_first());
    assert_eq!((told.generated.as_deref(), told.horizon), (Some("2026-02-21"), Some(5)));
    assert_eq!(told.mission.as_deref(), Some("Summary of 1 — evt-001"), "the milestone is sensitive");
    let sprint: Vec<(&str, usize)> = told.sprint.iter().map(|t| (t.name.as_str(), t.blockers.len())).collect();
    assert_eq!(sprint, [("stuck", 1), ("second", 0), ("first", 0), ("late", 0)]);
    assert_eq!(told.constraints, ["Summary of 1 — evt-001"]);
    assert_eq!(told.blockers, ["bug blocks stuck — evt-001", "Summary of 2 — evt-002 (escalated)"]);
    let recent: Vec<&str> = told.recent.iter().map(|line| line.rsplit(' ').next().unwrap_or("")).collect();
    assert_eq!(recent, ["evt-005", "evt-003", "evt-002", "evt-001"]);
    assert_eq!(told.recent[0], "2026-02-21 — Summary of 5 — evt-005");
    assert_eq!(told.dependencies, ["api depends on db — evt-001"]);
    assert_eq!(told.actions, ["first — evt-005", "second — evt-004", "late — evt-009"]);
}

#[test]
fn what_is_private_changes_nothing_else() {
    let (graph, log) = story();
    let all = log.oldest_first();
    let without: Vec<&Entry> = all.iter().copied().filter(|e| !e.is_private()).collect();
    assert_eq!(narrate(&graph, &all), narrate(&graph, &without));
}

#[test]
fn recent_is_two_days_or_twenty_events_whichever_is_more() {
    let text: String =
        (1..=60).map(|n| event(n, &format!("2026-02-{:02} 10:00", if n <= 20 { 1 } else { 20 }), "fix", "")).collect();
    let log = Changelog::read(&text);
    assert_eq!(narrate(&Graph::default(), &log.oldest_first()).recent.len(), 40);
    let text: String = (1..=30).map(|n| event(n, &format!("2026-02-{:02}", n.min(28)), "fix", "")).collect();
    assert_eq!(narrate(&Graph::default(), &Changelog::read(&text).oldest_first()).recent.len(), 20);
    assert_eq!(narrate(&Graph::default(), &[]), Narrative::default());
}

#[test]
fn a_circle_of_tasks_is_ordered_by_age() {
    let nodes = vec![node("a", "task", "active", 2), node("b", "task", "active", 1), node("c", "task", "active", 3)];
    let edges = vec![
        edge("a", "precedes", "b"),
        edge("b", "precedes", "a"),
        edge("c", "precedes", "x"),
        edge("x", "precedes", "a"),
    ];
    let graph = Graph { nodes, edges, ..Graph::default() };
    let actions = narrate(&graph, &[]).actions;
    assert_eq!(actions, ["c — evt-003", "b — evt-001", "a — evt-002"]);
}

#[test]
fn a_budget_takes_the_oldest_changes_first_and_leaves_the_sections() {
    let (graph, log) = story();
    let told = narrate(&graph, &log.oldest_first());
    let words = |text: &str| text.split_whitespace().count();
    let whole = words(&context_file::text(&told));
    assert_eq!(told.within(whole, &words), told);
    let less = told.within(whole - 1, &words);
    assert_eq!((less.recent.len(), less.dependencies.len()), (3, 1));
    assert!(less.recent[0].contains("evt-005"));
    let least = context_file::text(&told.within(0, &words));
    assert!(context_file::SECTIONS.iter().all(|section| least.contains(&format!("## {section}\n"))), "{least}");
}
