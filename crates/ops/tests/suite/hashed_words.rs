//! A model for tests: every word has one of sixteen directions, so that texts with the same words are close.

use std::sync::Arc;

use idetic_ops::Models;
use idetic_ops::model::{EmbedError, Embedder, ModelId};

/// A text with this word cannot be embedded.
pub const REFUSED: &str = "unreadable";

const DIMENSIONS: usize = 16;

/// The model.
pub struct HashedWords {
    id: ModelId,
}

impl Embedder for HashedWords {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| vector(text)).collect()
    }
}

fn vector(text: &str) -> Result<Vec<f32>, EmbedError> {
    // A text without words has a direction of its own: no vector is all zeros.
    let mut sums = vec![0.0_f32; DIMENSIONS];
    sums[0] = 0.25;
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word == REFUSED {
            return Err(EmbedError::Wrong(format!("it reads no '{REFUSED}'")));
        }
        // FNV-1a: the same on every machine.
        let hash =
            word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        sums[(hash % DIMENSIONS as u64) as usize] += if hash >> 63 == 0 { 1.0 } else { -1.0 };
    }
    let length = sums.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    Ok(sums.into_iter().map(|x| x / length).collect())
}

/// That model as the one that is wanted; a local one is used by readers by the way.
pub fn models(local: bool) -> Models {
    let id = ModelId { name: "hashed-words".to_owned(), revision: "1".to_owned() };
    Models { wanted: Some(Arc::new(HashedWords { id })), local, ..Models::default() }
}
