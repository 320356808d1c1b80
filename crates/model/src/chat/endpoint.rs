//! A client for any OpenAI-compatible chat completions endpoint.

use std::fmt;
use std::io::Read;

use ureq::http::Response;
use ureq::{Body, Timeout};

use super::settings::ChatSettings;
use super::stream::{Listener, Trouble};
use super::wire::{self, Complaint};
use super::{Chat, ChatAnswer, ChatError, ChatRequest};
use crate::http::{self, Failure, Peer};

/// How much of what a server says is read when it does not answer.
const COMPLAINT_MAX_BYTES: u64 = 64 * 1024;
/// How many bytes are read at once at most.
const READ_BYTES: usize = 16 * 1024;

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
