//! Graph and narrative, as they follow from the events, and the texts of their files.

use idetic_formats::markdown::{Generation, Graph, Narrative, context_file, graph_file};

/// What the files say, as it follows from the events.
pub struct Derived {
    /// The graph.
    pub graph: Graph,
    /// The narrative.
    pub narrative: Narrative,
    /// The layout of the events, which is that of the files.
    pub layout: Generation,
}

impl Derived {
    /// graph.md.
    pub fn graph_text(&self) -> String {
        match self.layout {
            Generation::One => graph_file::print_generation_one(&self.graph),
            Generation::Two => graph_file::print(&self.graph),
        }
    }

    /// context.md.
    pub fn context_text(&self) -> String {
        match self.layout {
            Generation::One => context_file::print_generation_one(&self.narrative),
            Generation::Two => context_file::print(&self.narrative),
        }
    }
}
