//! Views: what is derived from the log. A view is a set of tables and one pure function from an event to changes.

mod counters;
mod documents;
mod loops;
mod schema;
mod timeline;
mod traces;

pub use counters::{BLOCK_EVENTS, COUNTERS, Count, DIMENSIONS, Dimension, counted};
pub use documents::{GRADES, REGRADED, RETIRED, RETIRES};
pub use loops::LOOPS;
pub use schema::{Change, Live, Shape, Table, Value, View};
pub use timeline::{REFS, TAGS, TIMELINE};
pub use traces::TRACES;

/// Every view, in the order they are folded.
pub const VIEWS: &[View] = &[timeline::VIEW, traces::VIEW, loops::VIEW, documents::VIEW, counters::VIEW];

#[cfg(test)]
mod tests;
