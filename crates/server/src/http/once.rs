//! Calls that have a name: made again under it within a day, they are answered as before and not carried out again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::StatusCode;

/// How long an answer is kept.
const KEPT: Duration = Duration::from_secs(24 * 3600);
/// Most answers that are kept, and most bytes of them; the oldest go first.
const ANSWERS_MAX: usize = 10_000;
const BYTES_MAX: usize = 64 << 20;
/// Longest name.
pub const NAME_MAX_BYTES: usize = 200;

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// It is new, and begins now.
    New,
    /// It has begun and is not over.
    Begun,
    /// Something else was asked under that name.
    Other,
    /// It was answered so.
    Answered(StatusCode, Bytes),
}

struct Kept {
    asked: blake3::Hash,
    answer: Option<(StatusCode, Bytes)>,
    at: Instant,
}

/// The calls with a name.
#[derive(Default)]
pub struct Once(Mutex<HashMap<String, Kept>>);

impl Once {
    /// Begins a call, unless it was begun before.
    pub fn begin(&self, name: &str, asked: blake3::Hash, now: Instant) -> Known {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, call| now.saturating_duration_since(call.at) < KEPT);
        if let Some(call) = kept.get(name) {
            return match &call.answer {
                _ if call.asked != asked => Known::Other,
                None => Known::Begun,
                Some((status, body)) => Known::Answered(*status, body.clone()),
            };
        }
        let size = |call: &Kept| call.answer.as_ref().map_or(0, |(_, body)| body.len());
        while kept.len() >= ANSWERS_MAX || kept.values().map(size).sum::<usize>() > BYTES_MAX {
            let oldest = kept.iter().filter(|(_, call)| call.answer.is_some()).min_by_key(|(_, call)| call.at);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { break };
            kept.remove(&oldest);
        }
        kept.insert(name.to_owned(), Kept { asked, answer: None, at: now });
        Known::New
    }

    /// Keeps the answer of a call; one that failed for want of something may be tried again.
    pub fn end(&self, name: &str, status: StatusCode, body: &Bytes) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if status.is_server_error() || status == StatusCode::UNPROCESSABLE_ENTITY {
            kept.remove(name);
        } else if let Some(call) = kept.get_mut(name) {
            call.answer = Some((status, body.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_carried_out_once_and_answered_as_before() {
        let (once, now) = (Once::default(), Instant::now());
        let (this, that) = (blake3::hash(b"this"), blake3::hash(b"that"));
        assert_eq!(once.begin("a", this, now), Known::New);
        assert_eq!(once.begin("a", this, now), Known::Begun);
        once.end("a", StatusCode::OK, &Bytes::from_static(b"{}"));
        assert_eq!(once.begin("a", this, now), Known::Answered(StatusCode::OK, Bytes::from_static(b"{}")));
        assert_eq!(once.begin("a", that, now), Known::Other);
        assert_eq!(once.begin("a", that, now + KEPT), Known::New, "a day later it is forgotten");
        for status in [StatusCode::SERVICE_UNAVAILABLE, StatusCode::UNPROCESSABLE_ENTITY] {
            once.end("a", status, &Bytes::new());
            assert_eq!(once.begin("a", this, now), Known::New, "what could not be done may be tried again");
        }
    }
}
