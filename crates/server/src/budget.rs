//! How many bytes of answers wait to be read, in all and for one key: whoever does not read holds no more than that.

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

/// The bytes that are held.
#[derive(Default)]
pub struct Budget {
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
    /// A part of the budget for a key's answer, empty at first.
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
        if used.total + more > TOTAL_BYTES || own + more > KEY_BYTES {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_holds_its_share_and_leaves_the_rest_to_others() {
        let budget = Arc::new(Budget::default());
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
