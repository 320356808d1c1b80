//! The gate before every route: from where it is asked, with which key, how often. What is not let in gets no further.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use idetic_ops::core::Time;

use super::{App, OAUTH_METADATA, cors, mem0, page, reply};
use crate::Principal;
use crate::connections::{Busy, Connection};
use crate::traceparent::{TraceId, trace_id};

/// What everybody may ask.
const OPEN: [&str; 2] = ["/health", "/ready"];
/// Where the key may come in the first message instead.
const SOCKET: &str = "/api/v1/socket";
/// What somebody who is signed in may also open by its address: pages that are only read and hold nothing of the memory.
const TYPED: [&str; 2] = ["/docs", "/openapi.json"];

/// Lets a request in, or not, and counts it either way.
pub async fn gate(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let start = app.service.moment();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = route.unwrap_or_else(|| "other".to_owned());
    let method = request.method().clone();
    let running = Running::begin(&app);
    let connection = request.extensions().get::<Connection>().cloned();
    // While it is answered, and until the answer is read, its connection is not closed for another's sake.
    let busy = connection.as_ref().map(Connection::busy);
    let (key, response) = match admit(&app, &mut request, &route) {
        Ok(who) => {
            who.iter().zip(&connection).for_each(|(_, connection)| connection.is_known());
            (who, next.run(request).await)
        }
        Err(answered) => (None, *answered),
    };
    drop(running);
    let response = response.map(|body| Body::new(Guarded { body, _guard: busy }));
    let (status, took) = (response.status().as_u16(), app.service.moment() - start);
    app.metrics.count(&route, status, took);
    let (key, micros) = (key.as_deref().unwrap_or("-"), u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    tracing::info!(target: "idetic::http", %method, route, status, micros, key, "request");
    secured(response)
}

/// A request while it runs, also where its client hangs up.
struct Running(Arc<App>);

impl Running {
    fn begin(app: &Arc<App>) -> Self {
        app.metrics.in_flight.inc();
        Self(Arc::clone(app))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.metrics.in_flight.dec();
    }
}

/// An answer and what is kept until it is read.
struct Guarded {
    body: Body,
    _guard: Option<Busy>,
}

impl HttpBody for Guarded {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body that says beforehand that it is too long is not read.
fn check_length(app: &App, headers: &HeaderMap) -> Result<(), Box<Response>> {
    let said = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    match said {
        Some(length) if length > app.service.memory.config().server.max_body_bytes => Err(Box::new(reply::too_long())),
        _ => Ok(()),
    }
}

/// Who asks, by the id of the key; what is open has nobody. What is answered here gets no further.
fn admit(app: &App, request: &mut Request, route: &str) -> Result<Option<String>, Box<Response>> {
    check_host(app, request.headers(), request.uri())?;
    // A browser asks this without a key.
    if let Some(answer) = cors::preflight(app, request) {
        return Err(Box::new(answer));
    }
    check_names(request.headers())?;
    let traceparent = request.headers().get("traceparent").and_then(|value| value.to_str().ok());
    let trace = TraceId(traceparent.and_then(trace_id));
    let is_open = OPEN.contains(&route) || page::is_open(request, route);
    if is_open || (route == OAUTH_METADATA && app.oauth.is_some()) {
        return Ok(None);
    }
    let shown = shown_key(request.headers(), route);
    let who = match shown {
        Some(shown) => who(app, shown),
        None => signed_in(app, request.headers(), route).or_else(|| app.service.settings().without_key.clone()),
    };
    let Some(who) = who else {
        let may_come_later = route == SOCKET && request.headers().contains_key(header::UPGRADE);
        return if may_come_later && shown.is_none() { Ok(None) } else { Err(unknown(app)) };
    };
    limit(app, &who.id)?;
    check_length(app, request.headers())?;
    let id = who.id.clone();
    request.extensions_mut().insert(Arc::new(who));
    request.extensions_mut().insert(trace);
    Ok(Some(id))
}

/// Who asks if it is the page, signed in: a browser sends the cookie for the pages of other ports of this machine, too, and to a
/// WebSocket, which the page does not use. Where it says whose page asks, that must be ours: a download has no `Origin`. Nobody's
/// page asks (`none`) where somebody types an address, but also where an extension or another program does.
fn signed_in(app: &App, headers: &HeaderMap, route: &str) -> Option<Principal> {
    let is_own = match headers.get("sec-fetch-site").map(HeaderValue::as_bytes) {
        None | Some(b"same-origin") => true,
        Some(b"none") => TYPED.contains(&route),
        Some(_) => false,
    };
    if route == SOCKET || !is_own || cors::listed(app, headers).is_some() {
        return None;
    }
    let session = app.sign_in.knows(headers, app.service.moment())?;
    let left = i64::try_from(session.left.as_micros()).unwrap_or(i64::MAX);
    let until = Time(app.service.memory.env().now().0.saturating_add(left));
    Some(Principal::signed_in(session.is_page, until))
}

/// A header that chooses where and whether something is done is read, or the request refused.
fn check_names(headers: &HeaderMap) -> Result<(), Box<Response>> {
    for name in ["idetic-space", "idempotency-key"] {
        let mut given = headers.get_all(name).iter();
        let is_readable = given.next().is_none_or(|value| value.to_str().is_ok());
        if !is_readable || given.next().is_some() {
            let why = format!("the header {name} has to be given once, in ASCII");
            let hint = "a space with other letters is named in the query: `?space=USER/COLLECTION`, percent-encoded";
            return Err(Box::new(reply::refuse(StatusCode::BAD_REQUEST, "invalid", &why, hint)));
        }
    }
    Ok(())
}

/// Takes one request of what a key has left.
pub fn limit(app: &App, key: &str) -> Result<(), Box<Response>> {
    app.rate.take(key, app.service.moment()).map_err(|wait| Box::new(reply::too_often(wait)))
}

/// Who shows a key or a token, if it is good.
pub fn who(app: &App, shown: &str) -> Option<Principal> {
    let now = app.service.memory.env().now();
    // Keys that cannot be read let nobody in.
    match app.service.keys.check(shown, now) {
        Ok(Some(key)) => Principal::of_key(&key),
        Ok(None) => app.oauth.as_ref().and_then(|oauth| oauth.check(shown)),
        Err(_) => None,
    }
}

/// The key that is shown; an empty one where it is shown in a way that is not known.
fn shown_key<'a>(headers: &'a HeaderMap, route: &str) -> Option<&'a str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, shown) = value.split_once(' ').unwrap_or((value, ""));
    let is_key = |word: &str| scheme.eq_ignore_ascii_case(word);
    // A client of mem0's sends its key so.
    Some(if is_key("bearer") || is_key("token") && mem0::is_route(route) { shown.trim() } else { "" })
}

fn unknown(app: &App) -> Box<Response> {
    let mut response = reply::refuse(
        StatusCode::UNAUTHORIZED,
        "unauthorized",
        "missing or invalid API key",
        "send `Authorization: Bearer KEY`; `idetic key create --name NAME` creates a key",
    );
    let metadata = app.oauth.as_ref().map(|oauth| format!(" resource_metadata=\"{}\"", oauth.metadata_url()));
    let challenge = format!("Bearer realm=\"idetic\"{}", metadata.map(|m| format!(",{m}")).unwrap_or_default());
    if let Ok(value) = HeaderValue::from_str(&challenge) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    Box::new(response)
}

/// A page of somebody else's that has our address under a name of its own does not get in, nor one from elsewhere.
fn check_host(app: &App, headers: &HeaderMap, uri: &Uri) -> Result<(), Box<Response>> {
    let refuse = |status, message: &str, hint: &str| Err(Box::new(reply::refuse(status, "forbidden", message, hint)));
    let named = headers
        .get(header::HOST)
        .map(|host| host.to_str().unwrap_or(""))
        .or_else(|| uri.authority().map(|a| a.as_str()));
    let host = named.map(without_port).unwrap_or_default();
    let config = &app.service.memory.config().server;
    let is_ours = |host: &str| {
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let by_address = match address {
            Ok(ip) => ip.is_loopback() || !app.address.ip().is_loopback(),
            Err(_) => host.eq_ignore_ascii_case("localhost"),
        };
        by_address || config.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    };
    if !is_ours(host) {
        return refuse(
            StatusCode::MISDIRECTED_REQUEST,
            "this host name is not allowed",
            "use its address, or add the name to server.hosts in config.toml",
        );
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or("");
    let own = origin.split_once("://").is_some_and(|(scheme, rest)| {
        matches!(scheme, "http" | "https") && named.is_some_and(|named| rest.eq_ignore_ascii_case(named))
    });
    if own || cors::listed(app, headers).is_some() {
        return Ok(());
    }
    refuse(
        StatusCode::FORBIDDEN,
        "requests from this origin are not allowed",
        "add it to server.origins in config.toml if it is yours",
    )
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port))
            if port.bytes().all(|b| b.is_ascii_digit()) && (!name.contains(':') || name.ends_with(']')) =>
        {
            name
        }
        _ => host,
    }
}

/// Nothing of what is answered is kept by anybody between, or taken for what it is not.
fn secured(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
