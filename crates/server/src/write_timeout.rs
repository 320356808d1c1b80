//! A connection whose other side must read: where nothing can be written for too long, it is closed.

use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// How long whoever is sent something may take for the next part of it.
const WINDOW: Duration = Duration::from_secs(30);
/// How much of it must be taken in that time: whoever takes a byte now and then would hold an answer for days.
const WINDOW_MIN_BYTES: usize = 64 << 10;
/// A pause between two writes after which the time begins anew: there was nothing to be sent.
const PAUSE: Duration = Duration::from_secs(1);

/// The connection.
pub struct WriteTimeout {
    stream: TcpStream,
    clock: fn() -> Instant,
    window: Duration,
    /// Set while the other side has not taken all that it was sent.
    ends: Option<Pin<Box<Sleep>>>,
    written: usize,
    last_write: Option<Instant>,
}

impl WriteTimeout {
    pub fn new(stream: TcpStream, clock: fn() -> Instant) -> Self {
        Self { stream, clock, window: WINDOW, ends: None, written: 0, last_write: None }
    }

    fn check(&mut self, cx: &mut Context<'_>, wrote: Poll<Result<usize>>) -> Poll<Result<usize>> {
        match wrote {
            Poll::Ready(Ok(count)) => {
                self.last_write = Some((self.clock)());
                self.written += count;
                if self.written >= WINDOW_MIN_BYTES {
                    self.ends = None;
                }
                Poll::Ready(Ok(count))
            }
            Poll::Ready(failed) => Poll::Ready(failed),
            Poll::Pending => {
                let had_nothing = self.last_write.take().is_some_and(|last| (self.clock)() - last > PAUSE);
                if self.ends.is_none() || had_nothing {
                    self.written = 0;
                    self.ends = Some(Box::pin(tokio::time::sleep(self.window)));
                }
                match self.ends.as_mut().map(|ends| ends.as_mut().poll(cx)) {
                    Some(Poll::Ready(())) => {
                        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client does not read")))
                    }
                    _ => Poll::Pending,
                }
            }
        }
    }
}

impl AsyncRead for WriteTimeout {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for WriteTimeout {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.check(cx, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.check(cx, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    async fn pair(window: Duration) -> (WriteTimeout, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let client = TcpStream::connect(listener.local_addr().expect("an address")).await.expect("it listens");
        let (server, _) = listener.accept().await.expect("a connection");
        (WriteTimeout { window, ..WriteTimeout::new(server, Instant::now) }, client)
    }

    #[tokio::test]
    async fn whoever_does_not_read_is_hung_up_on() {
        let (mut server, _client) = pair(Duration::from_millis(200)).await;
        let ended = server.write_all(&vec![0; 64 << 20]).await;
        assert_eq!(ended.expect_err("nobody reads").kind(), ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn whoever_takes_next_to_nothing_is_hung_up_on_and_whoever_takes_enough_is_not() {
        let (mut server, mut client) = pair(Duration::from_millis(300)).await;
        let reader = tokio::spawn(async move {
            let (mut buffer, mut total) = (vec![0; 128 << 10], 0);
            while let Ok(count @ 1..) = client.read(&mut buffer).await {
                total += count;
                // Slow, and yet enough in each window.
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            total
        });
        server.write_all(&vec![0; 32 << 20]).await.expect("it is read");
        drop(server);
        assert_eq!(reader.await.expect("it ends"), 32 << 20);
        let (mut server, mut client) = pair(Duration::from_millis(300)).await;
        let reader = tokio::spawn(async move {
            while client.read_u8().await.is_ok() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        let ended = server.write_all(&vec![0; 64 << 20]).await;
        assert_eq!(ended.expect_err("a byte now and then").kind(), ErrorKind::TimedOut);
        drop(server);
        reader.abort();
    }
}
