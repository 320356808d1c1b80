//! Queries in SQL against what a space knows: the tables that may be asked, and the queries that are kept by name.

mod answer;
mod ask;
mod saved;
mod tables;
mod texts;

pub use answer::{QueryLine, Rows};
pub use ask::{Asked, ask};
pub use saved::{Saved, folders};
