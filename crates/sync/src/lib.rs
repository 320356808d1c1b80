//! Folders in sync with a log: A-MEM folders, the Markdown files of a project, what the hooks of coding agents
//! tell, the transcripts they keep, and what other programs remember.
//!
//! The log is the truth: what people and agents add to files is taken in, what the log has is written out.

pub mod amem;
pub mod hooks;
pub mod markdown;
pub mod memories;
pub mod pause;
pub mod project;
pub mod purge;
pub mod transcripts;

mod progress;

pub use progress::Progress;
