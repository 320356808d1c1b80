//! Operations on the profiles of agents.

pub mod list;
pub mod prefer;
pub mod show;
