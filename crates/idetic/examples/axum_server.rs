//! A memory inside another HTTP server: two routes of your own, and calls handed to threads that may block.

#![expect(clippy::print_stdout, reason = "an example prints what it does")]

use axum::extract::{Query, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use idetic::{Memory, Space};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "server-memory".to_owned());
    let address = std::env::args().nth(2).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let ann = Memory::open(folder).and_then(|memory| memory.space("ann")).map_err(std::io::Error::other)?;
    let routes = Router::new().route("/remember", post(remember)).route("/recall", get(recall)).with_state(ann);
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    axum::serve(listener, routes).await
}

async fn remember(State(ann): State<Space>, text: String) -> Json<Value> {
    answer(move || Ok(json!({"id": ann.remember(&text)?.id}))).await
}

#[derive(serde::Deserialize)]
struct Question {
    q: String,
}

async fn recall(State(ann): State<Space>, Query(Question { q }): Query<Question>) -> Json<Value> {
    let texts = move || Ok(ann.recall(&q)?.into_iter().map(|hit| json!(hit.event.text)).collect());
    answer(texts).await
}

/// Runs a call where it may block.
async fn answer(call: impl FnOnce() -> idetic::Result<Value> + Send + 'static) -> Json<Value> {
    let done = tokio::task::spawn_blocking(call).await;
    Json(match done {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => json!({"error": error.to_string()}),
        Err(_) => json!({"error": "the call ended early"}),
    })
}
