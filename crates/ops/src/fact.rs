//! Operations on facts.

pub mod conflicts;
pub mod delete;
pub mod get;
pub mod history;
pub mod list;
pub mod retrieve;
pub mod store;
pub mod update;
