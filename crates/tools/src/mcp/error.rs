//! What can go wrong with a server.

use std::fmt;

/// Of what sort an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpErrorKind {
    /// It could not be started, reached or agreed with.
    NotConnected,
    /// It gave no answer in time. The connection is still there.
    TooSlow,
    /// It answered with more than it may. The connection is still there.
    TooMuch,
    /// It refused what was asked, e.g. a tool it does not have. The connection is still there.
    Refused,
    /// It said something that the protocol does not know.
    Wrong,
    /// It has ended or cannot be reached any more: connect again.
    Gone,
}

/// Why a server gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpError {
    /// Of what sort it is.
    pub kind: McpErrorKind,
    /// Which server.
    pub server: String,
    /// What happened, and where it helps what to do.
    pub message: String,
}

impl McpError {
    pub(super) fn new(kind: McpErrorKind, message: impl Into<String>) -> Self {
        Self { kind, server: String::new(), message: message.into() }
    }

    pub(super) fn of(self, server: &str) -> Self {
        Self { server: server.to_owned(), ..self }
    }
}

impl fmt::Display for McpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MCP server {}: {}", self.server, self.message)
    }
}

impl std::error::Error for McpError {}
