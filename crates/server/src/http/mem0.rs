//! The routes of mem0, so that its clients work against this server: each request becomes calls of operations, and their answers
//! take mem0's shapes. Nothing is decided here: rights, limits, spaces and idempotency are those of the operations.

mod add;
mod asked;
mod change;
mod entities;
mod filters;
mod memories;
mod place;
mod read;

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{MatchedPath, Request};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, delete, get, post, put};
use serde_json::{Value, json};

use super::{App, reply};
use asked::{Asked, Refused};

/// Longest error that is put into mem0's shape: all of them are a few sentences.
const ERROR_MAX_BYTES: usize = 64 << 10;

/// Every path with what answers it; each is there with and without a slash at its end.
fn table() -> Vec<(&'static str, MethodRouter<Arc<App>>)> {
    let memories = || get(read::list).post(add::add).delete(change::delete_all);
    let memory = || get(read::one).put(change::update).delete(change::delete);
    let batch = put(change::update_batch).delete(change::delete_batch);
    let mut table = vec![
        ("/v1/ping", get(ping)),
        ("/v3/memories/add", post(add::add)),
        ("/v3/memories", post(read::list)),
        ("/v3/memories/search", post(read::search)),
        ("/v2/memories", post(read::list)),
        ("/v2/memories/search", post(read::search)),
        ("/v1/memories", memories()),
        ("/v1/memories/search", post(read::search)),
        ("/v1/memories/{id}", memory()),
        ("/v1/memories/{id}/history", get(read::history)),
        ("/v1/batch", batch),
        ("/v1/entities", get(entities::list)),
        ("/v1/entities/{kind}/{name}", delete(entities::delete)),
        ("/v2/entities/{kind}/{name}", delete(entities::delete)),
        ("/memories", memories()),
        ("/memories/{id}", memory()),
        ("/memories/{id}/history", get(read::history)),
        ("/search", post(read::search)),
    ];
    table.extend(NOT_OFFERED.map(|path| (path, any(not_offered))));
    table
}

/// What mem0 has and this server has not, or has in another way.
const NOT_OFFERED: [&str; 10] = [
    "/v1/event/{id}",
    "/v1/events",
    "/v1/exports",
    "/v1/exports/get",
    "/v1/feedback",
    "/v1/summary",
    "/v2/entities/{kind}/{name}/profile",
    "/v2/profiles/{*rest}",
    "/api/v1/orgs/{*rest}",
    "/api/v1/webhooks/{*rest}",
];

/// The routes beside those of the operations.
pub fn routes(mut router: Router<Arc<App>>) -> Router<Arc<App>> {
    for (path, answers) in table() {
        router = router.route(path, answers.clone());
        if !path.ends_with("{*rest}") {
            router = router.route(&format!("{path}/"), answers);
        }
    }
    router
}

/// Whether a route is one of mem0's, by its path as it was matched.
pub fn is_route(route: &str) -> bool {
    static PATHS: LazyLock<Vec<&str>> = LazyLock::new(|| table().into_iter().map(|(path, _)| path).collect());
    PATHS.contains(&route.strip_suffix('/').unwrap_or(route))
}

/// Marks an error that is in mem0's shape.
#[derive(Clone)]
struct IsShaped;

/// Puts every error of these routes into mem0's shape, whoever refused: the gate, or, before it is compressed, an operation.
pub async fn shaped(request: Request, next: Next) -> Response {
    let is_ours = request.extensions().get::<MatchedPath>().is_some_and(|path| is_route(path.as_str()));
    let response = next.run(request).await;
    let is_shaped = response.extensions().get::<IsShaped>().is_some();
    if !is_ours || is_shaped || response.status().is_success() {
        return response;
    }
    let (mut head, body) = response.into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    let said: Value = match to_bytes(body, ERROR_MAX_BYTES).await {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
        Err(_) => Value::Null,
    };
    let (message, hint) = (said["error"]["message"].as_str(), said["error"]["hint"].as_str());
    let detail =
        [message.or(head.status.canonical_reason()), hint].into_iter().flatten().collect::<Vec<_>>().join(": ");
    let mut shape = json!({"detail": detail});
    if let Some(kind) = said["error"]["kind"].as_str() {
        shape["code"] = kind.into();
    }
    head.extensions.insert(IsShaped);
    Response::from_parts(head, Body::from(shape.to_string()))
}

/// Whether the server lives and the key is good. The client refuses to work without an organization and a project, so it is told
/// what stands for them: the caller's user and collection.
async fn ping(asked: Asked) -> Response {
    let named = place::space(&asked, None).map_err(Refused::from).map(|space| {
        let [user, collection] = space.parts();
        json!({"status": "ok", "org_id": user, "project_id": collection, "user_email": null})
    });
    answer(named)
}

async fn not_offered(_: Asked) -> Response {
    let hint = "docs/building.md lists what of mem0's API is served; every operation of Idetic is a route of its own";
    reply::refuse(
        StatusCode::NOT_IMPLEMENTED,
        "not_offered",
        "this server does not offer this part of mem0's API",
        hint,
    )
}

/// What a handler answers.
type Answered = Result<Value, Refused>;

/// An answer as the handlers give it.
fn answer(answered: Answered) -> Response {
    match answered {
        Ok(value) => reply::json(StatusCode::OK, value.to_string()),
        Err(refused) => refused.into_response(),
    }
}
