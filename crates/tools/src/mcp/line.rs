//! What stands around a conversation with a server: its process, its limits, and words for what went wrong.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::ServiceError;
use rmcp::service::ClientInitializeError;
use tokio::time::{sleep, timeout};

use super::board::Board;
use super::child::ServerProcess;
use super::error::{McpError, McpErrorKind};
use super::server::{McpLimits, McpServer};
use super::watched::Noise;

/// How long an answer may still come out of the pipe of a server that has ended, and how long the end of one may take
/// that has closed its output.
const REST_WAIT: Duration = Duration::from_millis(500);
/// How much of what a server says about itself is shown.
const SAID_MAX_CHARS: usize = 600;
/// How the library marks a request whose answer broke off.
const BROKEN_OFF: &str = "io.modelcontextprotocol/transportClosed";

/// Why a wait ended without a result.
pub enum Interruption {
    Slow(Duration),
    Ended,
    Noted(McpError),
}

/// Everything about a connection but the protocol.
pub struct Line {
    pub server: McpServer,
    pub limits: McpLimits,
    pub child: Option<ServerProcess>,
    pub board: Arc<Board>,
    pub noise: Noise,
}

impl Line {
    pub fn new(server: &McpServer, limits: McpLimits) -> Self {
        let (board, noise) = (Arc::new(Board::new()), Noise::default());
        Self { server: server.clone(), limits, child: None, board, noise }
    }

    /// Waits for something, but neither longer than allowed nor for a server that is not there any more.
    pub async fn wait<T>(&mut self, limit: Duration, work: impl Future<Output = T>) -> Result<T, Interruption> {
        let mut work = pin!(work);
        tokio::select! {
            biased;
            result = &mut work => Ok(result),
            note = self.board.noticed() => Err(Interruption::Noted(note)),
            () = ended(self.child.as_mut()) => timeout(REST_WAIT, work).await.map_err(|_| Interruption::Ended),
            () = sleep(limit) => Err(Interruption::Slow(limit)),
        }
    }

    /// Why there is no answer.
    pub async fn interrupted(&mut self, why: Interruption) -> McpError {
        match why {
            Interruption::Noted(note) => note,
            Interruption::Ended => self.gone().await,
            Interruption::Slow(limit) => {
                let mut message = format!("no answer within {limit:?}");
                match self.noise.load(Ordering::Relaxed) {
                    0 => {}
                    lines => message += &format!("; {lines} lines it wrote are not messages of the protocol"),
                }
                McpError::new(McpErrorKind::TooSlow, message + &self.last_words().await)
            }
        }
    }

    /// Why a request failed.
    pub async fn failed(&mut self, error: ServiceError) -> McpError {
        if let Some(note) = self.board.read() {
            return note;
        }
        match error {
            ServiceError::McpError(data) if data.data.as_ref().is_some_and(|data| data.get(BROKEN_OFF).is_some()) => {
                McpError::new(McpErrorKind::Wrong, "its answer was cut off")
            }
            ServiceError::McpError(data) => McpError::new(McpErrorKind::Refused, self.said(&data.message)),
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => self.gone().await,
            ServiceError::UnexpectedResponse => {
                McpError::new(McpErrorKind::Wrong, "its answer does not match the request")
            }
            other => McpError::new(McpErrorKind::Wrong, self.said(&other.to_string())),
        }
    }

    /// Why nothing was agreed.
    pub async fn not_agreed(&mut self, error: ClientInitializeError) -> McpError {
        if let Some(note) = self.board.read() {
            return note;
        }
        match error {
            ClientInitializeError::JsonRpcError(data) => {
                McpError::new(McpErrorKind::Refused, format!("it refused to initialize: {}", self.said(&data.message)))
            }
            ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. } => {
                self.gone().await
            }
            other => {
                let message = format!("no agreement on the protocol: {}", self.said(&other.to_string()));
                McpError::new(McpErrorKind::Wrong, message)
            }
        }
    }

    async fn gone(&mut self) -> McpError {
        let _ = timeout(REST_WAIT, ended(self.child.as_mut())).await;
        let how = match self.child.as_ref().and_then(ServerProcess::status) {
            Some(status) => format!("it has ended ({status})"),
            None => "it has closed the connection".to_owned(),
        };
        McpError::new(McpErrorKind::Gone, how + &self.last_words().await)
    }

    /// What a server complained about, to be put behind a message.
    async fn last_words(&mut self) -> String {
        let words = match &mut self.child {
            Some(child) => child.last_words().await,
            None => None,
        };
        words.map(|words| format!("; it said: {}", self.server.without_secrets(&words))).unwrap_or_default()
    }

    /// A server's own words in a message of ours.
    fn said(&self, text: &str) -> String {
        let text = self.server.without_secrets(text);
        text.chars().take(SAID_MAX_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect()
    }
}

/// Waits for the end of a child; for ever if there is none to wait for.
async fn ended(child: Option<&mut ServerProcess>) {
    match child {
        Some(child) => child.ended().await,
        None => std::future::pending().await,
    }
}
