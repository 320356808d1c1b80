//! A backup as a download: nothing is put on the server's disk, and nobody names a file there.

use std::io::{self, Write};
use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use idetic_ops::core::SpaceName;
use idetic_ops::{Error, Memory, Result, Space, backup_to};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::{App, reply};
use crate::{Principal, Refusal, background};

/// Pieces that wait for a slow reader.
const PIECES: usize = 8;
/// Bytes of a piece.
const PIECE_BYTES: usize = 64 << 10;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Asked {
    /// The space, for whoever cannot send a header.
    space: Option<String>,
}

/// The log of a space, compressed, for a key that administers the whole home.
pub async fn backup(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Arc<Principal>>,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Response {
    if !who.administers_home() {
        return reply::forbidden();
    }
    let named = headers.get("idetic-space").and_then(|value| value.to_str().ok()).map(str::to_owned).or(asked.space);
    let Ok(permit) = Arc::clone(&app.backing_up).try_acquire_owned() else {
        let hint = "try again when it has ended";
        return reply::refuse(
            StatusCode::SERVICE_UNAVAILABLE,
            "unavailable",
            "another backup is being downloaded",
            hint,
        );
    };
    let (memory, by) = (Arc::clone(&app.service.memory), who.id.clone());
    let space = background::block(move || begin(&memory, &by, named));
    let space = match space.await {
        Ok(Ok(space)) => space,
        Ok(Err(error)) => return Refusal::from(error).into_response(),
        Err(fault) => std::panic::resume_unwind(fault),
    };
    let (send, pieces) = mpsc::channel(PIECES);
    tokio::spawn(async move {
        let _one_at_a_time = permit;
        let (told, from) = (send.clone(), Arc::clone(&space));
        let sent = background::run(background::LONG_WORK, move || sent(&from, send)).await;
        let error = match sent {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error),
            Err(_) => Some(Error::unavailable("the backup failed")),
        };
        let outcome = error.as_ref().map_or_else(|| "done".to_owned(), |error| error.message.clone());
        let ended = background::block(move || tell(&app.service.memory, &who.id, &space, &outcome)).await;
        if let Ok(Err(error)) = ended {
            tracing::warn!(target: "idetic::backup", "the end of a backup is not in the audit log: {}", error.message);
        }
        if let Some(error) = error {
            // The download breaks off: a part of a backup must not pass for a whole one.
            let _ = told.send(Err(io::Error::other(error.message))).await;
        }
    });
    let kind = [
        (header::CONTENT_TYPE, "application/gzip"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"memory.idetic.gz\""),
    ];
    (kind, Body::from_stream(ReceiverStream::new(pieces))).into_response()
}

/// The space, once the audit log has that a backup of it begins: before the first byte leaves, so that nobody has one that it
/// knows nothing of.
fn begin(memory: &Memory, by: &str, named: Option<String>) -> Result<Arc<Space>> {
    let name = named.map_or_else(|| Ok(memory.config().space.clone()), |name| SpaceName::parse(&name))?;
    let space = memory.space(&name)?;
    tell(memory, by, &space, "begun")?;
    Ok(space)
}

/// Records in the audit log how far a backup is.
fn tell(memory: &Memory, by: &str, space: &Space, outcome: &str) -> Result<()> {
    let said = json!({"operation": "backup", "space": space.name().to_string(), "outcome": outcome});
    memory.audit("admin.called", by, &said)
}

/// Sends all of it, as fast as it is read.
fn sent(space: &Space, send: mpsc::Sender<io::Result<Bytes>>) -> Result<()> {
    let mut out = io::BufWriter::with_capacity(PIECE_BYTES, Pieces(send));
    backup_to(&mut out, space)?;
    out.flush().map_err(Error::io("cannot send the backup"))
}

/// What is written goes to whoever downloads.
struct Pieces(mpsc::Sender<io::Result<Bytes>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes)));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
