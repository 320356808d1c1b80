//! A client for any OpenAI-compatible chat completions endpoint.

use std::fmt;
use std::io::Read;
use std::time::Duration;

use ureq::http::Response;
use ureq::{Body, Timeout};

use super::stream::{Listener, Trouble};
use super::wire::{self, Complaint};
use super::{Chat, ChatAnswer, ChatError, ChatRequest};
use crate::http::{self, Failure, Peer};

/// How much of what a server says is read when it does not answer.
const COMPLAINT_MAX_BYTES: u64 = 64 * 1024;
/// How many bytes are read at once at most.
const READ_BYTES: usize = 16 * 1024;
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

/// A chat completions endpoint.
pub struct ChatEndpoint {
    settings: ChatSettings,
    peer: Peer,
}

impl fmt::Debug for ChatEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ChatEndpoint").field(&self.settings).finish()
    }
}

impl ChatEndpoint {
    /// Nothing is sent before the first question.
    pub fn new(settings: ChatSettings) -> Self {
        let peer = Peer::new(&settings.base_url, &settings.key, settings.timeout);
        Self { settings, peer }
    }

    fn once(
        &self,
        body: &[u8],
        request: &ChatRequest,
        hear: &mut dyn FnMut(&str),
    ) -> Result<ChatAnswer, Failure<ChatError>> {
        // Who does not stream is silent until all is said.
        let idle = request.stream.then_some(self.settings.idle_timeout);
        let sent = self.peer.post("chat/completions", body, idle);
        let mut response = sent.map_err(|error| {
            let why = self.why(&error);
            match http::may_pass(&error) {
                true => Failure::Passing(ChatError::Unavailable(why), None),
                false => Failure::Final(ChatError::Refused(format!("it cannot be sent: {why}"))),
            }
        })?;
        let status = response.status().as_u16();
        if !(200..300).contains(&status) {
            let mut said = Vec::new();
            let body = response.body_mut().as_reader();
            // Half of what it says is better than nothing.
            let _ = body.take(COMPLAINT_MAX_BYTES).read_to_end(&mut said);
            let retry_after = http::retry_after(response.headers());
            return Err(Complaint::with_status(status, &said, retry_after).failure(&self.peer.secrets));
        }
        self.listen(response, request, hear)
    }

    fn listen(
        &self,
        mut response: Response<Body>,
        request: &ChatRequest,
        hear: &mut dyn FnMut(&str),
    ) -> Result<ChatAnswer, Failure<ChatError>> {
        let mut silence = |_: &str| {};
        let hear = if request.stream { hear } else { &mut silence };
        let mut body = response.body_mut().as_reader();
        let mut listener = Listener::new(&self.peer.secrets);
        let mut bytes = vec![0; READ_BYTES];
        let trouble = loop {
            if listener.done {
                break None;
            }
            let heard = match body.read(&mut bytes) {
                Ok(0) => break None,
                Ok(count) => listener.feed(&bytes[..count], hear),
                Err(error) => Err(Trouble::Lost(self.why(&error.into()))),
            };
            if let Err(trouble) = heard {
                break Some(trouble);
            }
        };
        listener.end(trouble, request, &self.settings.model, hear)
    }

    fn why(&self, error: &ureq::Error) -> String {
        match error {
            ureq::Error::Timeout(Timeout::PerRead) => {
                format!("nothing came for {:?}", self.settings.idle_timeout)
            }
            ureq::Error::Timeout(_) => format!("no whole answer came within {:?}", self.settings.timeout),
            other => self.peer.secrets.hide(&other.to_string()),
        }
    }
}

impl Chat for ChatEndpoint {
    fn name(&self) -> &str {
        &self.settings.model
    }

    fn window_tokens(&self) -> usize {
        self.settings.window_tokens
    }

    fn native_tools(&self) -> bool {
        self.settings.native_tools
    }

    fn ask(&self, request: &ChatRequest, hear: &mut dyn FnMut(&str)) -> Result<ChatAnswer, ChatError> {
        let body = wire::body(&self.settings, request)?;
        http::patiently(self.settings.retries, || self.once(&body, request, hear))
    }
}
