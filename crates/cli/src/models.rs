//! The models: the weights in this program, or the endpoint the configuration names. Made when first needed.

use std::sync::Arc;
use std::time::Duration;

use idetic_ops::config::{Embedding, EmbeddingModel};
use idetic_ops::model::{Chat, ChatEndpoint, ChatSettings, Embedder, Endpoint, EndpointSettings, MiniLm};
use idetic_ops::{Config, Error, Models, Result};

use crate::environment;

/// The models a configuration asks for.
pub fn models(config: &Config) -> Result<Models> {
    match config.embedding.model {
        EmbeddingModel::None => Ok(Models::default()),
        EmbeddingModel::BuiltIn => Ok(Models { wanted: Some(built_in()?), local: true, ..Models::default() }),
        EmbeddingModel::Endpoint => {
            let wanted: Arc<dyn Embedder> = Arc::new(Endpoint::new(settings(&config.embedding)?));
            Ok(Models { wanted: Some(wanted), built_in: Some(built_in()?), ..Models::default() })
        }
    }
}

fn built_in() -> Result<Arc<dyn Embedder>> {
    let model = MiniLm::from_bytes(idetic_weights::MINILM);
    Ok(Arc::new(model.map_err(|error| Error::unavailable(format!("the built-in model cannot be used: {error}")))?))
}

fn settings(embedding: &Embedding) -> Result<EndpointSettings> {
    Ok(EndpointSettings {
        base_url: embedding.base_url.clone(),
        key: key("embedding", &embedding.key_env, &embedding.key_file)?,
        model: embedding.name.clone(),
        dimensions: embedding.dimensions,
        ask_dimensions: embedding.ask_dimensions,
        batch: embedding.batch,
        timeout: Duration::from_secs(embedding.timeout_seconds),
        retries: embedding.retries,
    })
}

/// The language model a configuration asks for, if it asks for one.
pub fn chat(config: &Config) -> Result<Option<Arc<dyn Chat>>> {
    let model = &config.model;
    if !model.is_there() {
        return Ok(None);
    }
    let timeout = Duration::from_secs(model.timeout_seconds);
    let settings = ChatSettings {
        key: key("model", &model.key_env, &model.key_file)?,
        window_tokens: model.context_tokens,
        native_tools: model.native_tools,
        timeout,
        idle_timeout: timeout,
        retries: model.retries,
        ..ChatSettings::new(&model.base_url, &model.name)
    };
    Ok(Some(Arc::new(ChatEndpoint::new(settings))))
}

/// The key of an endpoint, from where the configuration says.
fn key(table: &str, key_env: &str, key_file: &str) -> Result<String> {
    if !key_env.is_empty() {
        return environment::variable(key_env).ok_or_else(|| {
            Error::invalid(format!("the environment variable {key_env} is not set"))
                .hint(format!("set it to the endpoint's key, or remove {table}.key_env from config.toml"))
        });
    }
    if key_file.is_empty() {
        return Ok(String::new());
    }
    let read = std::fs::read_to_string(key_file);
    Ok(read.map_err(Error::io(format!("cannot read the key in {key_file}")))?.trim().to_owned())
}
