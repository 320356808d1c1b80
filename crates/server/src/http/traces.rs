//! OTLP over HTTP: the spans of an agent become events, each once however often it is sent.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use idetic_ops::{Error, Kind};
use idetic_otlp::{self as otlp, Incoming, Taken};

use super::call::Call;
use super::{App, reply};
use crate::{Principal, Refusal, Service, background};

/// The media type of OTLP in protobuf.
const PROTOBUF: &str = "application/x-protobuf";

/// Takes an export in.
pub async fn traces(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Arc<Principal>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let Some(append) = Service::operation("append").filter(|append| who.may(append)) else {
        return reply::forbidden();
    };
    let body = match body {
        Ok(body) => body,
        Err(wrong) => return reply::unread(&wrong),
    };
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_protobuf = header(header::CONTENT_TYPE.as_str()).is_some_and(|kind| kind.starts_with(PROTOBUF));
    let space = header("idetic-space").map(str::to_owned);
    let call = Call { app: Arc::clone(&app), who, operation: append, space, trace: None, name: None, body };
    let permit = match app.service.limiter.enter(append, &call.who.id).await {
        Ok(permit) => permit,
        Err(busy) => return Refusal::from(busy).into_response(),
    };
    let taken = background::block(move || {
        let taken = take(&call, is_protobuf);
        drop(permit);
        taken
    });
    match taken.await {
        Ok(Ok((rejected, message))) if is_protobuf => {
            ([(header::CONTENT_TYPE, PROTOBUF)], otlp::response_protobuf(rejected, &message)).into_response()
        }
        Ok(Ok((rejected, message))) => reply::json(StatusCode::OK, otlp::response_json(rejected, &message)),
        Ok(Err(refusal)) => refusal.into_response(),
        Err(fault) => std::panic::resume_unwind(fault),
    }
}

/// Appends what an export says; tells how much was not taken, and why. Blocks.
fn take(call: &Call, is_protobuf: bool) -> Result<(u64, String), Refusal> {
    let export = if is_protobuf { otlp::read_protobuf(&call.body) } else { otlp::read_json(&call.body) };
    let Taken { events, mut rejected, mut message, .. } = otlp::events(&export.map_err(Error::from)?);
    let (own, foreign): (Vec<Incoming>, Vec<Incoming>) =
        events.into_iter().partition(|event| is_own(&call.who, &event.record));
    if !foreign.is_empty() {
        rejected += foreign.len() as u64;
        message = "the key belongs to another agent".to_owned();
    }
    let records: Vec<String> = own.into_iter().map(|event| event.record).collect();
    match call.run(&format!("{{\"events\":[{}]}}", records.join(",")), false, &mut |_| Ok(())) {
        Ok(()) => Ok((rejected, message)),
        // An exporter that is refused tries again for ever; what another one sent already is told as not taken.
        Err(Refusal::Failed(error)) if error.kind == Kind::Conflict => {
            Ok((rejected + records.len() as u64, error.message))
        }
        Err(refused) => Err(refused),
    }
}

/// Whether the caller may say it: held to an agent, it speaks for no other.
fn is_own(who: &Principal, record: &str) -> bool {
    let Some(own) = &who.grant().agent else { return true };
    let said: serde_json::Value = serde_json::from_str(record).unwrap_or_default();
    said["agent_id"].as_str().is_none_or(|agent| agent == own)
}
