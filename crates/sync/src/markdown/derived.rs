//! Graph and narrative, as they follow from the events, and the texts of their files.

use idetic_formats::markdown::{Graph, Narrative, context_file, graph_file};

/// What the files say, as it follows from the events.
pub struct Derived {
    /// The graph.
    pub graph: Graph,
    /// The narrative.
    pub narrative: Narrative,
}

impl Derived {
    /// graph.md.
    pub fn graph_text(&self) -> String {
        graph_file::print(&self.graph)
    }

    /// context.md.
    pub fn context_text(&self) -> String {
        context_file::print(&self.narrative)
    }
}
