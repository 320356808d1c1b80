//! A server's output as it is read, watched for what the protocol's library passes over in silence.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use super::board::Board;
use super::error::McpErrorKind;

/// Lines that cannot be messages, e.g. a greeting that a server prints: they are skipped, and counted for the day
/// on which nothing else comes.
pub type Noise = Arc<AtomicU64>;

/// Reads through and changes nothing.
pub struct Watched<R> {
    inner: R,
    board: Arc<Board>,
    noise: Noise,
    line_max_bytes: usize,
    line_bytes: usize,
}

impl<R> Watched<R> {
    pub fn new(inner: R, board: Arc<Board>, noise: Noise, line_max_bytes: usize) -> Self {
        Self { inner, board, noise, line_max_bytes, line_bytes: 0 }
    }

    fn watch(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line_bytes == 0 && !matches!(piece[0], b'{' | b'[' | b'\r' | b'\n') {
                self.noise.fetch_add(1, Ordering::Relaxed);
            }
            let before = self.line_bytes;
            self.line_bytes += piece.len();
            if before <= self.line_max_bytes && self.line_bytes > self.line_max_bytes {
                let message = format!("its answer is longer than {} bytes; ask for less", self.line_max_bytes);
                self.board.note(self.board.ticket(), McpErrorKind::TooMuch, message);
            }
            if piece.ends_with(b"\n") {
                self.line_bytes = 0;
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        self.watch(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_however_it_is_cut() {
        let (board, noise) = (Arc::new(Board::new()), Noise::default());
        let mut watched = Watched::new(tokio::io::empty(), Arc::clone(&board), Arc::clone(&noise), 4);
        for piece in ["hel", "lo\r\n\r\n{1}\nb", "ye", "\n"] {
            watched.watch(piece.as_bytes());
        }
        assert_eq!(noise.load(Ordering::Relaxed), 2);
        let note = board.read().expect("hello is longer than four bytes");
        assert_eq!(note.kind, McpErrorKind::TooMuch);
        board.turn();
        watched.watch(b"{12\n");
        assert_eq!(board.read(), None);
        watched.watch(b"{123\n");
        assert!(board.read().is_some());
    }
}
