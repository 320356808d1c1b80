//! Text to vectors, by our own forward pass or an endpoint, and language models that are asked and metered.

pub mod asset;
pub mod chat;
pub mod endpoint;
pub mod vocabulary;

mod bytes;
mod characters;
mod embedder;
mod error;
mod forward;
mod http;
mod kernels;
mod minilm;
mod passages;
mod shape;
mod tokenizer;
mod weights;

pub use chat::{Chat, ChatAnswer, ChatEndpoint, ChatError, ChatMessage, ChatRequest, ChatSettings};
pub use embedder::{EmbedError, Embedder, ModelId};
pub use endpoint::{Endpoint, EndpointSettings};
pub use error::ModelError;
pub use minilm::MiniLm;
