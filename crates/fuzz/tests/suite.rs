//! Every target over its corpus, and over inputs made from it.
#![expect(clippy::print_stderr, reason = "a test that measures says what it found")]

#[path = "suite/corpus.rs"]
mod corpus;
#[path = "suite/mutated.rs"]
mod mutated;
#[path = "suite/random.rs"]
mod random;
