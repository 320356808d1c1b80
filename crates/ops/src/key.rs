//! API keys: their file, and the operations on them.

pub mod create;
pub mod list;
pub mod revoke;
pub mod store;
