//! The models: the weights in this program, or the endpoint the configuration names. Made when first needed.

use std::sync::Arc;
use std::time::Duration;

use idetic_memory::config::{Embedding, EmbeddingModel};
use idetic_memory::model::{Embedder, Endpoint, EndpointSettings, MiniLm};
use idetic_memory::{Config, Error, Models, Result};

use crate::surroundings;

/// Nothing reads these bytes before a text is embedded.
static WEIGHTS: &[u8] = include_bytes!("../assets/minilm.bin");

/// The models a configuration asks for.
pub fn models(config: &Config) -> Result<Models> {
    match config.embedding.model {
        EmbeddingModel::None => Ok(Models::default()),
        EmbeddingModel::BuiltIn => Ok(Models { wanted: Some(built_in()?), built_in: None, local: true }),
        EmbeddingModel::Endpoint => {
            let wanted: Arc<dyn Embedder> = Arc::new(Endpoint::new(settings(&config.embedding)?));
            Ok(Models { wanted: Some(wanted), built_in: Some(built_in()?), local: false })
        }
    }
}

fn built_in() -> Result<Arc<dyn Embedder>> {
    let model = MiniLm::from_bytes(WEIGHTS);
    Ok(Arc::new(model.map_err(|error| Error::unavailable(format!("the built-in model cannot be used: {error}")))?))
}

fn settings(embedding: &Embedding) -> Result<EndpointSettings> {
    Ok(EndpointSettings {
        base_url: embedding.base_url.clone(),
        key: key(embedding)?,
        model: embedding.name.clone(),
        dimensions: embedding.dimensions,
        ask_dimensions: embedding.ask_dimensions,
        batch: embedding.batch,
        timeout: Duration::from_secs(embedding.timeout_seconds),
        retries: embedding.retries,
    })
}

/// The key, from where the configuration says.
fn key(embedding: &Embedding) -> Result<String> {
    if !embedding.key_env.is_empty() {
        return surroundings::variable(&embedding.key_env).ok_or_else(|| {
            Error::invalid(format!("the environment variable {} is not set", embedding.key_env))
                .hint("set it to the endpoint's key, or take embedding.key_env out of config.toml")
        });
    }
    if embedding.key_file.is_empty() {
        return Ok(String::new());
    }
    let read = std::fs::read_to_string(&embedding.key_file);
    Ok(read.map_err(Error::io(format!("cannot read the key in {}", embedding.key_file)))?.trim().to_owned())
}
