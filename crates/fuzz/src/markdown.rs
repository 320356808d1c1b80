//! The Markdown protocol: changelogs, their merging, and the files beside them.

use std::collections::HashSet;

use idetic_core::Time;
use idetic_formats::markdown::archive::{add_batch, archive, is_due, without_archived};
use idetic_formats::markdown::changelog::Part;
use idetic_formats::markdown::graph_file::print as print_graph;
use idetic_formats::markdown::handoff::Payload;
use idetic_formats::markdown::merge::without_repeats;
use idetic_formats::markdown::rules::{Files, check};
use idetic_formats::markdown::{
    Changelog, ContextFile, Draft, Graph, GraphFile, TaskState, Todo, append, freshness, identities, merge as merged,
    narrate, purged, seal,
};

/// Tokens that a narrative is cut to.
const BUDGET_TOKENS: usize = 50;

/// A changelog is read without losing a byte, every part knows its place, and what is added or taken out leaves the rest
/// as it was.
pub fn changelog(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let log = Changelog::read(&text);
    assert_eq!(log.print(), text, "what is read is printed byte for byte");
    let mut at = 0;
    for piece in log.pieces() {
        assert_eq!(piece.range.start, at, "pieces follow each other");
        at = piece.range.end;
        if let Part::Event(number) = &piece.part {
            assert_eq!(log.entries()[*number].range, piece.range);
        }
    }
    assert_eq!(at, text.len());
    let lines = text.lines().count() as u64 + 1;
    assert!(log.problems().iter().all(|problem| (1..=lines).contains(&problem.line)), "{:?}", log.problems());
    let files = Files { log: Some(&log), ..Files::default() };
    check(&files, &|_| false);
    assert_eq!(identities(&[&log])[0].len(), log.entries().len());
    let graph = Graph::default();
    let entries = log.oldest_first();
    let story = narrate(&graph, &entries);
    let _ = (story.within(BUDGET_TOKENS, &str::len), is_due(&log), log.last(), log.is_newest_first());
    grows(&log);
    if let Some(moved) = archive(&log, &graph, "2026-01-02", "the first") {
        let kept = Changelog::read(&moved.changelog);
        assert_eq!(kept.entries().len() + moved.count, log.entries().len(), "nothing is lost");
        let archived = Changelog::read(&add_batch("", &moved.batch));
        let _ = without_archived(&log, &archived);
    }
    let gone: HashSet<usize> = (0..log.entries().len()).step_by(2).collect();
    let left = purged::without(&log, &gone);
    assert!(Changelog::read(&left).highest() >= log.highest().filter(|_| gone.is_empty()));
    let _ = without_repeats(&log, &HashSet::from([1]));
}

/// An event that is added is read back, and every byte that was there stays where it was.
fn grows(log: &Changelog) {
    let Some(number) = log.highest().unwrap_or(0).checked_add(1) else { return };
    let draft = Draft {
        number,
        time: Time(1_700_000_000_000_000),
        agent: "ann".to_owned(),
        kind: "fix".to_owned(),
        scope: vec!["here".to_owned()],
        summary: "Mend the thing".to_owned(),
        details: Vec::new(),
        refs: Vec::new(),
        tags: Vec::new(),
    };
    if let Ok(grown) = append(log.text(), &[draft]) {
        let read = Changelog::read(&grown);
        assert_eq!(read.entries().len(), log.entries().len() + 1);
        let before: Vec<&str> = log.entries().iter().map(|entry| log.raw(entry)).collect();
        // In the first layout events have no numbers: the new one is known by its title.
        let is_new =
            |raw: &str, own: Option<u64>| own == Some(number) || own.is_none() && raw.contains("— Mend the thing");
        let all = read.entries().iter().map(|entry| (read.raw(entry), entry.number));
        let after: Vec<&str> = all.filter(|(raw, own)| !is_new(raw, *own)).map(|(raw, _)| raw).collect();
        assert_eq!(before, after, "the events that were there stay as they were");
    }
}

/// Three versions of a changelog, apart by a line of equals signs, are merged without losing events of ours; versions
/// that are the same give that version.
pub fn merge(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut versions = text.split("\n===\n");
    let base = versions.next().unwrap_or_default();
    let ours = versions.next().unwrap_or(base);
    let theirs = versions.next().unwrap_or(base);
    assert_eq!(merged(base, base, base).text, base, "nothing changed, so nothing changes");
    let both = merged(base, ours, theirs);
    assert_eq!(both, merged(base, ours, theirs), "the same texts give the same answer");
    let alone = merged(base, ours, base);
    assert!(Changelog::read(&alone.text).entries().len() >= Changelog::read(ours).entries().len(), "{:?}", alone.text);
}

/// Tasks, graph, narrative and handoff are read whatever they hold; what we print of them reads back as the same.
pub fn project_files(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (log, todo, graph, context) =
        (Changelog::read(&text), Todo::read(&text), GraphFile::read(&text), ContextFile::read(&text));
    let files =
        Files { log: Some(&log), archive: Some(&log), graph: Some(&graph), context: Some(&context), todo: Some(&todo) };
    check(&files, &|name| name.len() % 2 == 0);
    let _ = (context.generated_at(), seal::check(&text));
    freshness(Some(&text), Some(&text), log.last());
    assert_eq!(todo.update(&[]), text, "nothing to do changes nothing");
    let state = |status: &str| TaskState { name: "a".to_owned(), status: status.to_owned(), ..TaskState::default() };
    for status in ["active", "completed"] {
        let once = todo.update(&[state(status)]);
        assert_eq!(Todo::read(&once).update(&[state(status)]), once, "twice is once");
    }
    let printed = print_graph(&graph.graph);
    let again = GraphFile::read(&printed).graph;
    assert_eq!((again.nodes.len(), again.edges.len()), (graph.graph.nodes.len(), graph.graph.edges.len()));
    assert_eq!(print_graph(&again), printed, "what is printed stays as it is");
    if let Ok(payload) = Payload::read(&text) {
        assert_eq!(Payload::read(&payload.write()), Ok(payload));
    }
}
