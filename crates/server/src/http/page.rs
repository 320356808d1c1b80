//! The web UI: its files, and signing in by a one-time token that becomes a cookie and a secret of the page's own.

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
/// Where the page shows its secret.
const PAGE_SECRET: &str = "idetic-page";
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
    /// One browser was let in.
    In(Session),
}

/// What lets one browser in, by its hashes, and until when.
struct Session {
    cookie: blake3::Hash,
    /// What the page keeps under its own origin, which has a port, unlike the cookie: that goes to every port of the machine.
    secret: blake3::Hash,
    until: Instant,
}

/// What a request shows of the session.
#[derive(Debug, PartialEq, Eq)]
pub struct ShownSession {
    /// Whether it shows the secret of the page as well.
    pub is_page: bool,
    /// How long the session still lasts.
    pub left: Duration,
}

impl SignIn {
    /// A page that this token opens once; without one nobody signs in.
    pub fn new(token: Option<&str>, port: u16, now: Instant) -> Self {
        let waiting = token.map(|token| Progress::Waiting(blake3::hash(token.as_bytes()), now + TOKEN));
        Self { cookie: format!("idetic_session_{port}"), progress: Mutex::new(waiting.unwrap_or(Progress::Closed)) }
    }

    /// Exchanges the token: whoever shows it gets a session under this cookie and this secret, and nobody after them. Hashes are
    /// compared in constant time.
    fn exchange(&self, shown: &str, cookie: &str, secret: &str, now: Instant) -> bool {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let is_good = matches!(&*progress, Progress::Waiting(token, until) if *token == blake3::hash(shown.as_bytes()) && now < *until);
        if is_good {
            let [cookie, secret] = [cookie, secret].map(|own| blake3::hash(own.as_bytes()));
            *progress = Progress::In(Session { cookie, secret, until: now + SESSION });
        }
        is_good
    }

    /// What a request shows of the session, if it comes from the browser that was let in.
    pub fn knows(&self, headers: &HeaderMap, now: Instant) -> Option<ShownSession> {
        let said = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
        let mut pairs = said.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let (_, cookie) = pairs.find(|(name, _)| *name == self.cookie)?;
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let Progress::In(session) = &*progress else { return None };
        if session.cookie != blake3::hash(cookie.as_bytes()) || now >= session.until {
            return None;
        }
        let secret = headers.get(PAGE_SECRET).map(|secret| blake3::hash(secret.as_bytes()));
        Some(ShownSession { is_page: secret == Some(session.secret), left: session.until.duration_since(now) })
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

/// Exchanges a one-time token for a cookie that scripts cannot read and other sites cannot send, and for a secret that the page
/// keeps.
pub async fn sign_in(State(app): State<Arc<App>>, body: Bytes) -> Response {
    let random = || blake3::Hash::from_bytes(app.service.memory.env().random()).to_hex();
    let (cookie, secret) = (random(), random());
    let shown = serde_json::from_slice::<Shown>(&body);
    if !shown.is_ok_and(|shown| app.sign_in.exchange(&shown.token, &cookie, &secret, app.service.moment())) {
        return reply::refuse(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "the sign-in link was used already, is too old or is not of this server",
            "run `idetic open` again",
        );
    }
    let (name, seconds) = (&app.sign_in.cookie, SESSION.as_secs());
    let cookie = format!("{name}={cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}");
    let mut response = reply::json(StatusCode::OK, format!("{{\"page\":\"{secret}\"}}"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
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
        assert!(!sign_in.exchange("guess", "a", "p", now));
        assert_eq!(sign_in.knows(&with_cookie("a"), now), None);
        assert!(sign_in.exchange("secret", "a", "p", now));
        assert_eq!(sign_in.knows(&with_cookie("a"), now), Some(ShownSession { is_page: false, left: SESSION }));
        assert_eq!(sign_in.knows(&with_cookie("b"), now), None);
        assert!(!sign_in.exchange("secret", "b", "p", now), "a second time it is worth nothing");
        assert_eq!(sign_in.knows(&with_cookie("a"), now + SESSION), None);
        assert!(!SignIn::new(None, 80, now).exchange("", "a", "p", now));
        assert!(!SignIn::new(Some("secret"), 80, now).exchange("secret", "a", "p", now + TOKEN), "too late");
    }

    #[test]
    fn the_page_is_known_by_its_secret_besides_the_cookie() {
        let now = Instant::now();
        let sign_in = SignIn::new(Some("secret"), 80, now);
        assert!(sign_in.exchange("secret", "a", "p", now));
        let is_page = |cookie: &str, secret: &'static str| {
            let mut headers = with_cookie(cookie);
            headers.insert(PAGE_SECRET, HeaderValue::from_static(secret));
            sign_in.knows(&headers, now).map(|session| session.is_page)
        };
        assert_eq!(is_page("a", "p"), Some(true));
        assert_eq!(is_page("a", "q"), Some(false));
        assert_eq!(is_page("b", "p"), None, "the secret alone is worth nothing");
    }
}
