//! context.md: recognised, read in both generations, printed in either, and held against the log for freshness.

mod print;
mod read;

use idetic_core::Time;

use super::changelog::{Entry, Generation};
use super::graph_file::GraphFile;

#[cfg(test)]
pub(crate) use print::text;
pub use print::{print, print_generation_one};

/// The sections of generation two, in their order.
pub const SECTIONS: [&str; 7] = [
    "Active Mission",
    "Current Sprint",
    "Active Constraints",
    "Blockers",
    "Recent Changes",
    "Key Dependencies",
    "Next Actions",
];
/// The sections of generation one that everybody writes, in their order.
pub const SECTIONS_ONE: [&str; 5] =
    ["Session Summary", "Recent Events", "Active Entities", "Blockers/Issues", "Next Actions"];

/// A section as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub name: String,
    /// The line of its heading.
    pub line: u64,
    /// The lines below that say something, with their numbers; comments left out.
    pub lines: Vec<(u64, String)>,
}

/// A context as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextFile {
    /// Which format; `None` when it is no context of the protocol.
    pub generation: Option<Generation>,
    /// The last event that is in it.
    pub horizon: Option<u64>,
    /// The line that says so; 1 without one.
    pub horizon_line: u64,
    /// When it was written, as it says.
    pub generated: Option<String>,
    /// Its sections.
    pub sections: Vec<Section>,
}

impl ContextFile {
    /// Reads a file of either generation.
    pub fn read(text: &str) -> Self {
        read::read(text)
    }

    /// A section by its name in generation two, in whichever spelling it stands.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| read::canonical(&section.name) == name)
    }

    /// When it was written.
    pub fn generated_at(&self) -> Option<Time> {
        super::changelog::moment(self.generated.as_deref()?).map(|(time, _)| time)
    }
}

/// Whether a context may be used as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    /// It knows the last event.
    Fresh,
    /// It, or the graph, stands at another event.
    Stale {
        /// The event the context stands at.
        context: Option<u64>,
        /// The event the graph stands at, if there is a graph.
        graph: Option<Option<u64>>,
        /// The last event.
        last: Option<u64>,
    },
    /// There is none.
    Missing,
    /// There is a file, but it is somebody else's.
    Foreign,
}

/// Holds a context and a graph, where there are any, against the last event of the log. Generation one has no horizon:
/// there the times are compared.
pub fn freshness(context: Option<&str>, graph: Option<&str>, last: Option<&Entry>) -> Freshness {
    let Some(text) = context.filter(|text| !text.trim().is_empty()) else {
        return Freshness::Missing;
    };
    let context = ContextFile::read(text);
    if context.generation.is_none() {
        return Freshness::Foreign;
    }
    let graph = graph.map(GraphFile::read);
    let horizon = graph.as_ref().map(|file| file.graph.horizon);
    let number = last.and_then(|entry| entry.number);
    let is_fresh = match last {
        Some(last) if last.number.is_none() => context.generated_at().is_some_and(|at| at >= last.time),
        _ => context.horizon == number && horizon.is_none_or(|graph| graph == number),
    };
    if is_fresh {
        Freshness::Fresh
    } else {
        Freshness::Stale { context: context.horizon, graph: horizon, last: number }
    }
}

#[cfg(test)]
mod tests;
