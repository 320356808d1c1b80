//! Operations on notes.

pub mod delete;
pub mod deprecate;
pub mod edit;
pub mod history;
pub mod link;
pub mod list;
pub mod outcome;
pub mod related;
pub mod search;
pub mod show;
pub mod stale;
pub mod unlink;
pub mod validate;
pub mod write;
pub mod writing;
