//! Search: how events become documents, how a question ranks them, fuzzy comparison and short-term memory. Pure functions.

mod blocks;
mod codes;
mod columns;
mod damaged;
mod dates;
mod document;
pub mod failure;
pub mod filter;
pub mod fuzzy;
mod intent;
mod lanes;
mod names;
mod nearest;
mod rank;
mod rewrite;
mod scan;
mod segment;
pub mod snippet;
pub mod stm;
#[cfg(test)]
mod tests;
pub mod text_pattern;
mod vectors;
pub mod words;

pub use blocks::BLOCK_FORMATS;
pub use codes::{Codes, CodesBuilder, DIMENSIONS_MAX};
pub use columns::{ALIGNMENT, Block};
pub use damaged::Damaged;
pub use document::{DEFAULT_IMPORTANCE, Document, Lane, LaneSection, importance_said, is_upkeep, parts_of};
pub use lanes::{Changes, Lanes};
pub use nearest::{instructions, nearest};
pub use rank::{Filters, Hit, Mode, Parts, Query, Weights, rank, vector_query_text};
pub use segment::{Builder, InputHash, OutOfOrder, Segment, id_hash, input_hash, join};
