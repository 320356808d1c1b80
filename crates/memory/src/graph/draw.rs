//! A part of the graph in the languages of Graphviz, Mermaid and GraphML. Names are only ever labels: what stands in them
//! can end no string and begin no statement.

use std::collections::HashMap;

use idetic_core::views::graph::{Attributes, NodeStatus};

use super::reply::{GraphDrawing, GraphPart};

/// In which language a graph is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Graphviz.
    Dot,
    /// Mermaid.
    Mermaid,
    /// GraphML.
    GraphMl,
}

impl GraphPart {
    /// The same in another language.
    pub fn draw(&self, language: Language) -> GraphDrawing {
        match language {
            Language::Dot => GraphDrawing { format: "dot", text: self.dot() },
            Language::Mermaid => GraphDrawing { format: "mermaid", text: self.mermaid() },
            Language::GraphMl => GraphDrawing { format: "graphml", text: self.graphml() },
        }
    }

    /// Edges as the places of their ends among the nodes, counted from 1, with what they say.
    fn arrows(&self) -> Vec<(usize, usize, &'static str)> {
        let places: HashMap<&str, usize> = self.nodes.iter().map(|node| node.node.node.as_str()).zip(1..).collect();
        let ends = |edge: &super::reply::GraphEdge| {
            let edge = &edge.edge;
            Some((*places.get(edge.from.as_str())?, *places.get(edge.to.as_str())?, edge.relation.word()))
        };
        self.edges.iter().filter_map(ends).collect()
    }

    fn dot(&self) -> String {
        let mut text = "digraph idetic {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
        for (n, node) in (1..).zip(&self.nodes) {
            let style = match node.node.status {
                NodeStatus::Blocked => ", color=red",
                NodeStatus::Deprecated => ", style=dashed",
                NodeStatus::Completed => ", color=darkgreen",
                NodeStatus::Planned => ", color=gray",
                NodeStatus::Active => "",
            };
            let (kind, status) = (node.node.kind.word(), node.node.status.word());
            text += &format!("  n{n} [label=\"{}\\n{kind}, {status}\"{style}];\n", dot_label(&node.node.node));
        }
        for (from, to, relation) in self.arrows() {
            text += &format!("  n{from} -> n{to} [label=\"{relation}\"];\n");
        }
        text + "}\n"
    }

    fn mermaid(&self) -> String {
        let mut text = "flowchart LR\n".to_owned();
        for (n, node) in (1..).zip(&self.nodes) {
            let (kind, status) = (node.node.kind.word(), node.node.status.word());
            text += &format!("  n{n}[\"{}<br/>{kind}, {status}\"]:::{status}\n", mermaid_label(&node.node.node));
        }
        for (from, to, relation) in self.arrows() {
            text += &format!("  n{from} -->|{relation}| n{to}\n");
        }
        text + "  classDef blocked stroke:#c00\n  classDef deprecated stroke-dasharray:4\n  classDef completed stroke:#070\n"
            + "  classDef planned stroke:#999\n  classDef active stroke:#333\n"
    }

    fn graphml(&self) -> String {
        let mut text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
                .to_owned();
        for (what, key) in [
            ("node", "name"),
            ("node", "type"),
            ("node", "status"),
            ("all", "created"),
            ("node", "last"),
            ("all", "attributes"),
            ("edge", "relation"),
        ] {
            text += &format!("  <key id=\"{key}\" for=\"{what}\" attr.name=\"{key}\" attr.type=\"string\"/>\n");
        }
        text += "  <graph id=\"idetic\" edgedefault=\"directed\">\n";
        for (n, node) in (1..).zip(&self.nodes) {
            let node = &node.node;
            text += &format!("    <node id=\"n{n}\">");
            text += &data("name", Some(&node.node));
            text += &data("type", Some(node.kind.word()));
            text += &data("status", Some(node.status.word()));
            text += &data("created", node.created.as_deref());
            text += &data("last", node.last.as_deref());
            text += &data("attributes", listed(&node.attributes).as_deref());
            text += "</node>\n";
        }
        for ((from, to, relation), edge) in self.arrows().into_iter().zip(&self.edges) {
            text += &format!("    <edge source=\"n{from}\" target=\"n{to}\">");
            text += &data("relation", Some(relation));
            text += &data("created", edge.edge.created.as_deref());
            text += &data("attributes", listed(&edge.edge.attributes).as_deref());
            text += "</edge>\n";
        }
        text + "  </graph>\n</graphml>\n"
    }
}

/// Attributes as they stand in a graph.md.
fn listed(attributes: &Attributes) -> Option<String> {
    let said = |(name, value): &(String, String)| {
        if name.is_empty() { value.clone() } else { format!("{name}: {value}") }
    };
    (!attributes.is_empty()).then(|| attributes.iter().map(said).collect::<Vec<_>>().join(", "))
}

fn dot_label(text: &str) -> String {
    escaped(text, |c| match c {
        '"' => Some("\\\"".to_owned()),
        '\\' => Some("\\\\".to_owned()),
        _ => None,
    })
}

/// Mermaid knows characters by their numbers; of what is neither letter nor digit only the harmless stay.
fn mermaid_label(text: &str) -> String {
    escaped(text, |c| (!c.is_alphanumeric() && !" _-.,/:+=@".contains(c)).then(|| format!("#{};", u32::from(c))))
}

fn data(key: &str, text: Option<&str>) -> String {
    let Some(text) = text else { return String::new() };
    let text = escaped(text, |c| match c {
        '&' => Some("&amp;".to_owned()),
        '<' => Some("&lt;".to_owned()),
        '>' => Some("&gt;".to_owned()),
        '"' => Some("&quot;".to_owned()),
        // XML has no way to write these.
        '\u{fffe}' | '\u{ffff}' => Some("\u{fffd}".to_owned()),
        _ => None,
    });
    format!("<data key=\"{key}\">{text}</data>")
}

/// A text on one line without what cannot be printed, and with other characters for some.
fn escaped(text: &str, other: impl Fn(char) -> Option<String>) -> String {
    let plain = |c: char| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c };
    text.chars().map(plain).map(|c| other(c).unwrap_or_else(|| c.to_string())).collect()
}
