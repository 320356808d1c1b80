//! graph.md: nodes and edges, read in both generations and printed in either.

mod print;
mod read;

use super::Problem;
use super::changelog::Generation;

pub(crate) use print::attributes;
pub use print::{print, print_generation_one};

/// Types of nodes.
pub const KINDS: [&str; 6] = ["component", "task", "dependency", "decision", "document", "milestone"];
/// Types of nodes of generation one.
pub const KINDS_ONE: [&str; 3] = ["skill", "pack", "file"];
/// What a node can be at.
pub const STATUSES: [&str; 5] = ["active", "blocked", "completed", "deprecated", "planned"];
/// What an edge can say.
pub const RELATIONS: [&str; 8] =
    ["depends_on", "blocks", "implements", "tests", "documents", "contains", "precedes", "related_to"];
/// What an edge of generation one can say besides.
pub const RELATIONS_ONE: [&str; 3] = ["depends_on", "part_of", "references"];

/// Attributes in their order; free text has no key.
pub type Attributes = Vec<(String, String)>;

/// A thing the events are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// Its name, which is its id.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// What it is at, as written.
    pub status: String,
    /// The event that made it.
    pub created: Option<u64>,
    /// The last event that touched it.
    pub last: Option<u64>,
    /// What else is known of it.
    pub attributes: Attributes,
    /// The line it stands on; 0 when it comes from no file.
    pub line: u64,
}

impl Node {
    /// The value of an attribute.
    pub fn attribute(&self, key: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(name, _)| name.eq_ignore_ascii_case(key));
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }
}

/// How one thing stands to another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// What it says.
    pub relation: String,
    /// The event that made it.
    pub created: Option<u64>,
    /// What else is known of it.
    pub attributes: Attributes,
    /// The line it stands on; 0 when it comes from no file.
    pub line: u64,
}

/// The whole graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// Its nodes in their order.
    pub nodes: Vec<Node>,
    /// Its edges in their order.
    pub edges: Vec<Edge>,
    /// When it was last brought up to date, as written.
    pub updated: Option<String>,
    /// The last event that is in it.
    pub horizon: Option<u64>,
}

impl Graph {
    /// A node by its name.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.name == name)
    }
}

/// A graph as it stands in a file, with what else stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphFile {
    /// Which format; `None` when it is no graph of the protocol.
    pub generation: Option<Generation>,
    /// What it says.
    pub graph: Graph,
    /// How many nodes and edges it says it has, and the lines where.
    pub counts: (Option<Count>, Option<Count>),
    /// The line of the horizon; 1 without one.
    pub horizon_line: u64,
    /// Lines that are no part of a graph, with their numbers.
    pub aside: Vec<(u64, String)>,
    /// What is wrong.
    pub problems: Vec<Problem>,
}

/// A number that a file says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// The number.
    pub number: u64,
    /// Its line.
    pub line: u64,
}

impl GraphFile {
    /// Reads a file of either generation.
    pub fn read(text: &str) -> Self {
        read::read(text)
    }
}

#[cfg(test)]
mod tests;
