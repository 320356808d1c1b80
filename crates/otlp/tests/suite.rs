//! Traces of real exporters and hostile ones, in one binary.

#[path = "suite/hostile.rs"]
mod hostile;
#[path = "suite/mapping.rs"]
mod mapping;
