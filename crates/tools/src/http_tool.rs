//! One HTTP request as a tool: what is asked goes out, what comes back is text that a model can read.

use std::fmt;
use std::io::Read;
use std::time::Duration;

use ureq::http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use ureq::http::{HeaderMap, HeaderName, Method, Request, Response, Uri, request};
use ureq::{Agent, Body};

/// What stands in a text where a secret stood.
const HIDDEN: &str = "[masked]";
/// Shorter values are words of their own and cannot be told from text.
const SECRET_MIN_BYTES: usize = 6;
/// Methods a tool may use: the others belong to proxies and servers.
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/// A header of a request.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpHeader {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether the value is never shown, not even when the server repeats it.
    pub secret: bool,
}

impl fmt::Debug for HttpHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.secret { HIDDEN } else { &self.value };
        f.debug_tuple("HttpHeader").field(&self.name).field(&value).finish()
    }
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpCall {
    /// One of GET, HEAD, POST, PUT, PATCH, DELETE, in any case.
    pub method: String,
    /// Where to; `http` or `https`.
    pub url: String,
    /// What is sent along.
    pub headers: Vec<HttpHeader>,
    /// The body, for methods that have one.
    pub body: Option<String>,
}

/// How long and how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    /// How long everything together may take.
    pub time: Duration,
    /// How long a body that is sent may be.
    pub sent_bytes: usize,
    /// How much of an answer is read; the rest is cut off, and the text says so.
    pub answer_bytes: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self { time: Duration::from_secs(30), sent_bytes: 1 << 20, answer_bytes: 256 << 10 }
    }
}

/// What came back. Its text is a stranger's: data, never instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpAnswer {
    /// The status; success or not is for the reader to judge.
    pub status: u16,
    /// The status in words, and the body or a note about it.
    pub text: String,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HttpError {
    /// The request cannot be sent as it is.
    Request(String),
    /// The server gave no answer, or not in time.
    NoAnswer(String),
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(why) => write!(f, "the request cannot be sent: {why}"),
            Self::NoAnswer(why) => write!(f, "no answer: {why}"),
        }
    }
}

impl std::error::Error for HttpError {}

/// Sends a request and waits for what comes back. No redirect is followed: a key would go with it to whoever the
/// answer names, so the text says where it points and the caller decides.
pub fn http_call(call: &HttpCall, limits: &HttpLimits) -> Result<HttpAnswer, HttpError> {
    let request = head(call, limits)?;
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(limits.time))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // A body is sent with whatever method it is given to.
        .allow_non_standard_methods(true)
        // A library reads no environment.
        .proxy(None)
        .build()
        .into();
    let failed = |error: ureq::Error| {
        let why = hide(&error.to_string(), call);
        match error {
            ureq::Error::Http(_) | ureq::Error::BadUri(_) => HttpError::Request(why),
            _ => HttpError::NoAnswer(why),
        }
    };
    let sent = match call.body.clone() {
        Some(body) => request.body(body).map_err(ureq::Error::Http).and_then(|request| agent.run(request)),
        None => request.body(()).map_err(ureq::Error::Http).and_then(|request| agent.run(request)),
    };
    let mut response = sent.map_err(failed)?;
    let (bytes, cut) = read(&mut response, limits.answer_bytes).map_err(|error| failed(error.into()))?;
    let status = response.status();
    let mut text = format!("Status {}", status.as_u16());
    if let Some(words) = status.canonical_reason() {
        text += &format!(" {words}");
    }
    if !status.is_success() {
        text += ": not a success";
    }
    if let Some(to) = value(response.headers(), &LOCATION) {
        text += &format!("\nIt points to {to}, which was not followed.");
    }
    text += &format!("\n\n{}", shown(&bytes, cut, response.headers()));
    Ok(HttpAnswer { status: status.as_u16(), text: hide(&text, call) })
}

/// The request without its body, or what is wrong with it.
fn head(call: &HttpCall, limits: &HttpLimits) -> Result<request::Builder, HttpError> {
    let wrong = |why: String| HttpError::Request(why);
    let name = call.method.to_ascii_uppercase();
    if !METHODS.contains(&name.as_str()) {
        return Err(wrong(format!("the method must be one of {}", METHODS.join(", "))));
    }
    let method = Method::from_bytes(name.as_bytes()).map_err(|error| wrong(error.to_string()))?;
    let uri: Uri = call.url.parse().map_err(|error| wrong(format!("the address cannot be read: {error}")))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none_or(str::is_empty) {
        return Err(wrong("the address must begin with http:// or https:// and name a host".to_owned()));
    }
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(wrong("the address must not contain a user or a password; use a header".to_owned()));
    }
    let length = call.body.as_ref().map_or(0, String::len);
    if length > limits.sent_bytes {
        return Err(wrong(format!("the body has {length} bytes, but {} is the most", limits.sent_bytes)));
    }
    let builder = Request::builder().method(method).uri(uri);
    Ok(call.headers.iter().fold(builder, |builder, header| builder.header(&header.name, &header.value)))
}

/// The beginning of a body, and whether there is more.
fn read(response: &mut Response<Body>, most: usize) -> std::io::Result<(Vec<u8>, bool)> {
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    response.body_mut().as_reader().take(limit).read_to_end(&mut bytes)?;
    let cut = bytes.len() > most;
    bytes.truncate(most);
    Ok((bytes, cut))
}

/// A body as text, or a note about one that is none.
fn shown(bytes: &[u8], cut: bool, headers: &HeaderMap) -> String {
    let kind = value(headers, &CONTENT_TYPE).unwrap_or("of an unknown type");
    let packed = value(headers, &CONTENT_ENCODING).is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity"));
    let whole = if cut { "more than " } else { "" };
    let decoded = match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        // A letter may have been cut in two; anything else is no text.
        Err(error) if cut && error.error_len().is_none() => std::str::from_utf8(&bytes[..error.valid_up_to()]).ok(),
        Err(_) => None,
    };
    match decoded.filter(|text| !packed && !text.contains('\0')) {
        Some("") => "(no body)".to_owned(),
        Some(text) if cut => format!("{text}\n(cut off after {} bytes)", text.len()),
        Some(text) => text.to_owned(),
        None => format!("({whole}{} bytes, {kind}, not shown: this is not text)", bytes.len()),
    }
}

fn value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// A server may repeat a key; we do not.
fn hide(text: &str, call: &HttpCall) -> String {
    let secrets = call.headers.iter().filter(|header| header.secret).flat_map(|header| {
        // A token is repeated without the word before it.
        let token = header.value.split_once(' ').map(|(_, token)| token);
        std::iter::once(header.value.as_str()).chain(token)
    });
    let secrets = secrets.filter(|secret| secret.len() >= SECRET_MIN_BYTES);
    secrets.fold(text.to_owned(), |text, secret| text.replace(secret, HIDDEN))
}
