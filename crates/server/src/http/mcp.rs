//! MCP over HTTP: every request stands for itself and acts as its key. There are no sessions, so nothing is kept between
//! requests and no id of one can be taken for a key.

use std::sync::Arc;

use axum::body::Body;
use axum::body::Bytes;
use axum::extract::{FromRequest, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;

use super::{App, reply};
use crate::mcp::{Profile, Server};

/// Which tools are wanted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileQuery {
    profile: Option<String>,
}

/// Answers a message.
pub async fn mcp(State(app): State<Arc<App>>, request: Request) -> Response {
    let wanted = Query::<ProfileQuery>::try_from_uri(request.uri()).ok().map(|Query(wanted)| wanted.profile);
    let profile = wanted.and_then(|wanted| wanted.map_or(Some(Profile::Default), |name| Profile::named(&name)));
    let Some(profile) = profile else {
        let hint = format!("the query string takes profile, one of: {}", Profile::NAMES.join(", "));
        return reply::refuse(StatusCode::BAD_REQUEST, "invalid", "unknown tool profile", &hint);
    };
    let server = Server { service: Arc::clone(&app.service), profile, local: None, trace: None };
    // The gate has checked where the request comes from; a second opinion could only differ.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(app.service.memory.config().server.max_body_bytes)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::<NeverSessionManager>::default(), config);
    // Read here, so that a body that cannot be is answered as everywhere.
    let (head, body) = request.into_parts();
    let body = match Bytes::from_request(Request::from_parts(head.clone(), body), &()).await {
        Ok(body) => body,
        Err(wrong) => return reply::unread(&wrong),
    };
    let mut response = service.handle(Request::from_parts(head, Body::from(body))).await.map(Body::new);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    response
}
