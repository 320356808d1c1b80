//! A sound project, and one mutation for every rule.

use super::*;
use crate::markdown::graph_file::Graph;

const LOG: &str = "# Log\n\n## Event Log\n\n### evt-001 | 2026-02-26 12:00 | human | create\n\n**Scope**: docs\n**Summary**: Docs were created, see [docs](docs/a.md)\n\n**Details**:\n- entity: docs\n\n**Refs**: none\n**Tags**: a\n\n### evt-002 | 2026-02-26 | human | milestone\n\n**Scope**: docs\n**Summary**: Docs reached a milestone\n\n**Details**:\n- name: m\n\n**Refs**: evt-001\n**Tags**: a\n\n### evt-003 | 2026-02-27 09:00 | agent | fix\n\n**Scope**: docs\n**Summary**: Docs have no errors left\n\n**Details**:\n- entity: docs\n\n**Refs**: evt-002, evt-003\n**Tags**: private\n";
const GRAPH: &str = "# Knowledge Graph\n\n## Nodes\n\n| Node | Type | Status | Created (evt) | Last Event | Attributes |\n|---|---|---|---|---|---|\n| docs | component | active | evt-001 | evt-003 | path: docs |\n| build | task | active | evt-002 | evt-002 | |\n\n## Edges\n\n| From | To | Relation | Created (evt) | Attributes |\n|---|---|---|---|---|\n| docs | build | depends_on | evt-002 | |\n\n## Meta\n\n- **Last updated**: 2026-02-27\n- **Event horizon**: evt-003\n- **Nodes**: 2\n- **Edges**: 1\n";
const CONTEXT: &str = "# Current Context\n\n<!-- Last generated: 2026-02-27 09:00 | Event horizon: evt-003 -->\n\n## Active Mission\n\nShip it — evt-002\n\n## Current Sprint\n\n| Task | Priority | Assignee | Status | Blockers |\n|---|---|---|---|---|\n| build | — | — | active | — |\n\n## Active Constraints\n\n- (none)\n\n## Blockers\n\n- build blocks docs — evt-001\n\n## Recent Changes\n\n- 2026-02-26 — Docs reached a milestone — evt-002\n- 2026-02-26 12:00 — Docs were created — evt-001\n\n## Key Dependencies\n\n- docs depends on build — evt-002\n\n## Next Actions\n\n1. build\n";
const TODO: &str = "# TODO\n\n## In Progress\n\n- [ ] **build** — text\n- [ ] **b**\n- [ ] **c**\n\n## Completed\n\n- [x] **docs** — text 2026-02-26 (evt-001)\n";

struct Project {
    log: String,
    graph: String,
    context: String,
    todo: String,
}

fn project() -> Project {
    Project { log: LOG.to_owned(), graph: GRAPH.to_owned(), context: CONTEXT.to_owned(), todo: TODO.to_owned() }
}

impl Project {
    fn findings(&self) -> Vec<Finding> {
        let (log, graph) = (Changelog::read(&self.log), GraphFile::read(&self.graph));
        let (context, todo) = (ContextFile::read(&self.context), Todo::read(&self.todo));
        let files =
            Files { archive: None, log: Some(&log), graph: Some(&graph), context: Some(&context), todo: Some(&todo) };
        check(&files, &|path| path == "docs/a.md")
    }
}

/// The rules that are broken, with layer, line and subject.
fn told(project: &Project) -> Vec<(Layer, u64, &'static str, String)> {
    project.findings().into_iter().map(|f| (f.layer, f.line, f.rule, f.subject)).collect()
}

#[test]
fn a_sound_project_has_no_findings() {
    assert_eq!(project().findings(), []);
}

#[test]
fn every_rule_of_the_log_has_a_mutation_that_is_named() {
    for (from, to, rule, line, subject) in [
        ("evt-002 | 2026-02-26 |", "evt-002 | someday |", "malformed-event", 16, "evt-002"),
        ("human | milestone", "human | banana", "type-unknown", 16, "evt-002"),
        ("**Scope**: docs\n**Summary**: Docs reached", "**Summary**: Docs reached", "scope-missing", 16, "evt-002"),
        ("**Summary**: Docs reached a milestone\n", "", "summary-missing", 16, "evt-002"),
        ("### evt-002", "### evt-001", "id-duplicate", 16, "evt-001"),
        ("### evt-003", "### evt-004", "id-gap", 27, "evt-004"),
        ("### evt-001", "### evt-005", "id-order", 16, "evt-002"),
        ("2026-02-27 09:00", "2026-02-25", "time-order", 27, "evt-003"),
        ("**Refs**: evt-001", "**Refs**: evt-009", "ref-missing", 24, "evt-002"),
        ("**Refs**: none", "**Refs**: evt-002", "ref-later", 13, "evt-001"),
        ("Docs reached a milestone", "See evt-001", "summary-alone", 19, "evt-002"),
        ("docs/a.md", "docs/b.md", "link-missing", 8, "evt-001"),
        ("**Tags**: a\n\n### evt-002", "**Tags**: a\n\n```\n### evt-002", "unclosed", 16, ""),
    ] {
        let mut changed = project();
        assert!(changed.log.contains(from), "{from}");
        changed.log = changed.log.replacen(from, to, 1);
        let wanted = (Layer::Log, line, rule, subject.to_owned());
        assert!(told(&changed).contains(&wanted), "{rule}: {:#?}", told(&changed));
    }
}

#[test]
fn every_rule_of_the_graph_has_a_mutation_that_is_named() {
    for (from, to, rule, line, subject) in [
        ("| docs | component", "| docs | thing", "node-kind", 7, "docs"),
        ("component | active", "component | resolved", "node-status", 7, "docs"),
        ("| build | task", "| docs | task", "node-duplicate", 8, "docs"),
        ("| build | task", "| a b | task", "node-name", 8, "a b"),
        ("| evt-001 | evt-003 | path", "| evt-009 | evt-003 | path", "node-event", 7, "docs"),
        ("| evt-001 | evt-003 | path", "| — | — | path", "node-untraced", 7, "docs"),
        ("| evt-002 | evt-002 | |", "| evt-002 | evt-001 | |", "node-event-order", 8, "build"),
        ("| docs | build |", "| docs | gone |", "edge-orphan", 14, "docs depends_on gone"),
        ("depends_on", "likes", "edge-relation", 14, "docs likes build"),
        ("depends_on | evt-002", "depends_on | evt-099", "edge-event", 14, "docs depends_on build"),
        ("**Nodes**: 2", "**Nodes**: 3", "meta-count", 20, "nodes"),
        ("horizon**: evt-003", "horizon**: evt-002", "graph-horizon", 19, "graph.md"),
        ("| evt-001 | evt-003 | path", "| soon | evt-003 | path", "graph-event", 7, ""),
        ("| docs | build | depends_on", "| docs | | depends_on", "edge-cells", 14, ""),
    ] {
        let mut changed = project();
        assert!(changed.graph.contains(from), "{from}");
        changed.graph = changed.graph.replacen(from, to, 1);
        let wanted = (Layer::Graph, line, rule, subject.to_owned());
        assert!(told(&changed).contains(&wanted), "{rule}: {:#?}", told(&changed));
    }
    let foreign = Project { graph: "# Mine\n".to_owned(), ..project() };
    assert!(told(&foreign).contains(&(Layer::Graph, 1, "graph-foreign", "graph.md".to_owned())));
}

#[test]
fn every_rule_of_the_context_has_a_mutation_that_is_named() {
    for (from, to, rule, line, subject) in [
        ("horizon: evt-003", "horizon: evt-002", "context-horizon", 3, "context.md"),
        ("horizon: evt-003", "horizon: evt-002", "horizons-differ", 3, "context.md"),
        ("## Active Constraints", "## Constraints", "section-missing", 1, "Active Constraints"),
        ("Ship it — evt-002", "(fill in)", "section-empty", 5, "Active Mission"),
        ("milestone — evt-002", "milestone — evt-008", "recent-missing", 25, "evt-008"),
        ("- 2026-02-26 — Docs", "- 2026-02-20 — Docs", "recent-day", 25, "evt-002"),
        ("milestone — evt-002", "milestone — evt-003", "private-shown", 25, "evt-003"),
        ("created — evt-001", "created — evt-003", "recent-order", 26, "evt-003"),
        ("| build | —", "| ghost | —", "entity-missing", 13, "ghost"),
        ("build blocks docs", "ghost blocks docs", "entity-missing", 21, "ghost"),
        ("docs depends on build", "docs depends on ghost", "entity-missing", 30, "ghost"),
    ] {
        let mut changed = project();
        assert!(changed.context.contains(from), "{from}");
        changed.context = changed.context.replacen(from, to, 1);
        let wanted = (Layer::Context, line, rule, subject.to_owned());
        assert!(told(&changed).contains(&wanted), "{rule}: {:#?}", told(&changed));
    }
    let foreign = Project { context: "# Mine\n".to_owned(), ..project() };
    assert!(told(&foreign).contains(&(Layer::Context, 1, "context-foreign", "context.md".to_owned())));
    let swapped = CONTEXT
        .replace("## Blockers", "## X")
        .replace("## Active Constraints", "## Blockers")
        .replace("## X", "## Active Constraints");
    let swapped = Project { context: swapped, ..project() };
    assert!(
        told(&swapped).contains(&(Layer::Context, 15, "section-order", "Blockers".to_owned())),
        "{:#?}",
        told(&swapped)
    );
}

#[test]
fn every_rule_of_the_tasks_has_a_mutation_that_is_named() {
    for (from, to, rule, line, subject) in [
        ("- [ ] **c**\n", "- [ ] **c**\n- [ ] **d**\n", "tasks-in-progress", 8, "d"),
        (" (evt-001)", "", "task-without-event", 11, "docs"),
        ("(evt-001)", "(evt-077)", "task-event", 11, "docs"),
        ("- [x] **docs**", "- [ ] **docs**", "task-not-ticked", 11, "docs"),
    ] {
        let mut changed = project();
        changed.todo = changed.todo.replacen(from, to, 1);
        let wanted = (Layer::Todo, line, rule, subject.to_owned());
        assert_eq!(told(&changed), [wanted]);
    }
}

#[test]
fn archive_and_log_are_one_sequence() {
    let log = Changelog::read(LOG);
    let at = log.entries()[1].range.start;
    let (old, new) = (Changelog::read(&LOG[..at]), Changelog::read(&LOG[at..]));
    let files = Files { archive: Some(&old), log: Some(&new), ..Files::default() };
    assert_eq!(check(&files, &|_| true), []);
    let alone = check(&Files { log: Some(&new), ..Files::default() }, &|_| true);
    assert_eq!(alone.iter().map(|f| f.rule).collect::<Vec<_>>(), ["id-gap", "ref-missing"]);
    let twice = check(&Files { archive: Some(&old), log: Some(&log), ..Files::default() }, &|_| true);
    assert_eq!(twice.iter().map(|f| (f.layer, f.rule)).collect::<Vec<_>>(), [(Layer::Log, "id-duplicate")]);
}

#[test]
fn generation_one_has_rules_too() {
    let event = |when: &str, rest: &str| format!("## {when} — Something was done\n\n{rest}\n---\n\n");
    let good = "**Type:** change\n**Scope:** docs\n";
    let rules = |text: &str| {
        let log = Changelog::read(text);
        check(&Files { log: Some(&log), ..Files::default() }, &|_| true).into_iter().map(|f| f.rule).collect::<Vec<_>>()
    };
    let newest_first = event("2026-02-23 02:00", good) + &event("2026-02-23 01:00", good) + &event("2026-02-22", good);
    assert_eq!(rules(&newest_first), Vec::<&str>::new());
    let mixed = newest_first.clone() + &event("2026-02-24", good);
    assert_eq!(rules(&mixed), ["time-order"]);
    assert_eq!(rules(&(newest_first.clone() + &event("2026-02-21", "**Scope:** x\n"))), ["type-missing"]);
    assert_eq!(rules(&(newest_first + &event("2026-13-21", good))), ["malformed-event"]);
}

#[test]
fn a_graph_is_held_against_the_replay() {
    let file = GraphFile::read(GRAPH);
    assert_eq!(compare(&file.graph, &file), []);
    let rules = |change: &dyn Fn(&mut Graph)| {
        let mut expected = file.graph.clone();
        change(&mut expected);
        compare(&expected, &file).into_iter().map(|f| (f.line, f.rule)).collect::<Vec<_>>()
    };
    assert_eq!(rules(&|g| g.nodes[0].status = "blocked".to_owned()), [(7, "replay-node")]);
    assert_eq!(
        rules(&|g| g.nodes[1].name = "other".to_owned()),
        [(1, "replay-node-missing"), (8, "replay-node-unknown")]
    );
    assert_eq!(rules(&|g| g.edges[0].created = None), [(14, "replay-edge")]);
    assert_eq!(
        rules(&|g| g.edges[0].relation = "blocks".to_owned()),
        [(1, "replay-edge-missing"), (14, "replay-edge-unknown")]
    );
    assert_eq!(compare_text(Layer::Context, "a\nb\n", "a\r\nb\r\n"), None);
    assert_eq!(compare_text(Layer::Context, "a\nb\n", "a\nc\n").map(|f| f.line), Some(2));
    assert_eq!(compare_text(Layer::Context, "a\nb\n", "a\n").map(|f| f.line), Some(2));
}
