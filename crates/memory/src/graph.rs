//! The graph of a space as it stood at a seq, and what can be asked of it. Every answer is a part of the graph.

pub mod draw;
mod facts;
pub mod reply;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use idetic_core::Time;
use idetic_core::invalid::excerpt;
use idetic_core::views::Table;
use idetic_core::views::graph::{EDGES, ENTRIES, Edge, GraphEvent, NODES, Node, NodeStatus, NodeType, Relation};
use idetic_search::fuzzy;
use idetic_store::{Row, Select};

use crate::{Error, Result, Space};
use reply::{GraphEdge, GraphNode, GraphPart};

/// Most nodes, and most edges, that a graph is read with: it is held in memory.
const ROWS_MAX: usize = 200_000;
/// From this ratio on a name is like another.
const ALIKE_RATIO: f64 = 60.0;
/// Most names that are offered for one that is not there.
const OFFERED_NAMES: usize = 3;

/// A graph: its nodes and edges by when they were made.
pub struct Graph {
    /// The seq as of which it stands.
    pub at: u64,
    /// The nodes, each with the seq of the event that last changed it.
    pub nodes: Vec<(u64, Node)>,
    /// The edges that are there.
    pub edges: Vec<Edge>,
    /// The numbers that events have in a CHANGELOG.md, by their ids.
    pub numbers: HashMap<String, i64>,
}

impl Space {
    /// The graph as it stood at a seq, with the facts that are true at a moment.
    pub fn graph(&self, at: u64, moment: Time) -> Result<Graph> {
        let mut nodes: Vec<(u64, Node)> =
            self.graph_rows(&NODES, at)?.into_iter().map(|row| (row.born, Node::of(&row.values))).collect();
        let edges = self.graph_rows(&EDGES, at)?.into_iter().map(|row| Edge::of(&row.values));
        let mut edges: Vec<Edge> = edges.filter(|edge| !edge.gone).collect();
        nodes.sort_by_key(|(_, node)| node.place);
        edges.sort_by_key(|edge| edge.place);
        facts::add(self, at, moment, &mut nodes, &mut edges)?;
        let entries = self.changelog(at)?.into_iter();
        let numbers = entries.filter_map(|entry| Some((entry.event, entry.number?))).collect();
        Ok(Graph { at, nodes, edges, numbers })
    }

    /// The events of the changelog as they stood at a seq, in the order of the log.
    pub fn changelog(&self, at: u64) -> Result<Vec<GraphEvent>> {
        let rows = self.select(&Select::from(&ENTRIES, at))?;
        let mut entries: Vec<GraphEvent> = rows.into_iter().map(|row| GraphEvent::of(&row.values)).collect();
        entries.sort_by_key(|entry| entry.seq);
        Ok(entries)
    }

    fn graph_rows(&self, table: &'static Table, at: u64) -> Result<Vec<Row>> {
        let rows = self.select(&Select { limit: Some(ROWS_MAX + 1), ..Select::from(table, at) })?;
        if rows.len() > ROWS_MAX {
            return Err(Error::invalid(format!("the graph has more than {ROWS_MAX} {}", table.name))
                .hint(format!("ask for a part of it: idetic query --sql \"SELECT * FROM {} WHERE …\"", table.name)));
        }
        Ok(rows)
    }
}

/// What nodes must be to be shown.
#[derive(Debug, Default, Clone, Copy)]
pub struct NodeFilter {
    /// How they stand.
    pub status: Option<NodeStatus>,
    /// What they are.
    pub kind: Option<NodeType>,
}

impl NodeFilter {
    fn matches(self, node: &Node) -> bool {
        self.status.is_none_or(|status| node.status == status) && self.kind.is_none_or(|kind| node.kind == kind)
    }
}

/// Which way edges are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Either.
    Any,
    /// From the end to the beginning.
    Back,
}

impl Graph {
    /// The nodes that are wanted, and the edges between them.
    pub fn all(&self, wanted: NodeFilter) -> GraphPart {
        let names = self.nodes.iter().filter(|(_, node)| wanted.matches(node)).map(|(_, node)| node.node.as_str());
        let places: BTreeMap<&str, Option<usize>> = names.map(|name| (name, None)).collect();
        self.part(&places, |_| true)
    }

    /// What is around a node, whichever way the edges lead.
    pub fn around(&self, name: &str, depth: usize) -> Result<GraphPart> {
        let reached = self.reach(self.known(name)?, depth, Way::Any, None);
        Ok(self.part(&reached, |_| true))
    }

    /// What leads to a node by one relation: directly, or by any number of steps.
    pub fn leading_to(&self, name: &str, relation: Relation, deep: bool) -> Result<GraphPart> {
        let depth = if deep { usize::MAX } else { 1 };
        let reached = self.reach(self.known(name)?, depth, Way::Back, Some(relation));
        // Of one step, only what leads to the node itself.
        let counts = |edge: &Edge| edge.relation == relation && (deep || edge.to == name);
        Ok(self.part(&reached, counts))
    }

    /// A shortest way from one node to another, whichever way the edges lead; of several the first by name.
    pub fn path(&self, from: &str, to: &str) -> Result<Option<GraphPart>> {
        let (from, to) = (self.known(from)?, self.known(to)?);
        let distances = self.reach(to, usize::MAX, Way::Any, None);
        let Some(Some(steps)) = distances.get(from) else { return Ok(None) };
        let next_to = self.next_to(Way::Any, None);
        let (mut at, mut way) = (from, vec![from]);
        for left in (0..*steps).rev() {
            let near = next_to.get(at).into_iter().flatten();
            let Some(next) = near.copied().find(|name| distances.get(name) == Some(&Some(left))) else { break };
            at = next;
            way.push(at);
        }
        let along = |edge: &Edge| {
            way.windows(2).any(|step| {
                (edge.from == step[0] && edge.to == step[1]) || (edge.from == step[1] && edge.to == step[0])
            })
        };
        let places: BTreeMap<&str, Option<usize>> = way.iter().enumerate().map(|(n, name)| (*name, Some(n))).collect();
        let mut part = self.part(&places, along);
        part.nodes.sort_by_key(|node| node.distance);
        Ok(Some(part))
    }

    /// The nodes that were last changed, the latest first.
    pub fn recent(&self, count: usize, wanted: NodeFilter) -> GraphPart {
        let mut nodes: Vec<&(u64, Node)> = self.nodes.iter().filter(|(_, node)| wanted.matches(node)).collect();
        nodes.sort_by_key(|(seq, node)| (std::cmp::Reverse(*seq), node.place));
        self.list(nodes.into_iter().take(count))
    }

    /// The components that no test ever touched and that are still of use.
    pub fn untested(&self, wanted: NodeFilter) -> GraphPart {
        let tested: BTreeSet<&str> =
            self.edges.iter().filter(|edge| edge.relation == Relation::Tests).map(|edge| edge.to.as_str()).collect();
        let told = |node: &Node| node.attributes.iter().any(|(name, _)| name == "test_result" || name == "coverage");
        self.list(self.nodes.iter().filter(|(_, node)| {
            node.kind == NodeType::Component
                && node.status != NodeStatus::Deprecated
                && node.tested.is_none()
                && !told(node)
                && !tested.contains(node.node.as_str())
                && wanted.matches(node)
        }))
    }

    /// The nodes without edges.
    pub fn orphans(&self, wanted: NodeFilter) -> GraphPart {
        let tied: BTreeSet<&str> = self.edges.iter().flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]).collect();
        self.list(self.nodes.iter().filter(|(_, node)| !tied.contains(node.node.as_str()) && wanted.matches(node)))
    }

    /// A name that is a node's.
    fn known<'a>(&'a self, name: &str) -> Result<&'a str> {
        if let Some((_, node)) = self.nodes.iter().find(|(_, node)| node.node == name) {
            return Ok(&node.node);
        }
        let asked = fuzzy::default_process(name);
        let ratio =
            |node: &Node| fuzzy::token_set_ratio_cutoff(&asked, &fuzzy::default_process(&node.node), ALIKE_RATIO);
        let mut near: Vec<(f64, &str)> = self
            .nodes
            .iter()
            .map(|(_, node)| (ratio(node), node.node.as_str()))
            .filter(|(ratio, _)| *ratio > 0.0)
            .collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
        let offered: Vec<String> =
            near.iter().take(OFFERED_NAMES).map(|(_, name)| format!("'{}'", excerpt(name))).collect();
        let hint = match &offered[..] {
            [] => "`idetic graph` shows every node".to_owned(),
            offered => format!("similar nodes: {}; `idetic graph` shows every node", offered.join(", ")),
        };
        Err(Error::not_found(format!("there is no node '{}'", excerpt(name))).hint(hint))
    }

    /// The neighbours of every node, by name.
    fn next_to(&self, way: Way, relation: Option<Relation>) -> HashMap<&str, BTreeSet<&str>> {
        let mut next_to: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for edge in self.edges.iter().filter(|edge| relation.is_none_or(|relation| edge.relation == relation)) {
            next_to.entry(&edge.to).or_default().insert(&edge.from);
            if way == Way::Any {
                next_to.entry(&edge.from).or_default().insert(&edge.to);
            }
        }
        next_to
    }

    /// What can be reached from a node, and in how many steps.
    fn reach<'a>(
        &'a self,
        start: &'a str,
        depth: usize,
        way: Way,
        relation: Option<Relation>,
    ) -> BTreeMap<&'a str, Option<usize>> {
        let next_to = self.next_to(way, relation);
        let (mut reached, mut open) = (BTreeMap::from([(start, Some(0))]), VecDeque::from([(start, 0)]));
        while let Some((name, steps)) = open.pop_front() {
            if steps == depth {
                break;
            }
            for next in next_to.get(name).into_iter().flatten() {
                if !reached.contains_key(next) {
                    reached.insert(next, Some(steps + 1));
                    open.push_back((next, steps + 1));
                }
            }
        }
        reached
    }

    /// The nodes of some names, and the edges between them that count.
    fn part(&self, names: &BTreeMap<&str, Option<usize>>, counts: impl Fn(&Edge) -> bool) -> GraphPart {
        let nodes = self.nodes.iter().filter_map(|(seq, node)| {
            let distance = *names.get(node.node.as_str())?;
            Some(GraphNode { distance, ..self.shown(*seq, node) })
        });
        let between = |edge: &&Edge| names.contains_key(edge.from.as_str()) && names.contains_key(edge.to.as_str());
        let edges = self.edges.iter().filter(between).filter(|edge| counts(edge));
        let edges = edges.map(|edge| GraphEdge { edge: edge.clone(), created_evt: self.evt(edge.created.as_ref()) });
        GraphPart { as_of: self.at, nodes: nodes.collect(), edges: edges.collect(), nothing: String::new() }
    }

    fn list<'a>(&self, nodes: impl Iterator<Item = &'a (u64, Node)>) -> GraphPart {
        let nodes = nodes.map(|(seq, node)| self.shown(*seq, node)).collect();
        GraphPart { as_of: self.at, nodes, edges: Vec::new(), nothing: String::new() }
    }

    fn shown(&self, seq: u64, node: &Node) -> GraphNode {
        let (created_evt, last_evt) = (self.evt(node.created.as_ref()), self.evt(node.last.as_ref()));
        GraphNode { node: node.clone(), seq, created_evt, last_evt, distance: None }
    }

    fn evt(&self, id: Option<&String>) -> Option<String> {
        Some(format!("evt-{:03}", self.numbers.get(id?)?))
    }
}
