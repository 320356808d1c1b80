//! Operations that answer a question: by words and meaning, in SQL, along the graph.

pub mod advise;
pub mod context;
pub mod eval;
pub mod evaluation;
pub mod failures;
pub mod graph;
pub mod query;
pub mod recall;
mod several;
