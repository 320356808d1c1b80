//! How many bytes of requests and of unread answers are held, in all and for one key: whoever sends much and slowly, or
//! does not read, holds no more than that.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// Bytes of answers that wait to be read, of all keys: a server of a small machine has that much to spare.
const TOTAL_BYTES: usize = 256 << 20;
/// The same of one key: the largest answer there is, twice.
const KEY_BYTES: usize = 64 << 20;
/// What one answer may hold without being counted: every connection can have one such answer.
pub const FREE_BYTES: usize = 64 << 10;
/// Bytes that are handed to the connection at a time; what is handed over is not counted any more.
const CHUNK_BYTES: usize = 64 << 10;

/// The bytes that are held, and how many may be.
pub struct Budget {
    total: usize,
    key: usize,
    held: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    total: usize,
    keys: HashMap<Arc<str>, usize>,
}

/// Some of those bytes, given back when it is dropped.
pub struct Held {
    budget: Arc<Budget>,
    key: Arc<str>,
    bytes: usize,
}

impl Budget {
    /// What answers may hold.
    pub fn of_answers() -> Arc<Self> {
        Arc::new(Self { total: TOTAL_BYTES, key: KEY_BYTES, held: Mutex::default() })
    }

    /// What requests may hold, of which the largest has so many bytes: one key may send two of those at once.
    pub fn of_requests(largest: usize) -> Arc<Self> {
        Arc::new(Self { total: 4 * largest, key: 2 * largest, held: Mutex::default() })
    }

    /// A part of the budget for a key, empty at first.
    pub fn hold(self: &Arc<Self>, key: &str) -> Held {
        Held { budget: Arc::clone(self), key: Arc::from(key), bytes: 0 }
    }
}

impl Held {
    /// Holds more; says whether there was room for it.
    #[must_use]
    pub fn grow_to(&mut self, bytes: usize) -> bool {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) else { return true };
        let mut used = self.budget.held.lock().unwrap_or_else(PoisonError::into_inner);
        let own = used.keys.get(&self.key).copied().unwrap_or(0);
        if used.total + more > self.budget.total || own + more > self.budget.key {
            return false;
        }
        used.total += more;
        used.keys.insert(Arc::clone(&self.key), own + more);
        self.bytes = bytes;
        true
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut used = self.budget.held.lock().unwrap_or_else(PoisonError::into_inner);
        used.total -= self.bytes;
        let left = used.keys.get(&self.key).map_or(0, |own| own - self.bytes);
        match left {
            0 => drop(used.keys.remove(&self.key)),
            left => drop(used.keys.insert(Arc::clone(&self.key), left)),
        }
    }
}

/// An answer that is handed to its connection in pieces, and counted until the last of them.
struct Counted {
    rest: Bytes,
    _held: Held,
}

/// The body of an answer whose bytes are held.
pub fn body(bytes: Bytes, held: Held) -> Body {
    Body::new(Counted { rest: bytes, _held: held })
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.rest.len().min(CHUNK_BYTES);
        // A copy, so that what is handed over does not keep the whole answer.
        let chunk = Bytes::copy_from_slice(&self.rest.split_to(length));
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

/// What a request holds while it is read and answered.
#[derive(Clone)]
pub struct Reading(Arc<Mutex<Request>>);

struct Request {
    held: Held,
    /// Bytes read so far.
    read: usize,
    refused: bool,
}

impl Reading {
    /// A request of which nothing is read yet.
    pub fn new(held: Held) -> Self {
        Self(Arc::new(Mutex::new(Request { held, read: 0, refused: false })))
    }

    /// The body of the request, counted as it is read.
    pub fn body(&self, body: Body) -> Body {
        Body::new(Read { body, reading: self.clone() })
    }

    /// Whether it was cut off because too much is held.
    pub fn was_refused(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).refused
    }

    /// Counts more bytes; says whether there was room for them.
    fn grow_by(&self, bytes: usize) -> bool {
        let mut request = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        request.read += bytes;
        let counted = request.read.saturating_sub(FREE_BYTES);
        request.refused |= !request.held.grow_to(counted);
        !request.refused
    }
}

/// The body of a request, counted as it is read.
struct Read {
    body: Body,
    reading: Reading,
}

impl HttpBody for Read {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(cx));
        let bytes = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref().map(Bytes::len)).unwrap_or(0);
        if self.reading.grow_by(bytes) {
            return Poll::Ready(frame);
        }
        Poll::Ready(Some(Err(axum::Error::new(std::io::Error::from(std::io::ErrorKind::OutOfMemory)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_holds_its_share_and_leaves_the_rest_to_others() {
        let budget = Budget::of_answers();
        let (mut one, mut more, mut other) = (budget.hold("a"), budget.hold("a"), budget.hold("b"));
        assert!(one.grow_to(KEY_BYTES - 10) && more.grow_to(10));
        assert!(!more.grow_to(11) && more.grow_to(5), "full, and what it has it keeps");
        assert!(other.grow_to(KEY_BYTES));
        drop(one);
        assert!(more.grow_to(KEY_BYTES));
        drop((more, other));
        let used = budget.held.lock().expect("nobody panicked");
        assert_eq!((used.total, used.keys.len()), (0, 0));
    }
}
