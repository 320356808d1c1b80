//! Views: what is derived from the log. A view is a set of tables and one pure function from an event to changes.

mod agents;
mod conversations;
mod counters;
mod documents;
mod episodes;
mod expiry;
mod facts;
pub mod graph;
mod loops;
mod metadata;
mod notes;
mod schema;
mod timeline;
mod traces;
mod usage;

pub use agents::{
    AGENTS, CAPABILITIES, HANDOFFS, Operation, SESSION_ENDED, SESSION_STARTED, SESSION_TRACES, SessionTraces, operation,
};
pub use conversations::{
    CONVERSATION_ENDED, CONVERSATION_EVENTS, CONVERSATION_GOALS, CONVERSATION_INVOCATION, CONVERSATION_STARTED,
    CONVERSATIONS,
};
pub use counters::{BLOCK_EVENTS, COUNTERS, Count, DIMENSIONS, Dimension, counted};
pub use documents::{GRADES, RECALLED, REGRADED, RETIRED, RETIRES, STANDING_ENDED};
pub use episodes::{EPISODE_COUNT, EPISODE_DELETED, EPISODE_STORED, EPISODE_TOLD, EPISODES};
pub use expiry::{EXPIRIES, KEPT_UNTIL};
pub use facts::{FACT_COUNT, FACT_DELETED, FACT_ENDED, FACT_EVENTS, FACT_SOURCES, FACT_STORED, FACTS, FactRow, NEVER};
pub use loops::LOOPS;
pub use metadata::{METADATA, element_path, sortable};
pub use notes::{NOTE_DELETED, NOTE_EVENTS, NOTE_OUTCOME, NOTE_WRITTEN, NOTES, OUTCOMES, note_version};
pub use schema::{Change, Live, Shape, Table, Value, View};
pub use timeline::{APART, PURGED, QUARANTINED, REFS, RELEASED, TAGS, TIMELINE};
pub use traces::TRACES;
pub use usage::{USAGE, used};

/// Every view, in the order they are folded.
pub const VIEWS: &[View] = &[
    timeline::VIEW,
    metadata::VIEW,
    traces::VIEW,
    loops::VIEW,
    documents::VIEW,
    counters::VIEW,
    notes::VIEW,
    agents::VIEW,
    graph::VIEW,
    facts::VIEW,
    episodes::VIEW,
    conversations::VIEW,
    usage::VIEW,
    expiry::VIEW,
];

#[cfg(test)]
mod tests;
