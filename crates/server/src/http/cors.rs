//! What browsers ask of a server (CORS): pages of the origins in `server.origins` may send requests and read answers.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;

/// The methods that routes have.
const METHODS: &str = "GET, POST, DELETE, OPTIONS";
/// The headers that are read from requests.
const REQUEST_HEADERS: &str = "authorization, content-encoding, content-type, idempotency-key, idetic-space, \
    last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, traceparent";
/// The headers of answers that are for the page and not for the browser.
const ANSWER_HEADERS: &str = "etag, mcp-session-id, retry-after, www-authenticate";
/// How long a browser need not ask again, in seconds.
const MAX_AGE: &str = "7200";

/// The origin of a request, if it is one of those in the configuration.
pub fn listed(app: &App, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    let origins = &app.service.memory.config().server.origins;
    origins.iter().any(|listed| listed.as_bytes() == origin.as_bytes()).then(|| origin.clone())
}

/// The answer to a browser that asks, before its page does, whether it may.
pub fn preflight(app: &App, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let is_asked = *request.method() == Method::OPTIONS && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if !is_asked || listed(app, headers).is_none() {
        return None;
    }
    let told = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, MAX_AGE),
    ];
    Some((StatusCode::NO_CONTENT, told).into_response())
}

/// Lets the page of a listed origin read what it is answered, errors too. Browsers are never told to send cookies: from
/// another origin the key is shown in a header.
pub async fn readable(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if app.service.memory.config().server.origins.is_empty() {
        return next.run(request).await;
    }
    let origin = listed(&app, request.headers());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(ANSWER_HEADERS));
    }
    response
}
