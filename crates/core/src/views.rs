//! Views: what is derived from the log. A view is a set of tables and one pure function from an event to changes.

mod agents;
mod counters;
mod documents;
pub mod graph;
mod loops;
mod notes;
mod schema;
mod timeline;
mod traces;

pub use agents::{AGENTS, CAPABILITIES, HANDOFFS, Operation, SESSION_ENDED, SESSION_STARTED, operation};
pub use counters::{BLOCK_EVENTS, COUNTERS, Count, DIMENSIONS, Dimension, counted};
pub use documents::{GRADES, REGRADED, RETIRED, RETIRES};
pub use loops::LOOPS;
pub use notes::{NOTE_DELETED, NOTE_EVENTS, NOTE_OUTCOME, NOTE_WRITTEN, NOTES, OUTCOMES, note_version};
pub use schema::{Change, Live, Shape, Table, Value, View};
pub use timeline::{REFS, TAGS, TIMELINE};
pub use traces::TRACES;

/// Every view, in the order they are folded.
pub const VIEWS: &[View] = &[
    timeline::VIEW,
    traces::VIEW,
    loops::VIEW,
    documents::VIEW,
    counters::VIEW,
    notes::VIEW,
    agents::VIEW,
    graph::VIEW,
];

#[cfg(test)]
mod tests;
