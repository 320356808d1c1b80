//! Operations on the identities of an agent.

pub mod check;
pub mod show;
