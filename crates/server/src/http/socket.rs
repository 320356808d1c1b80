//! The WebSocket of specification 002: many requests at a time over one connection, each with its id, to the agent, the
//! memory services and every other operation.

mod services;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use idetic_ops::{Error, Operation};
use serde_json::{Value, json};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::agent::{may_ask, talk};
use super::call::stream::too_many;
use super::{App, gate, reply};
use crate::background;
use crate::budget::Held;
use crate::concurrency::Permit;
use crate::connections::Connection;
use crate::{Principal, Refusal};

/// Largest message.
const MESSAGE_MAX_BYTES: usize = 1 << 20;
/// Requests of one connection that are answered at a time; the next ones wait unread.
const IN_FLIGHT: usize = 4;
/// How long whoever connects may take to show a key.
const AUTH_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a message waits for a reader before the conversation is over.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
/// Messages that wait for a slow reader.
const WAITING: usize = 16;
/// What is kept of a message that cannot be written at once: one that is as long as an agent's answer becomes.
const WRITE_BUFFER_BYTES: usize = 4 << 20;
/// Longest answer of a service, with its id: what is kept has to hold it, and signs of life beside it.
const ANSWER_MAX_BYTES: usize = WRITE_BUFFER_BYTES - (64 << 10);

/// A message that waits to be sent, and what is kept until it is.
struct Outgoing {
    message: Message,
    _kept: Option<(Held, OwnedSemaphorePermit)>,
}

impl From<Message> for Outgoing {
    fn from(message: Message) -> Self {
        Self { message, _kept: None }
    }
}

/// What a message asks for.
enum Asked {
    Agent,
    Operation(&'static Operation),
}

pub async fn socket(
    State(app): State<Arc<App>>,
    who: Option<Extension<Arc<Principal>>>,
    Extension(connection): Extension<Connection>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let who = who.map(|Extension(who)| who);
    // Whoever shows a key later shares with all who do so from there.
    let key = who.as_ref().map_or_else(|| connection.ip().to_string(), |who| who.id.clone());
    let Some(permit) = app.service.limiter.stream(&key) else { return too_many() };
    let most = MESSAGE_MAX_BYTES.min(app.service.memory.config().server.max_body_bytes);
    let upgrade = upgrade.max_message_size(most).max_frame_size(most);
    upgrade.max_write_buffer_size(WRITE_BUFFER_BYTES).on_upgrade(move |socket| async move {
        // It counts as a connection as long as it is open.
        let _busy = connection.busy();
        converse(app, who, socket, permit).await;
    })
}

/// Talks until somebody has enough. The permit is given back at the end.
async fn converse(app: Arc<App>, mut who: Option<Arc<Principal>>, socket: WebSocket, mut permit: Permit) {
    let (out, mut input) = socket.split();
    let (send, waiting) = mpsc::channel::<Outgoing>(WAITING);
    let writer = tokio::spawn(write(out, waiting));
    let room = Arc::new(Semaphore::new(IN_FLIGHT));
    let mut stopping = app.stopping();
    let mut deadline = pin!(tokio::time::sleep(AUTH_TIMEOUT));
    loop {
        let read = async {
            let turn = Arc::clone(&room).acquire_owned().await.ok()?;
            Some((turn, input.next().await?.ok()?))
        };
        let next = tokio::select! {
            next = read => next,
            () = &mut deadline, if who.is_none() => break,
            () = send.closed() => break,
            _ = stopping.wait_for(|stop| *stop) => break,
        };
        let (turn, text) = match next {
            Some((turn, Message::Text(text))) => (turn, text),
            Some((_, Message::Ping(_) | Message::Pong(_))) => continue,
            _ => break,
        };
        let Ok(message) = serde_json::from_str::<Value>(&text) else {
            let _ = send.send(failed(&Value::Null, "error", "the message is not JSON")).await;
            continue;
        };
        if message["type"] == "auth" {
            who = message["token"].as_str().and_then(|token| gate::who(&app, token)).map(Arc::new);
            // From now on the permit is the key's own, if it has one left.
            match who.as_ref().map(|who| app.service.limiter.stream(&who.id)) {
                Some(Some(own)) => permit = own,
                Some(None) => who = None,
                None => {}
            }
            let answer = match &who {
                Some(who) => {
                    json!({"type": "auth-ok", "default_workspace": who.grant().user.as_deref().unwrap_or("default")})
                }
                None => json!({"type": "auth-failed", "error": "auth failure"}),
            };
            let _ = send.send(Message::text(answer.to_string()).into()).await;
            continue;
        }
        let id = message["id"].clone();
        let Some(who) = who.clone() else {
            let why = "authenticate first: {\"type\":\"auth\",\"token\":…}";
            let _ = send.send(failed(&id, "auth-required", why)).await;
            continue;
        };
        if !app.is_still_good(&who) {
            let why = "the API key is no longer valid";
            let _ = send.send(failed(&id, "auth-required", why)).await;
            let over = Message::Close(Some(CloseFrame { code: close_code::POLICY, reason: why.into() }));
            let _ = send.send(over.into()).await;
            break;
        }
        let asked = match asked(&app, &who, &message) {
            Ok(asked) => asked,
            Err(refused) => {
                let _ = send.send(refused).await;
                continue;
            }
        };
        let (app, send) = (Arc::clone(&app), send.clone());
        match asked {
            Asked::Agent => {
                tokio::spawn(background::block(move || {
                    answer(&app, &who, &message, &send);
                    drop(turn);
                }));
            }
            Asked::Operation(operation) => {
                tokio::spawn(async move {
                    let answered = services::call(app, who, operation, text).await;
                    let _ = send.send(whole(&id, answered, turn)).await;
                });
            }
        }
    }
    drop(send);
    let _ = writer.await;
    drop(permit);
}

/// Sends what waits, until it is over or the other side does not read. Whoever still sends then is told so.
async fn write(mut out: SplitSink<WebSocket, Message>, mut waiting: mpsc::Receiver<Outgoing>) {
    while let Some(Outgoing { message, _kept }) = waiting.recv().await {
        let is_last = matches!(message, Message::Close(_));
        let sent = tokio::time::timeout(SEND_TIMEOUT, out.send(message)).await;
        if is_last || !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}

/// What a message asks for, or why it is not taken.
fn asked(app: &App, who: &Principal, message: &Value) -> Result<Asked, Outgoing> {
    let id = &message["id"];
    if gate::limit(app, &who.id).is_err() {
        return Err(failed(id, "error", "rate limit exceeded"));
    }
    let found = match message["service"].as_str() {
        Some("agent") => Some(Asked::Agent),
        Some(service) => services::operation(service, &message["request"]).map(Asked::Operation),
        None => None,
    };
    let Some(asked) = found else {
        let why = "unknown service: `agent`, a memory service such as `fact-retrieval`, or an operation by its name";
        return Err(failed(id, "unknown-service", why));
    };
    let may = match &asked {
        Asked::Agent => may_ask(who),
        Asked::Operation(operation) => who.may(operation),
    };
    if may { Ok(asked) } else { Err(failed(id, "access-denied", "the key does not allow this")) }
}

/// The answer of a service as one message. Until it is sent its bytes count, and no other request has its turn.
fn whole(id: &Value, answered: Result<(String, Held), Refusal>, turn: OwnedSemaphorePermit) -> Outgoing {
    let fitting = answered.and_then(|(answer, held)| {
        let text = format!("{{\"id\":{id},\"response\":{answer},\"complete\":true}}");
        if text.len() <= ANSWER_MAX_BYTES { Ok((text, held)) } else { Err(too_long(text.len())) }
    });
    match fitting {
        Ok((text, held)) => Outgoing { message: Message::text(text), _kept: Some((held, turn)) },
        Err(refusal) => {
            let error = json!({"id": id, "error": reply::object(&refusal), "complete": true});
            Message::text(error.to_string()).into()
        }
    }
}

fn too_long(bytes: usize) -> Refusal {
    let why = format!("it was done, but the answer has {bytes} bytes; a message has at most {ANSWER_MAX_BYTES}");
    Error::invalid(why).hint("ask for less at a time (page_size), or over HTTP").into()
}

/// Carries a question out; every message of the answer is sent as it comes. Blocks.
fn answer(app: &App, who: &Principal, message: &Value, send: &mpsc::Sender<Outgoing>) {
    let id = &message["id"];
    let mut last = false;
    let done = talk(app, who, &message["request"], true, &mut |response, turn| {
        last = response.end_of_dialog;
        // Whoever hung up misses it; the agent finishes, so that what it did is kept.
        let message = json!({"id": id, "response": response, "complete": response.end_of_dialog});
        if let Err(TrySendError::Full(message)) = send.try_send(Message::text(message.to_string()).into()) {
            let _ = turn.pause(|| send.blocking_send(message));
        }
    });
    if let Err(refusal) = done
        && !last
    {
        let why = reply::object(&refusal)["message"].as_str().unwrap_or("it failed").to_owned();
        let kind = if matches!(refusal, Refusal::Forbidden) { "access-denied" } else { "error" };
        let _ = send.blocking_send(failed(id, kind, &why));
    }
}

fn failed(id: &Value, kind: &str, message: &str) -> Outgoing {
    let error = json!({"id": id, "error": {"message": message, "type": kind}, "complete": true});
    Message::text(error.to_string()).into()
}
