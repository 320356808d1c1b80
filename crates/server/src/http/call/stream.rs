//! Answers as they come (server-sent events): an agent's words, a log that is followed, or any operation's answers.

use std::cell::Cell;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use idetic_ops::{Error, Reply};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use super::super::{App, reply};
use super::{Call, number};
use crate::Refusal;
use crate::background;
use crate::budget::Held;
use crate::turn::LongRunningPermit;

/// How long a revoked key may go on following a log.
const STILL_GOOD_EVERY: Duration = Duration::from_secs(1);
/// How long an answer waits for a reader before nobody is waited for.
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(30);
/// Events of one look, and about how many bytes of them: a look is short, so that others have their turn.
const FOLLOW_PAGE: usize = 50;
const FOLLOW_PAGE_BYTES: usize = 64 << 10;
/// Answers that wait for a slow reader.
const WAITING: usize = 8;
/// An answer longer than this counts against what one key may leave unread.
const SMALL_BYTES: usize = 4 << 10;
/// The operations that say how far they are, and how often.
const WITH_PROGRESS: [&str; 1] = ["verify"];
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// An answer on its way, counted until the connection takes it.
type Sent = mpsc::Sender<(Event, Held)>;

/// Answers a call as it is carried out.
pub async fn stream(call: Call, last: Option<String>) -> Response {
    let last = match last.map(|id| id.parse::<u64>()).transpose() {
        Ok(last) => last,
        Err(_) => {
            let error =
                Error::invalid("the Last-Event-ID is not a seq").hint("send the id of the last event, or leave it out");
            return Refusal::from(error).into_response();
        }
    };
    let Some(permit) = call.app.service.limiter.stream(&call.who.id) else { return too_many() };
    let (send, receive) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        if call.operation.name == "log" {
            follow(call, last, &send).await;
        } else {
            once(call, &send).await;
        }
        drop(permit);
    });
    let events = ReceiverStream::new(receive).map(|(event, _)| Ok::<_, Infallible>(event));
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
    let (to, app, key) = (send.clone(), Arc::clone(&call.app), call.who.id.clone());
    let run = background::run(background::LONG_WORK, move || {
        let arguments = call.text()?.to_owned();
        let turn = LongRunningPermit::begin(&call.app.service.limiter, call.operation, &call.who.id)?;
        let progress = progress(&call, &to);
        call.run_in(&turn, &arguments, &mut |reply| hand_over(&call, &to, &turn, &reply), &progress)
    });
    let last = match run.await {
        Ok(Ok(())) => Event::default().event("done").data("{}"),
        Ok(Err(refusal)) => failed(&refusal),
        Err(_) => failed(&Error::unavailable("internal server error").into()),
    };
    finish(&app, &key, send, last).await;
}

/// Says now and then how far a call is. Whoever does not read misses some of it, and is not waited for.
fn progress(call: &Call, send: &Sent) -> impl Fn(u64, u64) {
    let (said, is_wanted) = (Cell::new(None), WITH_PROGRESS.contains(&call.operation.name));
    move |done, of| {
        let now = call.app.service.moment();
        if is_wanted && said.get().is_none_or(|said| now >= said + PROGRESS_EVERY) {
            said.set(Some(now));
            let event =
                Event::default().event("progress").data(serde_json::json!({"done": done, "of": of}).to_string());
            let _ = send.try_send((event, call.app.unread.hold(&call.who.id)));
        }
    }
}

/// The last of a stream. Where nobody listens any more, nobody needs it.
async fn finish(app: &App, key: &str, send: &Sent, last: Event) {
    let _ = send.send_timeout((last, app.unread.hold(key)), HAND_OVER_TIMEOUT).await;
}

/// Everything that is there, and then everything that comes, until nobody listens, the key is over or the server stops.
async fn follow(call: Call, mut after: Option<u64>, send: &Sent) {
    let mut stopping = call.app.stopping();
    let (app, key) = (Arc::clone(&call.app), call.who.id.clone());
    let asked = call.clone();
    let mut head = match background::block(move || asked.space_name()).await {
        Ok(Ok(space)) => app.heads.of(&app.service.memory, &space),
        Ok(Err(refusal)) => return finish(&app, &key, send, failed(&refusal)).await,
        Err(_) => return,
    };
    let mut is_behind = true;
    loop {
        if !app.is_still_good(&call.who) {
            let why = "the API key is no longer valid";
            let kind = "unauthorized";
            let over = serde_json::json!({"error": {"kind": kind, "type": kind, "code": kind, "message": why}});
            return finish(&app, &key, send, Event::default().event("error").data(over.to_string())).await;
        }
        if is_behind {
            let permit = tokio::select! {
                permit = app.service.limiter.enter_long(call.operation, &key) => permit,
                () = send.closed() => return,
                _ = stopping.wait_for(|stop| *stop) => return,
            };
            // Others were first for long: whoever follows waits on.
            let Ok(permit) = permit else { continue };
            let (again, from) = (call.clone(), after);
            let look = background::run(background::LONG_WORK, move || {
                let page = page(&again, from);
                drop(permit);
                page
            });
            match look.await {
                Ok(Ok(page)) => {
                    after = page.reached.or(after);
                    is_behind = page.has_more;
                    for (event, held) in page.events {
                        // Whoever does not read is not waited for any longer, nor what is behind.
                        if send.send_timeout((event, held), HAND_OVER_TIMEOUT).await.is_err() {
                            return;
                        }
                    }
                }
                Ok(Err(refusal)) => return finish(&app, &key, send, failed(&refusal)).await,
                Err(_) => return,
            }
        }
        if is_behind {
            continue;
        }
        tokio::select! {
            _ = head.changed() => is_behind = true,
            () = tokio::time::sleep(STILL_GOOD_EVERY) => {}
            () = send.closed() => return,
            _ = stopping.wait_for(|stop| *stop) => return,
        }
    }
}

/// Some events of a log that is followed.
struct Page {
    events: Vec<(Event, Held)>,
    /// How far they reach.
    reached: Option<u64>,
    has_more: bool,
}

/// The next events behind a number.
fn page(call: &Call, after: Option<u64>) -> Result<Page, Refusal> {
    let mut arguments: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(if call.body.is_empty() { "{}" } else { call.text()? })
            .map_err(|error| Error::invalid(format!("the body is not a JSON object: {error}")))?;
    for key in ["limit", "reverse", "as_of"] {
        if arguments.contains_key(key) {
            return Err(Error::invalid(format!("{key} cannot be used to follow a log")).hint("leave it out").into());
        }
    }
    let from = after.or_else(|| arguments.get("after")?.as_u64()).unwrap_or(0);
    arguments.insert("after".to_owned(), from.into());
    arguments.insert("limit".to_owned(), FOLLOW_PAGE.into());
    let mut page = Page { events: Vec::new(), reached: Some(from), has_more: false };
    let mut bytes = 0;
    let text = serde_json::Value::Object(arguments).to_string();
    let run = call.run(&text, false, &mut |reply| {
        if bytes > FOLLOW_PAGE_BYTES {
            page.has_more = true;
            return Err(Error::unavailable("the page is full"));
        }
        let (event, held, length) = event(call, &reply)?;
        bytes += length;
        page.reached = number(&reply).or(page.reached);
        page.events.push((event, held));
        Ok(())
    });
    match run {
        // Enough for this look: the operation was stopped, and did not fail.
        Err(_) if page.has_more => {}
        run => run?,
    }
    page.has_more |= page.events.len() == FOLLOW_PAGE;
    Ok(page)
}

/// An answer as an event, counted where it is long, and its length.
fn event(call: &Call, reply: &Reply) -> idetic_ops::Result<(Event, Held, usize)> {
    let event = Event::default();
    let event = match number(reply) {
        Some(number) => event.id(number.to_string()),
        None => event,
    };
    let text = serde_json::to_string(reply).map_err(|error| Error::unavailable(error.to_string()))?;
    let mut held = call.app.unread.hold(&call.who.id);
    if text.len() > SMALL_BYTES && !held.grow_to(text.len()) {
        return Err(reply::unread_answers());
    }
    Ok((event.data(&text), held, text.len()))
}

/// Hands an answer over, and waits where the reader is slow. An error ends the operation: nobody listens.
fn hand_over(call: &Call, send: &Sent, turn: &LongRunningPermit, reply: &Reply) -> idetic_ops::Result<()> {
    let gone = || Error::unavailable("nobody listens");
    let (event, held, _) = event(call, reply)?;
    match send.try_send((event, held)) {
        Ok(()) => Ok(()),
        Err(TrySendError::Closed(_)) => Err(gone()),
        Err(TrySendError::Full(waiting)) => {
            let sent = send.send_timeout(waiting, HAND_OVER_TIMEOUT);
            turn.pause(|| Handle::current().block_on(sent)).map_err(|_| gone())
        }
    }
}

fn failed(refusal: &Refusal) -> Event {
    Event::default().event("error").data(serde_json::json!({"error": reply::object(refusal)}).to_string())
}
