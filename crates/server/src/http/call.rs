//! An operation called over HTTP: its arguments are the body, its answers the response, a page at a time where they are
//! many.

pub(super) mod idempotency;
pub(super) mod stream;

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use idetic_ops::core::SpaceName;
use idetic_ops::{Answers, Error, EventReply, Kind, Known, Operation, Reply, Rights};
use serde::Deserialize;

use super::{App, reply};
use crate::background;
use crate::budget::{self, FREE_BYTES, Held};
use crate::cursor::{Cursor, PAGE, PAGE_MAX, PAGE_MAX_BYTES};
use crate::traceparent::TraceId;
use crate::turn::LongRunningPermit;
use crate::{OperationCall, Principal, Refusal};
use idempotency::{Begun, NAME_MAX_BYTES};

/// Which page is wanted.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paging {
    pub cursor: Option<String>,
    pub page_size: Option<usize>,
    /// The space, for whoever cannot send a header.
    pub space: Option<String>,
}

/// One call, with everything it needs to be carried out elsewhere.
#[derive(Clone)]
pub struct Call {
    pub app: Arc<App>,
    pub who: Arc<Principal>,
    pub operation: &'static Operation,
    pub space: Option<String>,
    pub trace: Option<String>,
    pub name: Option<String>,
    pub body: Bytes,
}

impl Call {
    /// Carries it out with arguments that may be others than the body's. Blocks.
    pub fn run(
        &self,
        arguments: &str,
        streaming: bool,
        take: &mut dyn FnMut(Reply) -> idetic_ops::Result<()>,
    ) -> Result<(), Refusal> {
        self.app.service.call(&self.asking(arguments, streaming), take, &mut |_| {})
    }

    /// The same for a stream, with a permit that is another's while it waits, and somebody who hears how far it is.
    pub fn run_in(
        &self,
        turn: &Arc<LongRunningPermit>,
        arguments: &str,
        take: &mut dyn FnMut(Reply) -> idetic_ops::Result<()>,
        progress: &dyn Fn(u64, u64),
    ) -> Result<(), Refusal> {
        let turn = Some(Arc::clone(turn));
        let asking = OperationCall { turn, progress: Some(progress), ..self.asking(arguments, true) };
        self.app.service.call(&asking, take, &mut |_| {})
    }

    /// The space it is about.
    pub fn space_name(&self) -> Result<SpaceName, Refusal> {
        self.app.service.space_of(&self.asking(self.text()?, false))
    }

    fn asking<'a>(&'a self, arguments: &'a str, streaming: bool) -> OperationCall<'a> {
        OperationCall {
            who: &self.who,
            operation: self.operation,
            space: self.space.as_deref(),
            arguments,
            trace: self.trace.clone(),
            idempotency: self.name.as_deref(),
            streaming,
            turn: None,
            progress: None,
        }
    }

    /// The body as text.
    pub fn text(&self) -> Result<&str, Refusal> {
        std::str::from_utf8(&self.body)
            .map_err(|_| Error::invalid("the body is not UTF-8").hint("send JSON in UTF-8").into())
    }
}

/// Carries out an operation.
pub async fn call(
    State(app): State<Arc<App>>,
    Extension(who): Extension<Arc<Principal>>,
    Extension(TraceId(trace)): Extension<TraceId>,
    operation: &'static Operation,
    headers: HeaderMap,
    paging: Result<Query<Paging>, QueryRejection>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    // Before anything is looked at: whether it is allowed depends on nothing else.
    if !who.may(operation) {
        return reply::forbidden();
    }
    let paging = match paging {
        Ok(Query(paging)) => paging,
        Err(wrong) => {
            let error = Error::invalid(wrong.body_text()).hint("the query string takes cursor, page_size and space");
            return Refusal::from(error).into_response();
        }
    };
    let body = match body {
        Ok(body) => body,
        Err(wrong) => return reply::unread(&wrong),
    };
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let space = header("idetic-space").or_else(|| paging.space.clone());
    let name = header("idempotency-key")
        // A new key is shown once, and no answer that is kept holds it.
        .filter(|_| operation.rights > Rights::Read && !operation.is_for_administrators());
    if name.as_ref().is_some_and(|name| name.is_empty() || name.len() > NAME_MAX_BYTES) {
        let error = Error::invalid("the Idempotency-Key is empty or too long");
        return Refusal::from(error.hint(format!("1 to {NAME_MAX_BYTES} bytes"))).into_response();
    }
    let call = Call { app, who, operation, space, trace, name, body };
    if header(header::ACCEPT.as_str()).is_some_and(|accept| accept.contains("text/event-stream")) {
        return stream::stream(call, header("last-event-id")).await;
    }
    perform(call, paging).await.into_response()
}

/// Carries out a call to its end; one with a name once.
pub async fn perform(call: Call, paging: Paging) -> Answer {
    match call.name {
        Some(_) => named(call, paging).await,
        None => answer(call, paging, None).await,
    }
}

/// The whole answer of a call, counted until it is read where it is long.
pub struct Answer {
    pub status: StatusCode,
    pub body: Bytes,
    held: Option<Held>,
}

impl Answer {
    fn refused(refusal: &Refusal) -> Self {
        let status = match refusal {
            Refusal::Forbidden => StatusCode::FORBIDDEN,
            Refusal::Failed(error) => reply::status(error),
        };
        let body = serde_json::json!({"error": reply::object(refusal)}).to_string();
        Self { status, body: body.into(), held: None }
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let Some(held) = self.held else { return reply::json(self.status, self.body) };
        let mut response = reply::json(self.status, budget::body(self.body, held));
        response.extensions_mut().insert(reply::IsCounted);
        response
    }
}

/// A call with a name is carried out once, whichever server of this home it reaches. Whether or not somebody waits for it, it is
/// carried out and its end is known.
async fn named(call: Call, paging: Paging) -> Answer {
    tokio::spawn(once(call, paging)).await.unwrap_or_else(|fault| std::panic::resume_unwind(fault.into_panic()))
}

async fn once(call: Call, paging: Paging) -> Answer {
    let begin = call.clone();
    let begun = background::block(move || idempotency::begin(&begin));
    let (name, known) = match begun.await {
        Ok(Ok(begun)) => begun,
        Ok(Err(refusal)) => return Answer::refused(&refusal),
        Err(fault) => std::panic::resume_unwind(fault),
    };
    let conflict = |what: &str, hint: &str| {
        Answer::refused(&Error::new(Kind::Conflict, what.to_owned()).hint(hint.to_owned()).into())
    };
    match known {
        Known::New => {
            let app = Arc::clone(&call.app);
            let done = tokio::spawn(answer(call, paging, Some(name.clone()))).await;
            let (status, body) = match &done {
                Ok(answer) => (answer.status, answer.body.clone()),
                Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, Bytes::new()),
            };
            let ended = background::block(move || idempotency::end(&app, name, status, &body)).await;
            match (done, ended) {
                (Ok(answer), Ok(Ok(()))) => answer,
                // Carried out, and yet the next one of this name would be, too: that is not to be called done.
                (Ok(_), Ok(Err(error))) => Answer::refused(&error.into()),
                (Err(fault), _) => std::panic::resume_unwind(fault.into_panic()),
                (_, Err(fault)) => std::panic::resume_unwind(fault),
            }
        }
        Known::Answered(status, body) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            Answer { status, body: body.into(), held: None }
        }
        Known::Begun => conflict("a call with this Idempotency-Key is in progress", "wait, then send it again"),
        Known::Other => conflict("this Idempotency-Key was used for another request", "use a new one for each call"),
        Known::Done => conflict(
            "the call with this Idempotency-Key was carried out; its answer is no longer stored",
            "look at what is stored; use a new key to call again",
        ),
        Known::Lost => conflict(
            "the server stopped during the call with this Idempotency-Key, and it may or may not have been carried out",
            "look at what is stored; use a new key to call again",
        ),
    }
}

async fn answer(call: Call, paging: Paging, begun: Option<Begun>) -> Answer {
    match carry_out(call, paging, begun).await {
        Ok((body, held)) => Answer { status: StatusCode::OK, body: body.into(), held: Some(held) },
        Err(refusal) => Answer::refused(&refusal),
    }
}

/// Carries a call out when its turn comes: the text of the answer, counted until it is read, or why there is none.
pub async fn carry_out(call: Call, paging: Paging, begun: Option<Begun>) -> Result<(String, Held), Refusal> {
    let permit = call.app.service.limiter.enter(call.operation, &call.who.id).await?;
    let is_long = permit.is_long();
    let work = move || {
        let answered = match &begun {
            Some(begun) => begun.carry_out(|| collect(&call, &paging)),
            None => collect(&call, &paging),
        };
        drop(permit);
        answered
    };
    let answered = match is_long {
        true => background::run(background::LONG_WORK, work).await,
        false => background::block(work).await,
    };
    match answered {
        Ok(answered) => answered,
        // Said as the gate says it of a fault elsewhere.
        Err(fault) => std::panic::resume_unwind(fault),
    }
}

/// Runs a call and writes its answers down.
fn collect(call: &Call, paging: &Paging) -> Result<(String, Held), Refusal> {
    let operation = call.operation;
    let is_paged = operation.rights == Rights::Read && operation.answers == Answers::Many;
    let mut page = Page::of(call, paging, is_paged)?;
    let arguments = page.arguments(call.text()?)?;
    let run = call.run(&arguments, false, &mut |reply| page.take(reply));
    match run {
        // Enough for this page: the operation was stopped, and did not fail.
        Err(_) if page.is_full => {}
        run => run?,
    }
    let text = match operation.answers {
        Answers::One => page.items.pop().unwrap_or_else(|| "{}".to_owned()),
        Answers::Many => {
            let next = page.next().map(|cursor| format!(",\"next\":\"{}\"", cursor.text())).unwrap_or_default();
            format!("{{\"items\":[{}]{next}}}", page.items.join(","))
        }
    };
    Ok((text, page.held))
}

/// One page of answers.
struct Page {
    cursor: Cursor,
    /// Whether it begins behind a number of the log.
    by_number: bool,
    size: usize,
    passed: usize,
    items: Vec<String>,
    bytes: usize,
    last: Option<u64>,
    is_full: bool,
    /// What it counts for until it is read.
    held: Held,
    /// Whether it may be refused for want of room: what was written is acknowledged whatever that takes.
    is_read: bool,
}

impl Page {
    fn of(call: &Call, paging: &Paging, is_paged: bool) -> Result<Self, Refusal> {
        let size = paging.page_size.unwrap_or(PAGE);
        if !is_paged && (paging.page_size.is_some() || paging.cursor.is_some()) {
            return Err(Error::invalid("this operation is not paginated")
                .hint("leave page_size and cursor out")
                .into());
        }
        if !(1..=PAGE_MAX).contains(&size) {
            return Err(Error::invalid(format!("page_size is {size}")).hint(format!("1 to {PAGE_MAX}")).into());
        }
        let cursor = match &paging.cursor {
            Some(text) => Cursor::read(text, call.operation)?,
            None => Cursor::first(call.operation),
        };
        let said: Option<serde_json::Map<String, serde_json::Value>> = serde_json::from_slice(&call.body).ok();
        let says = |key: &str| said.as_ref().is_some_and(|said| said.contains_key(key));
        let by_number = call.operation.name == "log" && !says("limit") && !says("reverse") && !says("after");
        let size = if is_paged { size } else { usize::MAX };
        Ok(Self {
            cursor,
            by_number,
            size,
            passed: 0,
            items: Vec::new(),
            bytes: 0,
            last: None,
            is_full: false,
            held: call.app.unread.hold(&call.who.id),
            is_read: call.operation.rights == Rights::Read,
        })
    }

    /// The arguments that begin where the page does.
    fn arguments(&self, body: &str) -> Result<String, Refusal> {
        let body = if body.trim().is_empty() { "{}" } else { body };
        let Some(object) = body.trim_start().strip_prefix('{').filter(|_| self.by_number) else {
            return Ok(body.to_owned());
        };
        let comma = if object.trim_start().starts_with('}') { "" } else { "," };
        Ok(format!("{{\"after\":{},\"limit\":{}{comma}{object}", self.cursor.after.unwrap_or(0), self.size + 1))
    }

    fn take(&mut self, reply: Reply) -> idetic_ops::Result<()> {
        // A batch is acknowledged together, and each of it is an answer.
        if let Reply::Event(EventReply::Acks(acks)) = reply {
            return acks.into_iter().try_for_each(|ack| self.take(ack.into()));
        }
        if !self.by_number && self.passed < self.cursor.skip {
            self.passed += 1;
            return Ok(());
        }
        let is_heavy = self.size < usize::MAX && self.bytes > PAGE_MAX_BYTES;
        if self.items.len() == self.size || is_heavy {
            self.is_full = true;
            return Err(Error::unavailable("the page is full"));
        }
        let item = serde_json::to_string(&reply).map_err(|error| Error::unavailable(error.to_string()))?;
        let bytes = self.bytes + item.len();
        if bytes > FREE_BYTES && !self.held.grow_to(bytes) && self.is_read {
            // The rest comes with the next page, once some of what waits was read.
            self.is_full = self.size < usize::MAX && !self.items.is_empty();
            return Err(reply::unread_answers());
        }
        self.last = number(&reply).or(self.last);
        self.bytes = bytes;
        self.items.push(item);
        Ok(())
    }

    /// Where the next one begins, if there is one.
    fn next(&self) -> Option<Cursor> {
        self.is_full.then(|| Cursor {
            after: self.last.filter(|_| self.by_number),
            skip: if self.by_number { 0 } else { self.cursor.skip + self.items.len() },
            ..self.cursor.clone()
        })
    }
}

/// The number of an event as its reader knows it.
pub fn number(reply: &Reply) -> Option<u64> {
    match reply {
        Reply::Event(EventReply::Event(event)) => Some(event.header.seq),
        Reply::Event(EventReply::Seen(seen)) => Some(seen.pos),
        _ => None,
    }
}
