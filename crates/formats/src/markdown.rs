//! The Markdown protocol of specifications 003 and 004: the event log, the graph, the narrative, tasks, archive, handoff.

pub mod archive;
pub mod changelog;
pub mod context_file;
pub mod graph_file;
pub mod handoff;
pub mod identity;
pub mod merge;
pub mod narrative;
pub mod problem;
pub mod purged;
pub mod rules;
pub mod seal;
pub mod todo;
pub mod write;

mod lines;
mod links;
mod table;

pub use changelog::{Changelog, Detail, Entry, Generation};
pub use context_file::{ContextFile, Freshness, freshness};
pub use graph_file::{Edge, Graph, GraphFile, Node};
pub use identity::{Identity, identities, identities_behind};
pub use merge::{Merged, merge};
pub use narrative::{Narrative, narrate};
pub use problem::Problem;
pub use seal::Seal;
pub use todo::{TaskState, Todo};
pub use write::{Draft, append};
