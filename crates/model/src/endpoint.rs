//! A client for any OpenAI-compatible embeddings endpoint.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::embedder::{EmbedError, Embedder, ModelId};
use crate::http::{self, Failure, Peer};

/// How long the vector of a question may take: whoever asked is waiting, and words find something too.
const QUERY_TIMEOUT: Duration = Duration::from_secs(5);
/// More than a number of an answer takes, with all its digits, and what stands around the numbers.
const NUMBER_MAX_BYTES: usize = 40;
const AROUND_MAX_BYTES: usize = 64 * 1024;
/// Hexadecimal digits that tell one server from another.
const SERVER_DIGITS: usize = 8;

/// Which endpoint, and how it is asked.
#[derive(Clone)]
pub struct EndpointSettings {
    /// Up to and without `/embeddings`, e.g. `http://localhost:11434/v1`.
    pub base_url: String,
    /// Sent as a bearer token and shown nowhere; empty for none.
    pub key: String,
    /// The model's name as the endpoint knows it.
    pub model: String,
    /// How many numbers a vector has.
    pub dimensions: usize,
    /// Whether the endpoint is asked for that many; not every model can be.
    pub ask_dimensions: bool,
    /// How many texts one request carries at most.
    pub batch: usize,
    /// How long one try may take.
    pub timeout: Duration,
    /// How often a request is tried again.
    pub retries: u32,
}

impl fmt::Debug for EndpointSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndpointSettings")
            .field("base_url", &http::shown(&self.base_url))
            .field("model", &self.model)
            .field("dimensions", &self.dimensions)
            .finish_non_exhaustive()
    }
}

/// An embeddings endpoint. Its vectors are brought to length one, as those of the built-in model are.
pub struct Endpoint {
    settings: EndpointSettings,
    id: ModelId,
    peer: Peer,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Endpoint").field(&self.settings).finish()
    }
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    input: Vec<&'a str>,
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    index: Option<usize>,
    embedding: Vec<f64>,
}

impl Endpoint {
    /// Nothing is sent before the first text.
    pub fn new(settings: EndpointSettings) -> Self {
        // Two servers may call two models the same: what one made must never meet what the other made.
        let server = blake3::hash(http::trimmed(&settings.base_url).as_bytes()).to_hex();
        let revision = format!("endpoint-{}-{}", settings.dimensions, &server[..SERVER_DIGITS]);
        let id = ModelId { name: settings.model.clone(), revision };
        let peer = Peer::new(&settings.base_url, &settings.key, settings.timeout);
        Self { settings, id, peer }
    }

    fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let question = Question {
            model: &self.settings.model,
            // Some endpoints refuse an empty text, and with it the whole batch.
            input: texts.iter().map(|text| if text.is_empty() { " " } else { text }).collect(),
            encoding_format: "float",
            dimensions: self.settings.ask_dimensions.then_some(self.settings.dimensions),
        };
        let body = serde_json::to_vec(&question).map_err(|error| EmbedError::Wrong(error.to_string()))?;
        http::patiently(self.settings.retries, || self.once(&body, texts.len()))
    }

    fn once(&self, body: &[u8], count: usize) -> Result<Vec<Vec<f32>>, Failure<EmbedError>> {
        let mut response = self.peer.post("embeddings", body, None).map_err(|error| self.failure(&error))?;
        let status = response.status().as_u16();
        let most = count * self.settings.dimensions * NUMBER_MAX_BYTES + AROUND_MAX_BYTES;
        let limit = u64::try_from(most).unwrap_or(u64::MAX);
        let answer = response.body_mut().with_config().limit(limit).read_to_vec();
        if http::passes(status) {
            let error = EmbedError::Unavailable(format!("status {status}"));
            return Err(Failure::Passing(error, http::retry_after(response.headers())));
        }
        if !(200..300).contains(&status) {
            let said = answer.map(|bytes| self.peer.secrets.excerpt(&bytes)).unwrap_or_default();
            return Err(Failure::Final(EmbedError::Wrong(format!("status {status}: {said}"))));
        }
        let answer = answer.map_err(|error| self.failure(&error))?;
        self.vectors(&answer, count).map_err(|why| Failure::Final(EmbedError::Wrong(why)))
    }

    fn failure(&self, error: &ureq::Error) -> Failure<EmbedError> {
        let why = self.peer.secrets.hide(&error.to_string());
        match error {
            ureq::Error::BodyExceedsLimit(_) => {
                Failure::Final(EmbedError::Wrong(format!("the answer is far too long: {why}")))
            }
            _ if http::may_pass(error) => Failure::Passing(EmbedError::Unavailable(why), None),
            _ => Failure::Final(EmbedError::Wrong(why)),
        }
    }

    /// The vectors of an answer, in the order of the question.
    fn vectors(&self, answer: &[u8], count: usize) -> Result<Vec<Vec<f32>>, String> {
        let answer: Answer = serde_json::from_slice(answer)
            .map_err(|error| format!("not an embeddings answer ({error}): {}", self.peer.secrets.excerpt(answer)))?;
        if answer.data.len() != count {
            return Err(format!("{} vectors for {count} texts", answer.data.len()));
        }
        let mut vectors = vec![Vec::new(); count];
        for (at, entry) in answer.data.into_iter().enumerate() {
            let place = entry.index.unwrap_or(at);
            match vectors.get_mut(place) {
                Some(slot) if slot.is_empty() => *slot = self.vector(&entry.embedding)?,
                _ => return Err(format!("vector {place} is given twice or for no text")),
            }
        }
        Ok(vectors)
    }

    fn vector(&self, numbers: &[f64]) -> Result<Vec<f32>, String> {
        let wanted = self.settings.dimensions;
        if numbers.len() != wanted {
            return Err(format!("{} dimensions instead of {wanted}", numbers.len()));
        }
        let length = numbers.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !length.is_finite() || length == 0.0 {
            return Err("a vector of zero length or with a value that is not a number".to_owned());
        }
        Ok(numbers.iter().map(|x| (x / length) as f32).collect())
    }
}

impl Embedder for Endpoint {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.settings.dimensions
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let patient = &self.settings;
        let timeout = patient.timeout.min(QUERY_TIMEOUT);
        let quick = Self::new(EndpointSettings { timeout, retries: 0, ..patient.clone() });
        quick.ask(&[text])?.pop().ok_or_else(|| EmbedError::Wrong("no vector".to_owned()))
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.settings.batch.max(1)) {
            vectors.extend(self.ask(batch)?);
        }
        Ok(vectors)
    }
}
