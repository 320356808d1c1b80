//! Files that people and other agents read and write, parsed and printed by pure functions.

pub mod amem;
pub mod markdown;
pub mod otlp;

mod json;
