//! Asks what may never answer, as a network share does whose server is away, and waits for a limited time only.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// How long an answer is waited for. One that does not come keeps a thread until it does: so there may be only so many.
pub struct TimeLimit {
    patience: Duration,
    most: usize,
    waiting: Arc<AtomicUsize>,
}

/// An answer that is still to come.
struct Outstanding(Arc<AtomicUsize>);

impl Drop for Outstanding {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl TimeLimit {
    /// A limit on the time, and on how many answers may be outstanding.
    pub fn new(patience: Duration, most: usize) -> Self {
        Self { patience, most, waiting: Arc::default() }
    }

    /// The answer, if it comes in time. Only for what changes nothing: what is given up may still be carried out later.
    pub fn ask<T: Send + 'static>(&self, ask: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let outstanding = Outstanding(Arc::clone(&self.waiting));
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.most {
            return None;
        }
        let (answer, answered) = mpsc::channel();
        // Where no thread can be started there is no answer either.
        let _ = thread::Builder::new().spawn(move || {
            // Nobody may be waiting for it any more.
            let _ = answer.send(ask());
            drop(outstanding);
        });
        answered.recv_timeout(self.patience).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn what_hangs_is_given_up_and_is_not_asked_without_end() {
        let (limit, gate) = (TimeLimit::new(Duration::from_millis(100), 2), Arc::new(Mutex::new(())));
        let closed = gate.lock().expect("nobody has it");
        for _ in 0..3 {
            let gate = Arc::clone(&gate);
            assert_eq!(limit.ask(move || drop(gate.lock())), None);
        }
        assert_eq!(limit.waiting.load(Ordering::Relaxed), 2, "the third was not asked");
        drop(closed);
        // It is asked again once the answers have come.
        let answers = |_| {
            thread::sleep(Duration::from_millis(20));
            limit.ask(|| 7) == Some(7)
        };
        assert!((0..500).any(answers));
    }
}
