//! Operations on sessions of agents.

pub mod end;
pub mod note;
pub mod preview;
pub mod show;
pub mod shown;
pub mod start;
