//! The weights of the built-in embedding model and nothing else: 45 MB that a program carries only if it asks for them.

mod minilm;

pub use minilm::MINILM;
