//! Operations on conversations.

pub mod add;
pub mod end;
pub mod list;
pub mod show;
pub mod start;
