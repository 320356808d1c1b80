//! The web UI: its files, and signing in by a one-time token that becomes a cookie.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use idetic_page::{CONTENT_SECURITY_POLICY, file};
use serde::Deserialize;

use super::{App, pages, reply};

/// Where the page is.
pub const INDEX: &str = "/";
/// Where its files are.
pub const ASSET: &str = "/page/{file}";
/// Where a token is exchanged.
pub const SIGN_IN: &str = "/page/sign-in";
/// How long a link may be used, and how long a session lasts.
const TOKEN: Duration = Duration::from_secs(120);
const SESSION: Duration = Duration::from_secs(12 * 3600);

/// Who signed in on the page of a server that was started for one person.
pub struct SignIn {
    /// The name of the cookie: cookies are those of a machine, whatever the port.
    cookie: String,
    progress: Mutex<Progress>,
}

/// How far it is with signing in.
enum Progress {
    /// Nobody signs in.
    Closed,
    /// Whoever shows this token by then is let in, once.
    Waiting(blake3::Hash, Instant),
    /// One browser was let in until then, by the hash of its cookie.
    In(blake3::Hash, Instant),
}

impl SignIn {
    /// A page that this token opens once; without one nobody signs in.
    pub fn new(token: Option<&str>, port: u16, now: Instant) -> Self {
        let waiting = token.map(|token| Progress::Waiting(blake3::hash(token.as_bytes()), now + TOKEN));
        Self { cookie: format!("idetic_session_{port}"), progress: Mutex::new(waiting.unwrap_or(Progress::Closed)) }
    }

    /// Exchanges the token: whoever shows it gets a session under this cookie, and nobody after them. Hashes are compared in
    /// constant time.
    fn exchange(&self, shown: &str, cookie: &str, now: Instant) -> bool {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let is_good = matches!(&*progress, Progress::Waiting(token, until) if *token == blake3::hash(shown.as_bytes()) && now < *until);
        if is_good {
            *progress = Progress::In(blake3::hash(cookie.as_bytes()), now + SESSION);
        }
        is_good
    }

    /// Whether a request comes from the browser that was let in.
    pub fn knows(&self, headers: &HeaderMap, now: Instant) -> bool {
        let said = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
        let mut pairs = said.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let Some((_, cookie)) = pairs.find(|(name, _)| *name == self.cookie) else { return false };
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(&*progress, Progress::In(own, until) if *own == blake3::hash(cookie.as_bytes()) && now < *until)
    }
}

/// Whether a request is for the page itself, which holds nothing of anybody's: everybody may load it and sign in.
pub fn is_open(request: &Request, route: &str) -> bool {
    match (request.method(), route) {
        (&Method::GET, INDEX) => accepts_html(request.headers()),
        (&Method::GET, ASSET) | (&Method::POST, SIGN_IN) => true,
        _ => false,
    }
}

fn accepts_html(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).is_some_and(|accept| accept.to_str().is_ok_and(|accept| accept.contains("text/html")))
}

/// The page for a browser; a program that asks for something else is told where to look.
pub async fn index(headers: HeaderMap) -> Response {
    if accepts_html(&headers) { sent("index.html", &headers) } else { pages::nothing_here().await }
}

/// One of its files.
pub async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    if file(&name).is_some() { sent(&name, &headers) } else { pages::nothing_here().await }
}

/// A file, or that the browser's copy is still good.
fn sent(name: &str, headers: &HeaderMap) -> Response {
    let Some(file) = file(name) else { return StatusCode::NOT_FOUND.into_response() };
    let tag = format!("\"{}\"", file.hash);
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Bytes::from_static(file.bytes).into_response()
    };
    let own = response.headers_mut();
    own.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    own.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY));
    own.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        own.insert(header::ETAG, tag);
    }
    response
}

/// The token as the page sends it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    token: String,
}

/// Exchanges a one-time token for a cookie that scripts cannot read and other sites cannot send.
pub async fn sign_in(State(app): State<Arc<App>>, body: Bytes) -> Response {
    let random: [u8; 32] = app.service.memory.env().random();
    let cookie = blake3::Hash::from_bytes(random).to_hex();
    let shown = serde_json::from_slice::<Shown>(&body);
    if !shown.is_ok_and(|shown| app.sign_in.exchange(&shown.token, &cookie, app.service.moment())) {
        return reply::refuse(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "the sign-in link was used already, is too old or is not of this server",
            "run `idetic open` again",
        );
    }
    let (name, seconds) = (&app.sign_in.cookie, SESSION.as_secs());
    let cookie = format!("{name}={cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}");
    let mut response = reply::json(StatusCode::OK, "{}".to_owned());
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_cookie(cookie: &str) -> HeaderMap {
        let value = HeaderValue::from_str(&format!("other=1; idetic_session_80={cookie}")).expect("a header");
        HeaderMap::from_iter([(header::COOKIE, value)])
    }

    #[test]
    fn a_token_opens_the_page_once_and_the_session_ends() {
        let now = Instant::now();
        let sign_in = SignIn::new(Some("secret"), 80, now);
        assert!(!sign_in.exchange("guess", "a", now));
        assert!(!sign_in.knows(&with_cookie("a"), now));
        assert!(sign_in.exchange("secret", "a", now));
        assert!(sign_in.knows(&with_cookie("a"), now) && !sign_in.knows(&with_cookie("b"), now));
        assert!(!sign_in.exchange("secret", "b", now), "a second time it is worth nothing");
        assert!(!sign_in.knows(&with_cookie("a"), now + SESSION));
        assert!(!SignIn::new(None, 80, now).exchange("", "a", now));
        assert!(!SignIn::new(Some("secret"), 80, now).exchange("secret", "a", now + TOKEN), "too late");
    }
}
