//! What turns texts into vectors, whatever it is.

use std::fmt;
use std::ops::Range;

use crate::passages;

/// Which model made a vector. Vectors of different models are never compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId {
    /// The model's public name.
    pub name: String,
    /// Which weights: changes whenever its vectors may.
    pub revision: String,
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.revision)
    }
}

/// Characters of a passage for a model whose word pieces are not known: about as many as the built-in one reads.
const PASSAGE_CHARS: usize = 900;

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Which model it is.
    fn id(&self) -> &ModelId;

    /// How many numbers each vector has.
    fn dimensions(&self) -> usize;

    /// Cuts a text into passages that the model reads whole: ranges of bytes that follow each other and cover it.
    fn passages(&self, text: &str) -> Vec<Range<usize>> {
        passages::by_length(text, PASSAGE_CHARS)
    }

    /// The vector of a question somebody waits for: quickly or not at all.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let vector = self.embed(&[text])?.pop().filter(|vector| vector.len() == self.dimensions());
        vector.ok_or_else(|| EmbedError::Wrong("no vector of the right length".to_owned()))
    }

    /// One vector for each text, in order.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedError {
    /// The model cannot be reached or is too busy: trying later may help.
    Unavailable(String),
    /// The model answered, but not with what was asked for: trying later will not help.
    Wrong(String),
}

impl fmt::Display for EmbedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(why) => write!(f, "the embedding model is not available: {why}"),
            Self::Wrong(why) => write!(f, "the embedding model's answer is invalid: {why}"),
        }
    }
}

impl std::error::Error for EmbedError {}
