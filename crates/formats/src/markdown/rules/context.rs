//! The rules of the narrative.

use super::log::Known;
use super::{Files, Finding, Findings, Layer};
use crate::markdown::changelog::{Generation, event_id, event_numbers, is_none, moment};
use crate::markdown::context_file::{ContextFile, SECTIONS, Section};
use crate::markdown::graph_file::Graph;
use crate::markdown::lines::bullet;
use crate::markdown::table::{cells, is_ruler, said};

const REGENERATE: &str = "regenerate the context: idetic md repair";

pub(super) fn check(file: &ContextFile, files: &Files, known: &Known) -> Vec<Finding> {
    let mut findings = Findings::new(Layer::Context);
    let Some(generation) = file.generation else {
        let message = "this is not a context of the protocol: it has no event horizon".to_owned();
        findings.error(
            1,
            "context-foreign",
            "context.md",
            message,
            "move it elsewhere, or have it adopted: idetic md init",
        );
        return findings.found;
    };
    let last = known.last.and_then(|entry| entry.number);
    let name = |number: Option<u64>| number.map_or_else(|| "no event".to_owned(), event_id);
    if generation == Generation::Two || file.horizon.is_some() {
        if file.horizon != last {
            let message = format!("the context is at {}, the log at {}", name(file.horizon), name(last));
            findings.error(file.horizon_line, "context-horizon", "context.md", message, REGENERATE);
        }
        let graph = files.graph.filter(|graph| graph.generation == Some(Generation::Two)).map(|g| g.graph.horizon);
        if let Some(graph) = graph.filter(|graph| *graph != file.horizon) {
            let message = format!("the context is at {}, the graph at {}", name(file.horizon), name(graph));
            findings.error(file.horizon_line, "horizons-differ", "context.md", message, REGENERATE);
        }
    }
    sections(file, generation, &mut findings);
    recent(file, known, &mut findings);
    if let Some(graph) = files.graph {
        entities(file, &graph.graph, &mut findings);
    }
    findings.found
}

fn sections(file: &ContextFile, generation: Generation, findings: &mut Findings) {
    let wanted: &[&str] = match generation {
        Generation::Two => &SECTIONS,
        Generation::One => &["Session Summary", "Recent Events", "Blockers", "Next Actions"],
    };
    let mut before = 0;
    for name in wanted {
        let Some(section) = file.section(name) else {
            let message = format!("the section {name} is missing");
            findings.error(1, "section-missing", name, message, REGENERATE);
            continue;
        };
        if section.line < before {
            let message = format!("the section {name} is out of order");
            findings.warning(section.line, "section-order", name, message, REGENERATE);
        }
        before = section.line;
    }
    for name in ["Active Mission", "Session Summary", "Next Actions"] {
        let unclear = |section: &&Section| {
            let filler = ["(fill in)", "(next action)", "(add next actions)"];
            let is_filler = |line: &str| filler.contains(&bullet(line).map_or(line, |(_, text)| text).trim());
            section.lines.iter().all(|(_, line)| is_filler(line))
        };
        if let Some(section) = file.section(name).filter(unclear) {
            findings.warning(section.line, "section-empty", name, format!("the section {name} is empty"), REGENERATE);
        }
    }
}

/// `- 2026-02-28 — summary — evt-014`: the event is there, of that day, and not private; the newest come first.
fn recent(file: &ContextFile, known: &Known, findings: &mut Findings) {
    let mut before = u64::MAX;
    for (line, text) in file.section("Recent Changes").iter().flat_map(|section| &section.lines) {
        let Some(number) = text.rsplit('—').next().and_then(|end| event_numbers(end).last()) else {
            continue;
        };
        let id = event_id(number);
        let Some(entry) = known.events.get(&number) else {
            findings.error(*line, "recent-missing", &id, format!("{id} is not in the log"), REGENERATE);
            continue;
        };
        let day = bullet(text).and_then(|(_, text)| text.split('—').next()).and_then(moment);
        if let Some((time, _)) = day.filter(|(time, _)| time.day() != entry.time.day()) {
            let message = format!("{id} is of {}, not of {}", entry.time.day(), time.day());
            findings.error(*line, "recent-day", &id, message, REGENERATE);
        }
        if entry.is_private() {
            findings.error(*line, "private-shown", &id, format!("{id} is private and is shown"), REGENERATE);
        }
        if number > before {
            findings.warning(*line, "recent-order", &id, format!("{id} is newer than the one above it"), REGENERATE);
        }
        before = number;
    }
}

/// Every task, blocker and dependency that is named is a node.
fn entities(file: &ContextFile, graph: &Graph, findings: &mut Findings) {
    let names: std::collections::HashSet<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
    let mut check = |line: u64, name: &str| {
        if !names.contains(name) {
            let message = format!("{name} is not in the graph");
            findings.error(line, "entity-missing", name, message, REGENERATE);
        }
    };
    let rows = file.section("Current Sprint").iter().flat_map(|section| &section.lines).collect::<Vec<_>>();
    for (line, text) in rows {
        let row = cells(text).filter(|row| !is_ruler(row) && row.first().is_none_or(|first| first != "Task"));
        if let Some(task) = row.as_ref().and_then(|row| said(row, 0)) {
            check(*line, task);
        }
    }
    for (section, verb) in [("Blockers", " blocks "), ("Key Dependencies", " depends on ")] {
        for (line, text) in file.section(section).iter().flat_map(|section| &section.lines) {
            let text = bullet(text).map_or(text.as_str(), |(_, text)| text).split(" — ").next().unwrap_or_default();
            if let Some((from, to)) = text.split_once(verb).filter(|(from, to)| is_one_word(from) && is_one_word(to)) {
                check(*line, from);
                check(*line, to);
            }
        }
    }
    for (line, text) in file.section("Active Entities").iter().flat_map(|section| &section.lines) {
        let name = bullet(text).map_or(text.as_str(), |(_, text)| text);
        if is_one_word(name) && !is_none(name) {
            check(*line, name.trim_start_matches("[[").trim_end_matches("]]"));
        }
    }
}

fn is_one_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
}
