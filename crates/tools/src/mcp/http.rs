//! MCP over streamable HTTP with our own small client: each request blocks a thread of the connection's runtime.

use std::collections::HashMap;
use std::io::Cursor;
use std::pin::Pin;
use std::sync::Arc;
use std::{fmt, io};

use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION};
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri, request};
use ureq::{Agent, AsSendBody, Body};

use super::board::Board;
use super::error::{McpError, McpErrorKind};
use super::server::{McpLimits, McpServer};

/// How often a stream of events that broke off is taken up again.
const RESUMES_MAX: usize = 3;
/// What is read of an answer that says no.
const REFUSAL_MAX_BYTES: u64 = 64 << 10;
/// And what is shown of it.
const SHOWN_MAX_CHARS: usize = 200;
/// One look at a stream of events, and how many of them may lie there unread.
const READ_BYTES: usize = 8 << 10;
const READS_MAX: usize = 8;

type Events = Pin<Box<dyn Stream<Item = Result<Sse, SseError>> + Send>>;
type Failure = StreamableHttpError<HttpFailure>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// How the library is to use the client.
pub fn settings(url: &str, bearer: Option<&str>) -> StreamableHttpClientTransportConfig {
    let mut settings = StreamableHttpClientTransportConfig::with_uri(url);
    let mut patience = ExponentialBackoff::default();
    patience.max_times = Some(RESUMES_MAX);
    settings.retry_config = Arc::new(patience);
    settings.auth_header = bearer.map(str::to_owned);
    settings
}

/// Asks one server.
#[derive(Clone)]
pub struct HttpClient {
    agent: Agent,
    server: Arc<McpServer>,
    board: Arc<Board>,
    answer_bytes: u64,
}

/// What the library is told; people read the board.
#[derive(Debug)]
pub struct HttpFailure(String);

impl fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for HttpFailure {}

impl HttpClient {
    pub fn new(server: &McpServer, limits: McpLimits, board: Arc<Board>) -> Result<Self, McpError> {
        if let McpServer::Http { url, .. } = server {
            let uri = url.parse::<Uri>().ok().filter(|uri| uri.host().is_some());
            if !uri.is_some_and(|uri| matches!(uri.scheme_str(), Some("http" | "https"))) {
                let message = "its address must begin with http:// or https:// and name a host";
                return Err(McpError::new(McpErrorKind::NotConnected, message));
            }
        }
        let config = Agent::config_builder()
            .timeout_global(Some(limits.call.max(limits.connect)))
            .http_status_as_error(false)
            // A redirected key is a key given away.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A library reads no environment.
            .proxy(None)
            .build();
        let answer_bytes = u64::try_from(limits.answer_bytes).unwrap_or(u64::MAX);
        Ok(Self { agent: config.into(), server: Arc::new(server.clone()), board, answer_bytes })
    }

    async fn send(
        &self,
        request: Result<Request<impl AsSendBody + Send + 'static>, ureq::http::Error>,
        ticket: Option<u64>,
    ) -> Result<Response<Body>, Failure> {
        let request = request.map_err(|error| self.failed(ticket, ureq::Error::Http(error)))?;
        let agent = self.agent.clone();
        spawn_blocking(move || agent.run(request)).await?.map_err(|error| self.failed(ticket, error))
    }

    async fn read(&self, response: Response<Body>, limit: u64, ticket: Option<u64>) -> Result<Vec<u8>, Failure> {
        let body = response.into_body();
        let read = spawn_blocking(move || body.into_with_config().limit(limit).read_to_vec()).await?;
        read.map_err(|error| self.failed(ticket, error))
    }

    fn failed(&self, ticket: Option<u64>, error: ureq::Error) -> Failure {
        let (kind, message) = describe(&error, self.answer_bytes);
        self.note(ticket, kind, message)
    }

    fn note(&self, ticket: Option<u64>, kind: McpErrorKind, message: String) -> Failure {
        if let Some(ticket) = ticket {
            self.board.note(ticket, kind, message.clone());
        }
        StreamableHttpError::Client(HttpFailure(message))
    }

    /// The beginning of what the server said, on one line.
    fn excerpt(&self, bytes: &[u8]) -> String {
        let text = self.server.without_secrets(&String::from_utf8_lossy(bytes));
        text.trim().chars().take(SHOWN_MAX_CHARS).flat_map(char::escape_debug).collect()
    }

    /// An answer that is no success.
    async fn refusal(
        &self,
        response: Response<Body>,
        asked: Option<&RequestId>,
        ticket: Option<u64>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let status = response.status().as_u16();
        let moved = text(response.headers(), &LOCATION).map(|to| self.excerpt(to.as_bytes()));
        let said = self.read(response, REFUSAL_MAX_BYTES, None).await.unwrap_or_default();
        // A refusal in the words of the protocol is one, except where the key is what is refused.
        if !matches!(status, 401 | 403)
            && let Some(asked) = asked
            && let Ok(ServerJsonRpcMessage::Error(refusal)) = serde_json::from_slice(&said)
        {
            let answer = ServerJsonRpcMessage::error(refusal.error, Some(asked.clone()));
            return Ok(StreamableHttpPostResponse::Json(answer, None));
        }
        let message = match (status, moved) {
            (401 | 403, _) => format!("status {status}: it requires a valid bearer token"),
            (300..=399, Some(to)) => format!("status {status}: it has moved; give its new address, {to}"),
            _ => format!("status {status}: {}", self.excerpt(&said)),
        };
        Err(self.note(ticket, McpErrorKind::Refused, message))
    }

    /// The events of an answer, read by a thread as they come.
    fn events(&self, response: Response<Body>, ticket: Option<u64>) -> Events {
        let (pieces, stream) = mpsc::channel::<io::Result<Cursor<Vec<u8>>>>(READS_MAX);
        let mut reader = response.into_body().into_with_config().limit(self.answer_bytes).reader();
        let client = self.clone();
        spawn_blocking(move || {
            let mut buffer = vec![0; READ_BYTES];
            loop {
                let piece = match io::Read::read(&mut reader, &mut buffer) {
                    Ok(0) => return,
                    Ok(bytes) => Ok(Cursor::new(buffer[..bytes].to_vec())),
                    Err(error) => Err(io::Error::other(client.failed(ticket, ureq::Error::from(error)))),
                };
                let last = piece.is_err();
                // Nobody reads on once the answer is there.
                if pieces.blocking_send(piece).is_err() || last {
                    return;
                }
            }
        });
        Box::pin(SseStream::from_bytes_stream(ReceiverStream::new(stream)))
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = HttpFailure;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let asked = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        // Only a request is waited for; what becomes of the rest concerns no one.
        let ticket = asked.as_ref().map(|_| self.board.ticket());
        let request = with_headers(Request::post(&*uri), session_id.as_deref(), bearer, headers);
        let request = request.header(CONTENT_TYPE, JSON_MIME_TYPE).body(serde_json::to_vec(&message)?);
        let response = self.send(request, ticket).await?;
        let status = response.status();
        if status.as_u16() == 404 && session_id.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        if !status.is_success() {
            return self.refusal(response, asked.as_ref(), ticket).await;
        }
        if asked.is_none() || matches!(status.as_u16(), 202 | 204) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = response.headers().get(HEADER_SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
        let kind = text(response.headers(), &CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
        if kind.starts_with(EVENT_STREAM_MIME_TYPE) {
            return Ok(StreamableHttpPostResponse::Sse(self.events(response, ticket), session));
        }
        let said = self.read(response, self.answer_bytes, ticket).await?;
        match serde_json::from_slice(&said) {
            Ok(answer) => Ok(StreamableHttpPostResponse::Json(answer, session)),
            Err(_) => {
                let message = format!("its answer is not a message of the protocol: {}", self.excerpt(&said));
                Err(self.note(ticket, McpErrorKind::Wrong, message))
            }
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        let request = with_headers(Request::delete(&*uri), Some(&session_id), bearer, headers).body(());
        // A server may decline; its session then ends by itself.
        self.send(request, None).await.map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failure> {
        // Only an answer that broke off is listened for again: what a server says unasked is of no use to us, and
        // would hold a thread for as long as the connection lasts.
        let Some(last_event_id) = last_event_id else {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        };
        let ticket = self.board.ticket();
        let request = with_headers(Request::get(&*uri), session_id.as_deref(), bearer, headers);
        let request = request.header(HEADER_LAST_EVENT_ID, last_event_id).body(());
        let response = self.send(request, None).await?;
        if !response.status().is_success() {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        Ok(self.events(response, Some(ticket)))
    }
}

fn with_headers(
    mut request: request::Builder,
    session_id: Option<&str>,
    bearer: Option<String>,
    headers: Headers,
) -> request::Builder {
    request = request.header(ACCEPT, format!("{JSON_MIME_TYPE}, {EVENT_STREAM_MIME_TYPE}"));
    if let Some(session_id) = session_id {
        request = request.header(HEADER_SESSION_ID, session_id);
    }
    if let Some(bearer) = bearer {
        request = request.header(AUTHORIZATION, format!("Bearer {bearer}"));
    }
    headers.into_iter().fold(request, |request, (name, value)| request.header(name, value))
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Never with a key: the errors of the client name addresses and systems only.
fn describe(error: &ureq::Error, answer_bytes: u64) -> (McpErrorKind, String) {
    match error {
        ureq::Error::BodyExceedsLimit(_) => {
            (McpErrorKind::TooMuch, format!("its answer is longer than {answer_bytes} bytes; ask for less"))
        }
        ureq::Error::Timeout(_) => (McpErrorKind::TooSlow, "no answer in time".to_owned()),
        ureq::Error::Http(_) => (McpErrorKind::NotConnected, format!("its address or key cannot be sent: {error}")),
        _ => (McpErrorKind::Gone, format!("cannot be reached: {error}")),
    }
}
