//! Answers as they come (server-sent events): an agent's words, a log that is followed, or any operation's answers.

use std::convert::Infallible;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use idetic_memory::{Error, Reply};
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use super::call::{Call, number};
use super::reply;
use crate::Refusal;

/// How long a revoked key may go on following a log.
const STILL_GOOD_EVERY: Duration = Duration::from_secs(1);
/// How long an answer waits for a reader before nobody is waited for.
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(30);
/// Events of one look.
const FOLLOW_PAGE: usize = 1000;
/// Answers that wait for a slow reader.
const WAITING: usize = 64;

type Sent = mpsc::Sender<Event>;

/// Answers a call as it is carried out.
pub async fn stream(call: Call, last: Option<String>) -> Response {
    let last = match last.map(|id| id.parse::<u64>()).transpose() {
        Ok(last) => last,
        Err(_) => {
            let error =
                Error::invalid("the Last-Event-ID is no seq").hint("send the id of the last event, or leave it out");
            return Refusal::from(error).into_response();
        }
    };
    let Some(place) = call.app.rooms.stream(&call.who.id) else { return too_many() };
    let (send, receive) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        if call.operation.name == "log" {
            follow(call, last, &send).await;
        } else {
            once(call, &send).await;
        }
        drop(place);
    });
    let events = ReceiverStream::new(receive).map(Ok::<_, Infallible>);
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

/// The answer where no more streams may be open.
pub fn too_many() -> Response {
    let mut response = reply::refuse(
        StatusCode::SERVICE_UNAVAILABLE,
        "unavailable",
        "too many streams are open",
        "close one, or try again later",
    );
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// One run, and then the end.
async fn once(call: Call, send: &Sent) {
    let to = send.clone();
    let run = tokio::task::spawn_blocking(move || {
        let arguments = call.text()?.to_owned();
        call.run(&arguments, true, &mut |reply| hand_over(&to, &reply))
    });
    let last = match run.await {
        Ok(Ok(())) => Event::default().event("done").data("{}"),
        Ok(Err(refusal)) => failed(&refusal),
        Err(_) => failed(&Error::unavailable("the server has a fault").into()),
    };
    finish(send, last).await;
}

/// The last of a stream. Where nobody listens any more, nobody needs it.
async fn finish(send: &Sent, last: Event) {
    let _ = send.send_timeout(last, HAND_OVER_TIMEOUT).await;
}

/// Everything that is there, and then everything that comes, until nobody listens, the key is over or the server stops.
async fn follow(call: Call, mut after: Option<u64>, send: &Sent) {
    let mut stopping = call.app.stopping();
    let asked = call.clone();
    let mut head = match tokio::task::spawn_blocking(move || asked.space_name()).await {
        Ok(Ok(space)) => call.app.heads.of(&call.app.service.memory, &space),
        Ok(Err(refusal)) => return finish(send, failed(&refusal)).await,
        Err(_) => return,
    };
    loop {
        if !call.app.is_still_good(&call.who) {
            let over = serde_json::json!({"error": {"kind": "unauthorized", "message": "the key is no longer good"}});
            return finish(send, Event::default().event("error").data(over.to_string())).await;
        }
        let (to, again, from) = (send.clone(), call.clone(), after);
        let look = tokio::task::spawn_blocking(move || page(&again, from, &to)).await;
        let more = match look {
            Ok(Ok((reached, count))) => {
                after = reached.or(after);
                count == FOLLOW_PAGE
            }
            Ok(Err(refusal)) => return finish(send, failed(&refusal)).await,
            Err(_) => return,
        };
        if more {
            continue;
        }
        tokio::select! {
            _ = head.changed() => {}
            () = tokio::time::sleep(STILL_GOOD_EVERY) => {}
            () = send.closed() => return,
            _ = stopping.wait_for(|stop| *stop) => return,
        }
    }
}

/// The next events behind a number: how far they reach, and how many there were.
fn page(call: &Call, after: Option<u64>, send: &Sent) -> Result<(Option<u64>, usize), Refusal> {
    let mut arguments: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(if call.body.is_empty() { "{}" } else { call.text()? })
            .map_err(|error| Error::invalid(format!("the body is not a JSON object: {error}")))?;
    for key in ["limit", "reverse", "as_of"] {
        if arguments.contains_key(key) {
            return Err(Error::invalid(format!("a log that is followed has no {key}")).hint("leave it out").into());
        }
    }
    let from = after.or_else(|| arguments.get("after")?.as_u64()).unwrap_or(0);
    arguments.insert("after".to_owned(), from.into());
    arguments.insert("limit".to_owned(), FOLLOW_PAGE.into());
    let (mut reached, mut count) = (Some(from), 0);
    let text = serde_json::Value::Object(arguments).to_string();
    call.run(&text, false, &mut |reply| {
        reached = number(&reply).or(reached);
        count += 1;
        hand_over(send, &reply)
    })?;
    Ok((reached, count))
}

/// Hands an answer over, and waits where the reader is slow. An error ends the operation: nobody listens.
fn hand_over(send: &Sent, reply: &Reply) -> idetic_memory::Result<()> {
    let event = Event::default();
    let event = match number(reply) {
        Some(number) => event.id(number.to_string()),
        None => event,
    };
    let text = serde_json::to_string(reply).map_err(|error| Error::unavailable(error.to_string()))?;
    let sent = send.send_timeout(event.data(text), HAND_OVER_TIMEOUT);
    tokio::runtime::Handle::current().block_on(sent).map_err(|_| Error::unavailable("nobody listens"))
}

fn failed(refusal: &Refusal) -> Event {
    Event::default().event("error").data(serde_json::json!({"error": reply::object(refusal)}).to_string())
}
