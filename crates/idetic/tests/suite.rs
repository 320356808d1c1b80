//! The library as a stranger uses it, in one binary.

#[path = "suite/examples.rs"]
mod examples;
