//! Every published file of specifications 003 and 004: events counted exactly, bytes kept, fresh told from stale.
#![expect(clippy::print_stderr, reason = "a test says what it counted")]

use std::collections::BTreeMap;

use idetic_formats::markdown::changelog::Generation;
use idetic_formats::markdown::rules::{self, Files, Severity};
use idetic_formats::markdown::todo::SectionKind;
use idetic_formats::markdown::{
    Changelog, ContextFile, Freshness, GraphFile, Seal, Todo, context_file, freshness, graph_file, identities, narrate,
    seal,
};
use proptest::prelude::*;

use crate::shared::texts;

fn files() -> BTreeMap<String, String> {
    texts("markdown").into_iter().collect()
}

const LOG: &str = "CHANGELOG.eventlog-section.evt-014.md";

#[test]
fn every_log_is_read_whole_and_printed_to_the_byte() {
    let mut seen = Vec::new();
    for (name, text) in files().iter().filter(|(name, _)| name.starts_with("CHANGELOG")) {
        let log = Changelog::read(text);
        assert_eq!(&log.print(), text, "{name}");
        assert_eq!(log.problems(), [], "{name}");
        eprintln!("figure: {name}: {} events in {} pieces", log.entries().len(), log.pieces().len());
        seen.push((name.as_str().to_owned(), log.entries().len()));
        let windows = text.replace('\n', "\r\n");
        let read = Changelog::read(&windows);
        assert_eq!((read.print(), read.entries().len()), (windows, log.entries().len()), "{name}");
        assert_eq!(identities(&[&read]), identities(&[&log]), "{name}: line breaks are no edit");
    }
    let wanted = [("CHANGELOG.TestProject-scaffold.md", 1), (LOG, 14), ("CHANGELOG.seed003-format.md", 3)];
    assert!(seen.is_empty() || seen == wanted.map(|(name, count)| (name.to_owned(), count)), "{seen:?}");
}

#[test]
fn the_real_log_of_fourteen_events() {
    let Some(text) = files().remove(LOG) else { return };
    let log = Changelog::read(&text);
    let numbers: Vec<u64> = log.entries().iter().filter_map(|e| e.number).collect();
    assert_eq!(numbers, (1..=14).collect::<Vec<_>>());
    let only_days = log.entries().iter().filter(|e| e.only_day).count();
    assert_eq!((only_days, log.entries().iter().filter(|e| e.kind == "milestone").count()), (9, 5));
    assert!(log.entries().iter().all(|e| !e.scope.is_empty() && !e.details.is_empty() && !e.tags.is_empty()));
    let thirteenth = &log.entries()[12];
    assert!(log.raw(thirteenth).contains("\"## Events\" or \"## Event Log\""), "it quotes the heading of the section");
    assert_eq!(thirteenth.details[0].name(), "current_system_(blueprint→current)");
    assert_eq!((log.entries()[7].refs.as_slice(), log.entries()[8].scope.len()), (&[8][..], 1));
    assert_eq!(log.entries()[13].when(), "2026-02-28");
    assert_eq!(log.highest(), Some(14));
    let details: usize = log.entries().iter().map(|e| e.details.len()).sum();
    assert_eq!(details, 51, "every line of the details");
    let findings = rules::check(&Files { log: Some(&log), ..Files::default() }, &|_| true);
    assert_eq!(findings, []);
}

#[test]
fn the_log_of_the_first_generation() {
    let Some(text) = files().remove("CHANGELOG.seed003-format.md") else { return };
    let log = Changelog::read(&text);
    let seen: Vec<(String, &str, usize)> =
        log.oldest_first().iter().map(|e| (e.when(), e.kind.as_str(), e.sections.len())).collect();
    let wanted =
        [("2026-02-23 01:00", "change", 2), ("2026-02-23 01:30", "change", 3), ("2026-02-23 02:00", "decision", 4)];
    assert_eq!(seen, wanted.map(|(when, kind, parts)| (when.to_owned(), kind, parts)));
    assert!(log.entries().iter().all(|e| e.generation == Generation::One && e.scope.len() == 1));
    assert_eq!(rules::check(&Files { log: Some(&log), ..Files::default() }, &|_| true), []);
}

#[test]
fn fresh_is_told_from_stale_and_from_somebody_else_s() {
    let files = files();
    let Some(log) = files.get(LOG) else { return };
    let log = Changelog::read(log);
    let graph = files["memory_graph.evt-014.md"].as_str();
    let at = |name: &str| freshness(Some(&files[name]), Some(graph), log.last());
    assert_eq!(at("memory_context.evt-014.md"), Freshness::Fresh);
    let stale = Freshness::Stale { context: Some(1), graph: Some(Some(14)), last: Some(14) };
    assert_eq!(at("memory_context.evt-001.md"), stale);
    assert!(matches!(at("template_context.md"), Freshness::Stale { context: None, .. }));
    assert_eq!(freshness(None, Some(graph), log.last()), Freshness::Missing);
    for (name, text) in texts("negative") {
        assert_eq!(freshness(Some(&text), Some(graph), log.last()), Freshness::Foreign, "{name}");
        assert_eq!(GraphFile::read(&text).generation, None, "{name}");
    }
    let old = Changelog::read(&files["CHANGELOG.seed003-format.md"]);
    assert_eq!(freshness(Some(&files["memory_context.seed003-format.md"]), None, old.last()), Freshness::Fresh);
}

#[test]
fn graphs_and_contexts_are_read_whole() {
    let files = files();
    for (name, text) in &files {
        assert_eq!(seal::check(text), Seal::Foreign, "{name}");
        if name.contains("graph") {
            let file = GraphFile::read(text);
            eprintln!("figure: {name}: {} nodes, {} edges", file.graph.nodes.len(), file.graph.edges.len());
            let (generation, nodes, edges, horizon) = match name.as_str() {
                "memory_graph.evt-014.md" => (Generation::Two, 10, 10, Some(14)),
                "memory_graph.seed003-format.md" => (Generation::One, 24, 22, None),
                _ => (Generation::Two, 0, 0, None),
            };
            assert_eq!(file.generation, Some(generation), "{name}");
            assert_eq!(
                (file.graph.nodes.len(), file.graph.edges.len(), file.graph.horizon),
                (nodes, edges, horizon),
                "{name}"
            );
            assert_eq!(file.problems, [], "{name}");
            let again = GraphFile::read(&graph_file::print(&file.graph));
            assert_eq!(
                (again.graph.nodes.len(), again.graph.edges.len(), again.problems.len()),
                (nodes, edges, 0),
                "{name}"
            );
        }
        if name.contains("context") {
            let file = ContextFile::read(text);
            let generation = if name.contains("seed003") { Generation::One } else { Generation::Two };
            assert_eq!(file.generation, Some(generation), "{name}");
            if generation == Generation::Two {
                assert_eq!(file.sections.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), context_file::SECTIONS);
            }
        }
    }
    if let Some(text) = files.get("memory_graph.evt-014.md") {
        let file = GraphFile::read(text);
        assert_eq!(file.aside, []);
        // The rows of the real graph are printed as they stand there.
        let printed = graph_file::print(&file.graph);
        assert!(
            text.lines()
                .filter(|l| l.starts_with('|') || l.starts_with("- "))
                .all(|l| printed.contains(&format!("{l}\n"))),
            "{printed}"
        );
    }
}

#[test]
fn the_real_triple_breaks_few_rules() {
    let files = files();
    let Some(log) = files.get(LOG) else { return };
    let (log, graph) = (Changelog::read(log), GraphFile::read(&files["memory_graph.evt-014.md"]));
    let context = ContextFile::read(&files["memory_context.evt-014.md"]);
    let todo = Todo::read(&files["TODO.md"]);
    let all = Files { archive: None, log: Some(&log), graph: Some(&graph), context: Some(&context), todo: Some(&todo) };
    assert_eq!(rules::check(&all, &|_| true), []);
    let older = ContextFile::read(&files["memory_context.evt-001.md"]);
    let found = rules::check(&Files { context: Some(&older), ..all }, &|_| true);
    let errors: Vec<&str> = found.iter().filter(|f| f.severity == Severity::Error).map(|f| f.rule).collect();
    assert_eq!(errors, ["context-horizon", "horizons-differ"]);
    let told = narrate(&graph.graph, &log.oldest_first());
    assert_eq!((told.recent.len(), told.horizon, told.generated.as_deref()), (14, Some(14), Some("2026-02-28")));
    let printed = context_file::print(&told);
    assert_eq!(freshness(Some(&printed), Some(&graph_file::print(&graph.graph)), log.last()), Freshness::Fresh);
    let printed = ContextFile::read(&printed);
    assert_eq!(rules::check(&Files { context: Some(&printed), ..all }, &|_| true), []);
}

#[test]
fn the_tasks_are_read() {
    let Some(text) = files().remove("TODO.md") else { return };
    let todo = Todo::read(&text);
    let seen: Vec<(SectionKind, &str)> = todo.items().iter().map(|i| (i.place, i.name.as_str())).collect();
    assert_eq!(
        seen,
        [
            (SectionKind::InProgress, "Memory system"),
            (SectionKind::UpNext, "(add next tasks)"),
            (SectionKind::Completed, "Memory System Setup"),
            (SectionKind::Backlog, "(add backlog items)")
        ]
    );
    assert_eq!(todo.update(&[]), text);
}

proptest! {
    #[test]
    fn a_damaged_file_comes_back_to_the_byte(which in 0_usize..11, cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0_u8..5), 1..6)) {
        let Some((name, text)) = texts("markdown").into_iter().nth(which) else { return Ok(()) };
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        for (at, how) in cuts {
            let at = at.index(lines.len());
            match how {
                0 => lines[at] = String::new(),
                1 => lines[at] = lines[at].replace('\n', "\r\n"),
                2 => lines[at] = lines[at].trim_end().to_owned(),
                3 => lines[at] = format!("```\n{}", lines[at]),
                _ => lines[at] = format!("{}{}", lines[at].chars().rev().collect::<String>(), lines[at]),
            }
        }
        let text = lines.concat();
        prop_assert_eq!(Changelog::read(&text).print(), text.as_str(), "{}", name);
        prop_assert_eq!(Todo::read(&text).update(&[]), text.as_str());
        GraphFile::read(&text);
        ContextFile::read(&text);
    }
}
