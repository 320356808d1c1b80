//! Which endpoint answers, and how it is asked.

use std::fmt;
use std::time::Duration;

use crate::http;

/// What holds where nothing else is configured.
const WINDOW_TOKENS: usize = 8_192;
const TIMEOUT: Duration = Duration::from_secs(300);
const IDLE_TIMEOUT: Duration = Duration::from_secs(120);
const RETRIES: u32 = 3;

/// Which endpoint, and how it is asked.
#[derive(Clone)]
pub struct ChatSettings {
    /// Up to and without `/chat/completions`, e.g. `http://localhost:11434/v1`.
    pub base_url: String,
    /// Sent as a bearer token and shown nowhere; empty for none.
    pub key: String,
    /// The model's name as the endpoint knows it.
    pub model: String,
    /// How many tokens a question and its answer have together at most.
    pub window_tokens: usize,
    /// Whether the model understands tools.
    pub native_tools: bool,
    /// How freely it answers; without a number the server decides, as some models demand.
    pub temperature: Option<f64>,
    /// Whether the limit of an answer is called `max_completion_tokens`, as newer models demand, or `max_tokens`.
    pub completion_limit: bool,
    /// How long one try may take from the first to the last byte.
    pub timeout: Duration,
    /// How long a server that streams may be silent, before the first word too.
    pub idle_timeout: Duration,
    /// How often a request is tried again while nothing was heard.
    pub retries: u32,
}

impl ChatSettings {
    /// A model that answers soberly, with generous limits and no key.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            key: String::new(),
            model: model.into(),
            window_tokens: WINDOW_TOKENS,
            native_tools: true,
            temperature: Some(0.0),
            completion_limit: false,
            timeout: TIMEOUT,
            idle_timeout: IDLE_TIMEOUT,
            retries: RETRIES,
        }
    }
}

impl fmt::Debug for ChatSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatSettings")
            .field("base_url", &http::shown(&self.base_url))
            .field("model", &self.model)
            .field("window_tokens", &self.window_tokens)
            .finish_non_exhaustive()
    }
}
