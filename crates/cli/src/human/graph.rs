//! The graph for a person.

use std::io::{self, Write};

use idetic_ops::core::views::graph::{Attributes, NodeStatus};
use idetic_ops::{GraphNode, GraphPart};

use super::{HumanOutput, Paint, one_line, plain};

impl HumanOutput {
    pub(super) fn graph(&self, out: &mut dyn Write, part: &GraphPart) -> io::Result<()> {
        if part.nodes.is_empty() {
            return writeln!(out, "{}", plain(&part.nothing));
        }
        part.nodes.iter().try_for_each(|node| self.graph_node(out, node))?;
        if !part.edges.is_empty() {
            writeln!(out)?;
        }
        for shown in &part.edges {
            let edge = &shown.edge;
            writeln!(
                out,
                "{} {} {}{}{}",
                plain(&edge.from),
                self.paint(Paint::Cyan, &format!("-{}->", edge.relation.word())),
                plain(&edge.to),
                self.graph_event(shown.created_evt.as_deref(), edge.created.as_deref()),
                self.graph_attributes(&edge.attributes),
            )?;
        }
        Ok(())
    }

    fn graph_node(&self, out: &mut dyn Write, shown: &GraphNode) -> io::Result<()> {
        let node = &shown.node;
        let paint = match node.status {
            NodeStatus::Active => Paint::Bold,
            NodeStatus::Blocked => Paint::Red,
            NodeStatus::Completed => Paint::Green,
            NodeStatus::Deprecated => Paint::Dim,
            NodeStatus::Planned => Paint::Yellow,
        };
        writeln!(
            out,
            "{}  {} {}{}{}",
            self.paint(Paint::Bold, &plain(&node.node)),
            node.kind.word(),
            self.paint(paint, node.status.word()),
            self.graph_event(shown.last_evt.as_deref(), node.last.as_deref()),
            self.graph_attributes(&node.attributes),
        )
    }

    /// An event by its number in the changelog, or by its id.
    fn graph_event(&self, evt: Option<&str>, id: Option<&str>) -> String {
        evt.or(id).map_or(String::new(), |name| format!("  {}", self.paint(Paint::Dim, &plain(name))))
    }

    fn graph_attributes(&self, attributes: &Attributes) -> String {
        let said =
            |(name, value): &(String, String)| if name.is_empty() { value.clone() } else { format!("{name}: {value}") };
        let said: Vec<String> = attributes.iter().map(said).collect();
        if said.is_empty() {
            String::new()
        } else {
            format!("  {}", self.paint(Paint::Dim, &one_line(&said.join(", "))))
        }
    }
}
