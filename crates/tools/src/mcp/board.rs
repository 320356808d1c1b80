//! Where the two ends of a connection leave word of what went wrong with the request under way.

use tokio::sync::watch;

use super::error::{McpError, McpErrorKind};

/// The protocol's library tells that a request failed, but not always why, and of a message that it threw away
/// because of its length it tells nothing.
pub struct Board(watch::Sender<Page>);

struct Page {
    ticket: u64,
    note: Option<McpError>,
}

impl Board {
    pub fn new() -> Self {
        Self(watch::Sender::new(Page { ticket: 0, note: None }))
    }

    /// A new request: what is still said about those before it does not count.
    pub fn turn(&self) {
        self.0.send_modify(|page| *page = Page { ticket: page.ticket + 1, note: None });
    }

    /// The request under way.
    pub fn ticket(&self) -> u64 {
        self.0.borrow().ticket
    }

    /// Leaves word. The first word is the cause of all others.
    pub fn note(&self, ticket: u64, kind: McpErrorKind, message: String) {
        self.0.send_if_modified(|page| {
            let counts = page.ticket == ticket && page.note.is_none();
            if counts {
                page.note = Some(McpError::new(kind, message));
            }
            counts
        });
    }

    /// What is there.
    pub fn read(&self) -> Option<McpError> {
        self.0.borrow().note.clone()
    }

    /// Waits until there is something.
    pub async fn noticed(&self) -> McpError {
        let mut pages = self.0.subscribe();
        loop {
            if let Some(note) = pages.borrow_and_update().note.clone() {
                return note;
            }
            if pages.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}
