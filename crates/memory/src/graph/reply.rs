//! Answers about the graph.

use idetic_core::views::graph::{Edge, Node};
use serde::Serialize;

/// A part of the graph.
#[derive(Debug, Clone, Serialize)]
pub struct GraphPart {
    /// The seq as of which it stands.
    pub as_of: u64,
    /// Its nodes.
    pub nodes: Vec<GraphNode>,
    /// Its edges.
    pub edges: Vec<GraphEdge>,
    /// What a person is told where it is empty.
    #[serde(skip)]
    pub nothing: String,
}

impl GraphPart {
    /// Nothing.
    pub fn empty(as_of: u64) -> Self {
        Self { as_of, nodes: Vec::new(), edges: Vec::new(), nothing: String::new() }
    }

    /// Nothing, where what was asked about is all there is.
    pub fn unless_alone(self) -> Self {
        if self.edges.is_empty() { Self::empty(self.as_of) } else { self }
    }
}

/// A node, and where it stands in the log and the changelog.
#[derive(Debug, Clone, Serialize)]
pub struct GraphNode {
    /// The node.
    #[serde(flatten)]
    pub node: Node,
    /// The seq of the event that last changed it.
    pub seq: u64,
    /// The number of the event that made it.
    pub created_evt: Option<String>,
    /// The number of the event that last concerned it.
    pub last_evt: Option<String>,
    /// How many steps away it is from what was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<usize>,
}

/// An edge.
#[derive(Debug, Clone, Serialize)]
pub struct GraphEdge {
    /// The edge.
    #[serde(flatten)]
    pub edge: Edge,
    /// The number of the event that made it.
    pub created_evt: Option<String>,
}

/// A part of the graph in a language of another program.
#[derive(Debug, Clone, Serialize)]
pub struct GraphDrawing {
    /// Which: `dot`, `mermaid` or `graphml`.
    pub format: &'static str,
    /// The text.
    pub text: String,
}
