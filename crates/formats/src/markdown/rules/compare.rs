//! What a replay of the log says, held against what the files say.

use std::collections::{HashMap, VecDeque};

use super::{Finding, Findings, Layer};
use crate::markdown::changelog::event_id;
use crate::markdown::graph_file::{Edge, Graph, GraphFile, Node, attributes};

const REBUILD: &str = "rebuild it from the log: idetic md repair";

/// Every node and edge that differs from what the log says, on its line.
pub fn compare(expected: &Graph, found: &GraphFile) -> Vec<Finding> {
    let mut findings = Findings::new(Layer::Graph);
    let mut there: HashMap<&str, VecDeque<&Node>> = HashMap::new();
    for node in &found.graph.nodes {
        there.entry(&node.name).or_default().push_back(node);
    }
    for wanted in &expected.nodes {
        match there.get_mut(wanted.name.as_str()).and_then(VecDeque::pop_front) {
            None => {
                let message = format!("the log makes the node {}, the graph has none", wanted.name);
                findings.error(1, "replay-node-missing", &wanted.name, message, REBUILD);
            }
            Some(node) => {
                for (what, log, graph) in differences(wanted, node) {
                    let message = format!("the {what} of {} is '{graph}', the log says '{log}'", node.name);
                    findings.error(node.line, "replay-node", &node.name, message, REBUILD);
                }
            }
        }
    }
    for node in there.into_values().flatten() {
        let message = format!("the log does not make the node {}", node.name);
        findings.error(node.line, "replay-node-unknown", &node.name, message, REBUILD);
    }
    let mut there: HashMap<(&str, &str, &str), VecDeque<&Edge>> = HashMap::new();
    for edge in &found.graph.edges {
        there.entry(key(edge)).or_default().push_back(edge);
    }
    for wanted in &expected.edges {
        let subject = key(wanted);
        let name = format!("{} {} {}", subject.0, subject.1, subject.2);
        match there.get_mut(&subject).and_then(VecDeque::pop_front) {
            None => {
                let message = format!("the log makes the edge {name}, the graph has none");
                findings.error(1, "replay-edge-missing", &name, message, REBUILD);
            }
            Some(edge) => {
                let (log, graph) = (edge_text(wanted), edge_text(edge));
                if log != graph {
                    let message = format!("the edge {name} is '{graph}', the log says '{log}'");
                    findings.error(edge.line, "replay-edge", &name, message, REBUILD);
                }
            }
        }
    }
    for edge in there.into_values().flatten() {
        let name = format!("{} {} {}", edge.from, edge.relation, edge.to);
        let message = format!("the log does not make the edge {name}");
        findings.error(edge.line, "replay-edge-unknown", &name, message, REBUILD);
    }
    findings.found.sort_by(|a, b| (a.line, a.rule, &a.subject).cmp(&(b.line, b.rule, &b.subject)));
    findings.found
}

/// The first line that differs between what a derived file should be and what it is; line breaks do not count.
pub fn compare_text(layer: Layer, expected: &str, found: &str) -> Option<Finding> {
    let mut wanted = expected.lines();
    let mut line = 0;
    for text in found.trim_start_matches('\u{feff}').lines() {
        line += 1;
        if wanted.next() != Some(text) {
            return Some(differs(layer, line));
        }
    }
    wanted.next().map(|_| differs(layer, line + 1))
}

fn differs(layer: Layer, line: u64) -> Finding {
    let mut findings = Findings::new(layer);
    let message = format!("line {line} is not what the log says");
    findings.error(line, "replay-text", "", message, REBUILD);
    findings.found.remove(0)
}

fn key(edge: &Edge) -> (&str, &str, &str) {
    (&edge.from, &edge.relation, &edge.to)
}

fn event(number: Option<u64>) -> String {
    number.map_or_else(|| "—".to_owned(), event_id)
}

fn edge_text(edge: &Edge) -> String {
    format!("{}, {}", event(edge.created), attributes(&edge.attributes))
}

/// What is not the same: its name, what the log says, what the graph says.
fn differences(log: &Node, graph: &Node) -> Vec<(&'static str, String, String)> {
    let all = [
        ("type", log.kind.clone(), graph.kind.clone()),
        ("status", log.status.clone(), graph.status.clone()),
        ("event that made it", event(log.created), event(graph.created)),
        ("last event", event(log.last), event(graph.last)),
        ("list of attributes", attributes(&log.attributes), attributes(&graph.attributes)),
    ];
    all.into_iter().filter(|(_, log, graph)| log != graph).collect()
}
