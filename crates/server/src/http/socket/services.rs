//! The memory services of specification 002: each is an operation under another name, called as its route calls it.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use idetic_ops::{Error, Operation};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::call::{Call, Paging, carry_out};
use super::super::{App, reply};
use crate::budget::Held;
use crate::{Principal, Refusal, Service};

/// The services by the names of the document's clients and of its requests, and the operation of each.
const SERVICES: [(&str, &str); 10] = [
    ("fact-retrieval", "fact retrieve"),
    ("retrieve-facts", "fact retrieve"),
    ("fact-storage", "fact store"),
    ("store-fact", "fact store"),
    ("episode-retrieval", "episode retrieve"),
    ("retrieve-episodes", "episode retrieve"),
    ("episode-storage", "episode store"),
    ("store-episode", "episode store"),
    ("get-conversation-memory", "conversation show"),
    ("update-conversation-memory", "conversation add"),
];
/// The one service with two requests; that which adds an invocation has it.
const CONVERSATION: &str = "conversation-memory";
const INVOCATION: &str = "invocation_summary";

/// The operation of a service, or the one with this name.
pub fn operation(service: &str, request: &Value) -> Option<&'static Operation> {
    let service = match service {
        CONVERSATION if request.get(INVOCATION).is_some() => "update-conversation-memory",
        CONVERSATION => "get-conversation-memory",
        other => other,
    };
    let known = SERVICES.iter().find(|(name, _)| *name == service);
    Service::operation(known.map_or(service, |(_, operation)| *operation))
}

/// What a message says besides its id and its service.
#[derive(Deserialize)]
struct Sent<'a> {
    /// The arguments: raw, so that an event is stored as it was sent.
    #[serde(borrow)]
    request: Option<&'a RawValue>,
    space: Option<String>,
    cursor: Option<String>,
    page_size: Option<usize>,
}

/// Calls an operation with what a message says: the text of its answer, counted until it is sent, or why there is none.
pub async fn call(
    app: Arc<App>,
    who: Arc<Principal>,
    operation: &'static Operation,
    message: Utf8Bytes,
) -> Result<(String, Held), Refusal> {
    let mut request = app.requests.hold(&who.id);
    if !request.grow_to(message.len()) {
        return Err(reply::too_many_requests().into());
    }
    let (call, paging) = read(app, who, operation, &message)?;
    drop(message);
    // A task of its own: a fault in it is an answer, too.
    let done = tokio::spawn(carry_out(call, paging, None)).await;
    drop(request);
    done.unwrap_or_else(|_| Err(Error::unavailable("internal server error").into()))
}

fn read(
    app: Arc<App>,
    who: Arc<Principal>,
    operation: &'static Operation,
    message: &str,
) -> Result<(Call, Paging), Refusal> {
    let sent: Sent<'_> = serde_json::from_str(message).map_err(|error| {
        Error::invalid(format!("the message is invalid: {error}"))
            .hint("it has an id, a service, a request, and where they are needed space, cursor and page_size")
    })?;
    let body = sent.request.map_or_else(Bytes::new, |request| Bytes::copy_from_slice(request.get().as_bytes()));
    let paging = Paging { cursor: sent.cursor, page_size: sent.page_size, space: None };
    Ok((Call { app, who, operation, space: sent.space, trace: None, name: None, body }, paging))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_service_has_its_operation() {
        for (service, name) in SERVICES {
            assert_eq!(operation(service, &json!({})).map(|operation| operation.name), Some(name), "{service}");
        }
        let conversation = |request: &Value| operation(CONVERSATION, request).map(|operation| operation.name);
        assert_eq!(conversation(&json!({"conversation_id": "c"})), Some("conversation show"));
        assert_eq!(conversation(&json!({"invocation_summary": {}})), Some("conversation add"));
        assert_eq!(operation("fact delete", &json!({})).map(|operation| operation.name), Some("fact delete"));
        assert!(operation("fact", &json!({})).is_none() && operation("", &Value::Null).is_none());
    }
}
