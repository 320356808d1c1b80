//! Operations on what is derived: short-term and long-term memory, views, vectors.

pub mod digest;
pub mod dream;
pub mod ltm;
pub mod rebuild;
pub mod reembed;
pub mod snapshot;
pub mod stm;
