//! A request of mem0's client: who asks, what its body and its query say, and calls of operations on its behalf.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use idetic_ops::core::{SpaceName, Time};
use idetic_ops::{Error, Kind};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::super::call::idempotency::NAME_MAX_BYTES;
use super::super::call::{self, Answer, Call, Paging};
use super::super::{App, reply};
use crate::budget::{FREE_BYTES, Held};
use crate::cursor::PAGE_MAX;
use crate::traceparent::TraceId;
use crate::{Principal, Refusal, Service};

/// How long a call waits for its turn while others of its key take theirs.
const TURN_WAIT_MAX: Duration = Duration::from_secs(20);

/// A request, read.
pub struct Asked {
    pub app: Arc<App>,
    pub who: Arc<Principal>,
    pub path: String,
    pub body: Map<String, Value>,
    pub query: BTreeMap<String, String>,
    /// The query as it came: what is taken out of `query` stays here.
    said: Vec<(String, String)>,
    trace: Option<String>,
    name: Option<String>,
    /// Whether it made a call.
    has_called: AtomicBool,
}

/// Why a request is not carried out, as an answer.
pub struct Refused(Box<Response>);

impl Refused {
    /// Whether there is nothing of what was asked for.
    pub fn is_missing(&self) -> bool {
        self.0.status() == StatusCode::NOT_FOUND
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        *self.0
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self(Box::new(refusal.into_response()))
    }
}

impl From<serde_json::Error> for Refused {
    fn from(wrong: serde_json::Error) -> Self {
        Error::new(Kind::Unavailable, wrong.to_string()).into()
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Refusal::from(error).into()
    }
}

impl FromRequest<Arc<App>> for Asked {
    type Rejection = Refused;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Refused> {
        let (mut parts, body) = request.into_parts();
        let failed = |response: Response| Refused(Box::new(response));
        let who = Extension::<Arc<Principal>>::from_request_parts(&mut parts, app).await;
        let Extension(who) = who.map_err(|missing| failed(missing.into_response()))?;
        let Query(pairs) = Query::<Vec<(String, String)>>::from_request_parts(&mut parts, app)
            .await
            .map_err(|wrong| Error::invalid(wrong.body_text()).hint("the query string is name=value pairs"))?;
        let mut query = BTreeMap::new();
        for (name, value) in &pairs {
            if query.insert(name.clone(), value.clone()).is_some() {
                return Err(Error::invalid(format!("{name} is given twice")).hint("once is enough").into());
            }
        }
        if parts.headers.contains_key("idetic-space") {
            let error = Error::invalid("Idetic-Space is not taken on mem0's paths");
            return Err(error.hint("leave it out: user_id names the space").into());
        }
        let trace = parts.extensions.get::<TraceId>().cloned().unwrap_or_default().0;
        let name = parts.headers.get("idempotency-key").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (path, method) = (parts.uri.path().to_owned(), parts.method.clone());
        let bytes = Bytes::from_request(Request::from_parts(parts, body), app).await;
        let bytes = bytes.map_err(|wrong| failed(reply::unread(&wrong)))?;
        let body = match bytes.iter().all(u8::is_ascii_whitespace) {
            true => Map::new(),
            false => serde_json::from_slice(&bytes).map_err(|wrong| {
                Error::invalid(format!("the body is not a JSON object: {wrong}")).hint("send one JSON object")
            })?,
        };
        let asked = Self {
            app: Arc::clone(app),
            who,
            path,
            body,
            query,
            said: pairs,
            trace,
            name,
            has_called: AtomicBool::new(false),
        };
        if asked.name.is_some() && !(method == Method::POST && asked.adds()) {
            let why = "an Idempotency-Key is taken only where memories are added";
            return Err(Error::invalid(why).hint("leave it out: updating and deleting again does no harm").into());
        }
        if asked.name.as_ref().is_some_and(|name| name.is_empty() || name.len() > NAME_MAX_BYTES) {
            let error = Error::invalid("the Idempotency-Key is empty or too long");
            return Err(error.hint(format!("1 to {NAME_MAX_BYTES} bytes")).into());
        }
        Ok(asked)
    }
}

impl Asked {
    /// The time.
    pub fn now(&self) -> Time {
        self.app.service.memory.env().now()
    }

    /// Whether it is about adding memories.
    fn adds(&self) -> bool {
        ["/v3/memories/add", "/v1/memories", "/memories"].contains(&self.path.trim_end_matches('/'))
    }

    /// Takes a value out of the body, or else the query. Nothing is there where it is null.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let said = self.body.remove(name).or_else(|| self.query.remove(name).map(Value::String));
        said.filter(|value| !value.is_null())
    }

    /// The same for a text. One that is empty is refused: `run_id=` does not mean all runs.
    pub fn take_text(&mut self, name: &str) -> Result<Option<String>, Error> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.is_empty() => {
                Err(Error::invalid(format!("{name} is empty")).hint("give it a value, or leave it out"))
            }
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(Error::invalid(format!("{name} is {other}")).hint("a string is expected")),
        }
    }

    /// The same for a number that counts something.
    pub fn take_count(&mut self, name: &str) -> Result<Option<usize>, Error> {
        let Some(said) = self.take(name) else { return Ok(None) };
        let count = said.as_u64().or_else(|| said.as_str()?.parse().ok()).and_then(|count| usize::try_from(count).ok());
        let wrong = || Error::invalid(format!("{name} is {said}")).hint("a whole number is expected");
        count.filter(|count| *count > 0).map(Some).ok_or_else(wrong)
    }

    /// The same for which page is wanted. The query goes before the body, so that a link to another page works with the same body.
    pub fn take_page(&mut self, name: &str) -> Result<Option<usize>, Error> {
        if self.query.contains_key(name) {
            self.body.remove(name);
        }
        self.take_count(name)
    }

    /// The same for yes or no.
    pub fn take_bool(&mut self, name: &str) -> Result<Option<bool>, Error> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(said)) => Ok(Some(said)),
            Some(Value::String(said)) if said.eq_ignore_ascii_case("true") => Ok(Some(true)),
            Some(Value::String(said)) if said.eq_ignore_ascii_case("false") => Ok(Some(false)),
            Some(other) => Err(Error::invalid(format!("{name} is {other}")).hint("true or false is expected")),
        }
    }

    /// Takes what may be said and changes nothing here; anything else of that name is refused.
    pub fn accept(&mut self, name: &str, allowed: &[Value]) -> Result<(), Error> {
        match self.take(name) {
            Some(said) if !allowed.contains(&said) => {
                Err(Error::invalid(format!("{name} = {said} is not supported")).hint("leave it out"))
            }
            _ => Ok(()),
        }
    }

    /// What was not taken is refused: nothing that is asked for is left out silently.
    pub fn finish(&self) -> Result<(), Error> {
        let left = self.body.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name);
        match left.chain(self.query.keys()).next() {
            Some(name) => Err(Error::invalid(format!("{name} is not supported"))
                .hint("leave it out; docs/building.md lists what of mem0's API is served")),
            None => Ok(()),
        }
    }

    /// A link to another page of the same list: everything else that the query says stays.
    pub fn page_link(&self, page: usize, size: usize) -> String {
        let others = self.said.iter().filter(|(name, _)| name != "page" && name != "page_size");
        let others = others.map(|(name, value)| format!("{}={}&", percent_encoded(name), percent_encoded(value)));
        format!("{}?{}page={page}&page_size={size}", self.path, others.collect::<String>())
    }

    /// What will be kept of what is read, nothing at first.
    pub fn kept(&self) -> Kept {
        Kept { held: self.app.unread.hold(&self.who.id), bytes: 0 }
    }

    /// Carries out an operation in a space: its answer, which for a list is one page.
    pub async fn call<T: DeserializeOwned>(
        &self,
        operation: &str,
        space: &SpaceName,
        arguments: &Value,
    ) -> Result<T, Refused> {
        let answer = self.perform(operation, space, arguments, None, Paging::default()).await?;
        Ok(serde_json::from_slice(&answer.body)?)
    }

    /// The same, once under the Idempotency-Key of the request.
    pub async fn call_once(&self, operation: &str, space: &SpaceName, arguments: &Value) -> Result<Value, Refused> {
        let answer = self.perform(operation, space, arguments, self.name.clone(), Paging::default()).await?;
        Ok(serde_json::from_slice(&answer.body)?)
    }

    /// Everything a list has, in its order. What `take` is given is there until it returns: a page is read at a time.
    pub async fn each(
        &self,
        operation: &str,
        space: &SpaceName,
        arguments: &Value,
        mut take: impl FnMut(&RawValue) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let mut cursor = None;
        loop {
            let paging = Paging { cursor, page_size: Some(PAGE_MAX), space: None };
            let answer = self.perform(operation, space, arguments, None, paging).await?;
            let page: Page = serde_json::from_slice(&answer.body)?;
            page.items.into_iter().try_for_each(&mut take)?;
            cursor = page.next;
            if cursor.is_none() {
                return Ok(());
            }
        }
    }

    async fn perform(
        &self,
        operation: &str,
        space: &SpaceName,
        arguments: &Value,
        name: Option<String>,
        paging: Paging,
    ) -> Result<Answer, Refused> {
        let operation = Service::operation(operation).filter(|known| self.who.may(known)).ok_or(Refusal::Forbidden)?;
        self.count_call().await?;
        let call = Call {
            app: Arc::clone(&self.app),
            who: Arc::clone(&self.who),
            operation,
            space: Some(space.to_string()),
            trace: self.trace.clone(),
            name,
            body: arguments.to_string().into(),
        };
        let answer = call::perform(call, paging).await;
        if answer.status.is_success() { Ok(answer) } else { Err(Refused(Box::new(answer.into_response()))) }
    }

    /// Counts a call as a request of its key; the gate counted the first one. It waits for its turn: a request may need more calls than
    /// a key may make at once, and one that ends halfway has changed some memories and not others.
    async fn count_call(&self) -> Result<(), Refused> {
        if !self.has_called.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let (begun, mut has_waited) = (self.app.service.moment(), false);
        while let Err(wait) = self.app.rate.take(&self.who.id, self.app.service.moment()) {
            if self.app.service.moment().saturating_duration_since(begun) + wait > TURN_WAIT_MAX {
                return Err(Refused(Box::new(reply::too_often(wait))));
            }
            tokio::time::sleep(wait).await;
            has_waited = true;
        }
        match has_waited && !self.app.is_still_good(&self.who) {
            true => Err(Refusal::Forbidden.into()),
            false => Ok(()),
        }
    }
}

/// Bytes that a request keeps of the pages it read, until it is answered. They count as an answer that waits does: a page is given
/// back when the next one is read, and without this a request could keep all of them.
pub struct Kept {
    held: Held,
    bytes: usize,
}

impl Kept {
    /// Counts more bytes; refuses where there is no room for them.
    pub fn add(&mut self, bytes: usize) -> Result<(), Refused> {
        self.bytes = self.bytes.saturating_add(bytes);
        match self.bytes <= FREE_BYTES || self.held.grow_to(self.bytes) {
            true => Ok(()),
            false => Err(Error::unavailable("the answer needs more memory than one key may use at a time")
                .hint("ask for less: a smaller page_size, a narrower filter; and read earlier answers first")
                .into()),
        }
    }
}

/// A page of a list, where it was read.
#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    items: Vec<&'a RawValue>,
    next: Option<String>,
}

/// A text as it stands in a query.
fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
