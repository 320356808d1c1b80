//! The bench of recall: search by vectors, words and letters, the model, and the whole of it, against what Python has.

mod cold;
mod corpus;
mod embedder;
mod equal;
mod fuzzy;
mod indexed;
mod ingest;
mod run;
mod search;
mod setting;

pub use equal::fuzzy_equal;
pub use run::run;
