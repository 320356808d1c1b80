//! The routes: one for each operation of the table, and the few that are not operations. Everything is behind the gate.

mod agent;
mod backup;
mod call;
mod cors;
mod gate;
mod heads;
mod mcp;
mod mem0;
mod page;
mod pages;
mod reply;
mod socket;
mod traces;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{any, get, post};
use idetic_ops::Idempotency;
use tokio::sync::{Semaphore, watch};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::decompression::RequestDecompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::budget::Budget;
use crate::connections::Connections;
use crate::metrics::Metrics;
use crate::oauth::OAuth;
use crate::rate::RateLimiter;
use crate::{Principal, Service, openapi};

/// Where tokens are to be had is told to everybody.
pub const OAUTH_METADATA: &str = "/.well-known/oauth-protected-resource";

/// What all requests share.
pub struct App {
    pub service: Arc<Service>,
    pub metrics: Metrics,
    pub rate: RateLimiter,
    pub unread: Arc<Budget>,
    pub requests: Arc<Budget>,
    pub connections: Arc<Connections>,
    pub oauth: Option<OAuth>,
    pub idempotency: Idempotency,
    pub heads: Arc<heads::Heads>,
    pub sign_in: page::SignIn,
    /// One backup is downloaded at a time: it reads a whole log.
    pub backing_up: Arc<Semaphore>,
    address: SocketAddr,
    stopping: watch::Sender<bool>,
    document: String,
}

impl App {
    pub fn new(service: Arc<Service>, address: SocketAddr) -> Self {
        let config = &service.memory.config().server;
        Self {
            metrics: Metrics::default(),
            rate: RateLimiter::new(config.requests_per_second),
            unread: Budget::of_answers(),
            requests: Budget::of_requests(config.max_body_bytes),
            connections: Arc::new(Connections::new(config.max_connections)),
            oauth: OAuth::of(config, service.memory.home()),
            idempotency: call::idempotency::of(&service.memory),
            heads: Arc::default(),
            sign_in: page::SignIn::new(service.settings().sign_in_token.as_deref(), address.port(), service.moment()),
            backing_up: Arc::new(Semaphore::new(1)),
            address,
            stopping: watch::Sender::new(false),
            document: openapi::document(service.settings().version).to_string(),
            service,
        }
    }

    /// Tells those who would go on for ever that it is over.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Whether somebody who was let in may go on.
    pub fn is_still_good(&self, who: &Principal) -> bool {
        who.is_still_good(&self.service.keys, self.service.memory.env().now())
    }

    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }
}

/// Every route.
pub fn router(app: &Arc<App>) -> Router {
    let config = &app.service.memory.config().server;
    let mut routes = Router::new();
    for operation in Service::routes() {
        routes = routes.route(
            &openapi::path(operation),
            post(move |state, who, trace, headers, query, body| {
                call::call(state, who, trace, operation, headers, query, body)
            }),
        );
    }
    mem0::routes(routes)
        .route(openapi::BACKUP, get(backup::backup))
        .route("/v1/traces", post(traces::traces))
        .route("/mcp", any(mcp::mcp))
        .route("/api/v1/agent", post(agent::agent))
        .route("/api/v1/flow/{flow}/service/agent", post(agent::agent))
        .route("/api/v1/socket", get(socket::socket))
        .route(page::INDEX, get(page::index))
        .route(page::ASSET, get(page::asset))
        .route(page::SIGN_IN, post(page::sign_in))
        .route("/openapi.json", get(pages::openapi))
        .route("/docs", get(pages::docs))
        .route("/metrics", get(pages::metrics))
        .route("/health", get(async || "ok"))
        .route("/ready", get(pages::ready))
        .route(OAUTH_METADATA, get(pages::oauth))
        .fallback(pages::nothing_here)
        .method_not_allowed_fallback(pages::wrong_method)
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(Arc::clone(app), reply::held))
        // Unpacked, a body is held to the same limit: what is small on the wire may be huge.
        .layer(RequestBodyLimitLayer::new(config.max_body_bytes))
        .layer(RequestDecompressionLayer::new())
        .layer(RequestBodyLimitLayer::new(config.max_body_bytes))
        .layer(RequestBodyTimeoutLayer::new(Duration::from_secs(config.read_timeout_seconds)))
        .layer(from_fn_with_state(Arc::clone(app), reply::counted))
        .layer(from_fn(mem0::shaped))
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(Arc::clone(app), gate::gate))
        .layer(CatchPanicLayer::custom(reply::panicked))
        .layer(from_fn(mem0::shaped))
        .layer(from_fn_with_state(Arc::clone(app), cors::readable))
        .with_state(Arc::clone(app))
}
