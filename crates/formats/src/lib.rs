//! Files that people and other agents read and write, parsed and printed by pure functions.

pub mod amem;
pub mod json;
pub mod markdown;
