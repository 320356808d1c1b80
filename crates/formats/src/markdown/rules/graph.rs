//! The rules of the graph.

use std::collections::HashMap;

use super::log::Known;
use super::{Finding, Findings, Layer};
use crate::markdown::changelog::{Generation, event_id};
use crate::markdown::graph_file::{Count, GraphFile, KINDS, KINDS_ONE, Node, RELATIONS, RELATIONS_ONE, STATUSES};

const REBUILD: &str = "rebuild the graph from the log: idetic md repair";

pub(super) fn check(file: &GraphFile, known: &Known) -> Vec<Finding> {
    let mut findings = Findings::new(Layer::Graph);
    let Some(generation) = file.generation else {
        let message = "this is not a graph of the protocol: it has no nodes and edges".to_owned();
        findings.error(
            1,
            "graph-foreign",
            "graph.md",
            message,
            "move it elsewhere, or have it adopted: idetic md init",
        );
        return findings.found;
    };
    for problem in &file.problems {
        findings.error(problem.line, problem.rule, "", problem.reason.clone(), &problem.remedy);
    }
    nodes(file, generation, known, &mut findings);
    edges(file, generation, known, &mut findings);
    if generation == Generation::Two {
        let counted =
            [(file.counts.0, file.graph.nodes.len(), "nodes"), (file.counts.1, file.graph.edges.len(), "edges")];
        for (said, count, what) in counted {
            if let Some(Count { number, line }) = said.filter(|said| said.number != count as u64) {
                findings.error(
                    line,
                    "meta-count",
                    what,
                    format!("Meta says {number} {what}, there are {count}"),
                    REBUILD,
                );
            }
        }
        let last = known.last.and_then(|entry| entry.number);
        if file.graph.horizon != last {
            let name = |number: Option<u64>| number.map_or_else(|| "no event".to_owned(), event_id);
            let message = format!("the graph is at {}, the log at {}", name(file.graph.horizon), name(last));
            findings.error(file.horizon_line, "graph-horizon", "graph.md", message, REBUILD);
        }
    }
    findings.found
}

fn nodes(file: &GraphFile, generation: Generation, known: &Known, findings: &mut Findings) {
    let mut seen: HashMap<&str, u64> = HashMap::new();
    for node in &file.graph.nodes {
        let Node { name, kind, status, line, .. } = node;
        if let Some(first) = seen.insert(name, *line) {
            let message = format!("the node {name} is there twice; the other is on line {first}");
            findings.error(*line, "node-duplicate", name, message, REBUILD);
        }
        if generation == Generation::One {
            continue;
        }
        if !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')) {
            let message = format!("'{name}' is not a name for a node");
            findings.warning(*line, "node-name", name, message, "use letters, digits, - and _");
        }
        if !KINDS.contains(&kind.as_str()) && !KINDS_ONE.contains(&kind.as_str()) {
            let remedy = format!("known types: {}, {}", KINDS.join(", "), KINDS_ONE.join(", "));
            findings.error(
                *line,
                "node-kind",
                name,
                format!("{name} has the type '{kind}', which is not known"),
                &remedy,
            );
        }
        if !STATUSES.contains(&status.as_str()) {
            let message = format!("{name} has the status '{status}', which is not known");
            findings.error(*line, "node-status", name, message, &format!("known statuses: {}", STATUSES.join(", ")));
        }
        if node.created.is_none() && node.last.is_none() {
            let message = format!("no event mentions {name}");
            findings.warning(*line, "node-untraced", name, message, "append an event that creates it, then rebuild");
        }
        for number in [node.created, node.last].into_iter().flatten().filter(|number| !known.has(*number)) {
            let message = format!("{name} comes from {}, which is not in the log", event_id(number));
            findings.error(*line, "node-event", name, message, REBUILD);
        }
        if node.last.is_some_and(|last| node.created.is_some_and(|created| created > last)) {
            let message = format!("the last event of {name} is older than the one that made it");
            findings.error(*line, "node-event-order", name, message, REBUILD);
        }
    }
}

fn edges(file: &GraphFile, generation: Generation, known: &Known, findings: &mut Findings) {
    let names: std::collections::HashSet<&str> = file.graph.nodes.iter().map(|node| node.name.as_str()).collect();
    for edge in &file.graph.edges {
        let subject = format!("{} {} {}", edge.from, edge.relation, edge.to);
        for end in [&edge.from, &edge.to].into_iter().filter(|end| !names.contains(end.as_str())) {
            let message = format!("an edge names {end}, which is not a node");
            findings.error(edge.line, "edge-orphan", &subject, message, REBUILD);
        }
        let relation = edge.relation.as_str();
        if generation == Generation::Two && !RELATIONS.contains(&relation) && !RELATIONS_ONE.contains(&relation) {
            let remedy = format!("known relations: {}, {}", RELATIONS.join(", "), RELATIONS_ONE[1..].join(", "));
            let message = format!("'{relation}' is not a known relation");
            findings.error(edge.line, "edge-relation", &subject, message, &remedy);
        }
        if let Some(number) = edge.created.filter(|number| !known.has(*number)) {
            let message = format!("an edge comes from {}, which is not in the log", event_id(number));
            findings.error(edge.line, "edge-event", &subject, message, REBUILD);
        }
    }
}
