//! Answers as HTTP: the status of each kind of failure, and an object that says what happened and what to do.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use idetic_ops::{Error, Kind};
use serde_json::{Value, json};

use super::App;
use crate::budget::{self, FREE_BYTES, Reading};
use crate::{Principal, Refusal, hints};

/// The status of a failure.
pub fn status(error: &Error) -> StatusCode {
    match error.kind {
        Kind::Invalid => StatusCode::BAD_REQUEST,
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::Conflict => StatusCode::CONFLICT,
        Kind::CheckFailed => StatusCode::UNPROCESSABLE_ENTITY,
        Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// A body of JSON.
pub fn json(status: StatusCode, text: impl Into<Body>) -> Response {
    let mut response = (status, text.into()).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A refusal that no operation had a part in.
pub fn refuse(status: StatusCode, kind: &str, message: &str, hint: &str) -> Response {
    // In the order and with the names of an operation's error.
    let error = json!({"kind": kind, "type": kind, "code": kind, "message": message, "hint": hint});
    json(status, json!({"error": error}).to_string())
}

/// The key does not allow it: the same whatever is asked for.
pub fn forbidden() -> Response {
    refuse(
        StatusCode::FORBIDDEN,
        "forbidden",
        "the key does not allow this",
        "ask the server's administrator for a key that does",
    )
}

/// The key has asked so often that it has to wait.
pub fn too_often(wait: Duration) -> Response {
    let hint = "wait as long as Retry-After says";
    let mut response = refuse(StatusCode::TOO_MANY_REQUESTS, "too_many", "rate limit exceeded", hint);
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    if let Ok(value) = HeaderValue::from_str(&format!("{seconds:.0}")) {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
}

/// As an object.
pub fn object(refusal: &Refusal) -> Value {
    match refusal {
        Refusal::Forbidden => {
            json!({"kind": "forbidden", "type": "forbidden", "code": "forbidden", "message": "the key does not allow this"})
        }
        Refusal::Failed(error) => json!(hints::over_http(error.clone())),
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Forbidden => forbidden(),
            Self::Failed(error) => json(status(&error), json!({"error": hints::over_http(error)}).to_string()),
        }
    }
}

/// Why an answer is not given: too many earlier ones were not read.
pub fn unread_answers() -> Error {
    Error::unavailable("too many large answers for this key are waiting to be read")
        .hint("read them or close their connections, then try again")
}

/// Marks an answer whose bytes are counted already.
#[derive(Clone)]
pub struct IsCounted;

/// Counts the bytes of a large answer until it is read, whoever made it.
pub async fn counted(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let key = request.extensions().get::<Arc<Principal>>().map_or(String::new(), |who| who.id.clone());
    let (mut head, body) = next.run(request).await.into_parts();
    let length = body.size_hint().exact().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    if head.extensions.remove::<IsCounted>().is_some() || length <= FREE_BYTES {
        return Response::from_parts(head, body);
    }
    let mut held = app.unread.hold(&key);
    if !held.grow_to(length) {
        return Refusal::from(unread_answers()).into_response();
    }
    match to_bytes(body, length).await {
        Ok(bytes) => Response::from_parts(head, budget::body(bytes, held)),
        Err(_) => Refusal::from(Error::unavailable("the answer could not be built")).into_response(),
    }
}

/// Counts the bytes of a request from when they are read until it is answered.
pub async fn held(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let key = request.extensions().get::<Arc<Principal>>().map_or(String::new(), |who| who.id.clone());
    let reading = Reading::new(app.requests.hold(&key));
    let response = next.run(request.map(|body| reading.body(body))).await;
    if reading.was_refused() {
        return Refusal::from(too_many_requests()).into_response();
    }
    response
}

/// More bytes of requests than one key, or all of them, may hold.
pub fn too_many_requests() -> Error {
    Error::unavailable("too many large requests are being read")
        .hint("send fewer at once, or less at a time, and try again")
}

/// A body that could not be read: too large, too slow, or packed wrongly.
pub fn unread(wrong: &BytesRejection) -> Response {
    let text = wrong.body_text();
    // Unpacked or sent in pieces, it is known to be too long only while it is read.
    if wrong.status() == StatusCode::PAYLOAD_TOO_LARGE || text.contains("length limit exceeded") {
        return too_long();
    }
    refuse(wrong.status(), "invalid", &text, "send the whole body, compressed with gzip or uncompressed")
}

/// A body that is too long.
pub fn too_long() -> Response {
    let hint = "send less at a time; server.max_body_bytes is the limit";
    refuse(StatusCode::PAYLOAD_TOO_LARGE, "invalid", "the body is too long", hint)
}

/// A fault of the program: said without a word of what it was about, which may be somebody's.
pub fn panicked(_: Box<dyn Any + Send + 'static>) -> Response {
    refuse(
        StatusCode::INTERNAL_SERVER_ERROR,
        "fault",
        "internal server error",
        "what was acknowledged is safe; please report it",
    )
}
