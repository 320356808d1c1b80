//! The routes that are no operations: whether the server lives, what it offers, what it counts.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use idetic_ops::Rights;

use super::{App, reply};
use crate::{Principal, Service, openapi};

pub async fn openapi(State(app): State<Arc<App>>) -> Response {
    reply::json(StatusCode::OK, app.document.clone())
}

pub async fn metrics(State(app): State<Arc<App>>, Extension(who): Extension<Arc<Principal>>) -> Response {
    if !who.is_admin() {
        return reply::forbidden();
    }
    let upkeep = &app.service.upkeep;
    app.metrics.set_memory(app.service.memory.open_spaces().len(), upkeep.waiting(), upkeep.expired());
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text()).into_response()
}

/// Whether questions can be answered: the home is there and the keys can be read.
pub async fn ready(State(app): State<Arc<App>>) -> Response {
    let is_ready = app.service.keys.known().is_ok() && app.service.memory.home().join("spaces").is_dir();
    if is_ready { "ready".into_response() } else { (StatusCode::SERVICE_UNAVAILABLE, "unready").into_response() }
}

pub async fn oauth(State(app): State<Arc<App>>) -> Response {
    match &app.oauth {
        Some(oauth) => reply::json(StatusCode::OK, oauth.metadata().to_string()),
        None => nothing_here().await,
    }
}

pub async fn nothing_here() -> Response {
    reply::refuse(StatusCode::NOT_FOUND, "not_found", "there is no such route", "GET /openapi.json lists the routes")
}

pub async fn wrong_method() -> Response {
    reply::refuse(StatusCode::METHOD_NOT_ALLOWED, "invalid", "method not allowed", "operations are called by POST")
}

/// The table of operations for people.
pub async fn docs() -> Response {
    let mut rows = String::new();
    for operation in Service::routes() {
        let right = match operation.rights {
            Rights::Read => "read",
            Rights::Write => "write",
            Rights::Admin => "admin",
        };
        rows.push_str(&format!(
            "<tr><td><code>POST {}</code></td><td>{}</td><td>{right}</td><td><code>{}</code></td></tr>",
            openapi::path(operation),
            escaped(operation.about),
            escaped(operation.example),
        ));
    }
    let page = include_str!("docs.html").replace("<!-- rows -->", &rows);
    let policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
