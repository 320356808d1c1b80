//! Operations on episodes.

pub mod delete;
pub mod get;
pub mod list;
pub mod retrieve;
pub mod store;
