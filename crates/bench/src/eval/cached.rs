//! The built-in model, which embeds each text once however often it is asked for.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use idetic_model::{EmbedError, Embedder, MiniLm, ModelId};

/// A model with what it made so far.
pub struct Cached {
    model: MiniLm,
    made: Mutex<HashMap<String, Vec<f32>>>,
}

impl Cached {
    /// A model that has made nothing yet.
    pub fn new(model: MiniLm) -> Self {
        Self { model, made: Mutex::default() }
    }
}

impl Embedder for Cached {
    fn id(&self) -> &ModelId {
        self.model.id()
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn passages(&self, text: &str) -> Vec<Range<usize>> {
        Embedder::passages(&self.model, text)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<&str> = texts.iter().copied().filter(|text| !made.contains_key(*text)).collect();
        for (text, vector) in missing.iter().zip(self.model.embed_batch(&missing)) {
            made.insert((*text).to_owned(), vector);
        }
        Ok(texts.iter().map(|text| made[*text].clone()).collect())
    }
}
