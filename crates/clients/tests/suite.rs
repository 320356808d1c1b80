//! What is put into a file of a coding agent, and taken out again.

#[path = "suite/files.rs"]
mod files;
