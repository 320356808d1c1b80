//! Text to vectors: all-MiniLM-L6-v2 by our own forward pass, or any OpenAI-compatible endpoint.

pub mod asset;
pub mod endpoint;
pub mod vocabulary;

mod bytes;
mod characters;
mod embedder;
mod error;
mod forward;
mod kernels;
mod minilm;
mod passages;
mod shape;
mod tokenizer;
mod weights;

pub use embedder::{EmbedError, Embedder, ModelId};
pub use endpoint::{Endpoint, EndpointSettings};
pub use error::ModelError;
pub use minilm::MiniLm;
