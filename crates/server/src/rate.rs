//! How often each key may ask: so many requests in a second, and twice as many at once after a pause.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Seconds of saved-up requests.
const BURST_SECONDS: f64 = 2.0;
/// Keys that are remembered; those that asked for nothing lately are forgotten first.
const KEYS_MAX: usize = 100_000;

/// The requests that each key has left.
pub struct RateLimiter {
    per_second: f64,
    left: Mutex<HashMap<String, (f64, Instant)>>,
}

impl RateLimiter {
    /// A limit for every key; 0 is none.
    pub fn new(per_second: u32) -> Self {
        Self { per_second: f64::from(per_second), left: Mutex::default() }
    }

    /// Takes one request of a key, or says how long to wait for it.
    pub fn take(&self, key: &str, now: Instant) -> Result<(), Duration> {
        if self.per_second == 0.0 {
            return Ok(());
        }
        let most = self.per_second * BURST_SECONDS;
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.len() >= KEYS_MAX {
            left.retain(|_, (_, last)| now.duration_since(*last).as_secs_f64() < BURST_SECONDS);
        }
        let (have, last) = left.entry(key.to_owned()).or_insert((most, now));
        *have = (*have + now.saturating_duration_since(*last).as_secs_f64() * self.per_second).min(most);
        *last = now;
        if *have >= 1.0 {
            *have -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - *have) / self.per_second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_so_many_a_second_and_no_other_pays_for_it() {
        let (limiter, start) = (RateLimiter::new(2), Instant::now());
        assert!((0..4).all(|_| limiter.take("a", start).is_ok()), "twice as many at once");
        let wait = limiter.take("a", start).expect_err("used up");
        assert!(wait <= Duration::from_millis(500));
        assert!(limiter.take("b", start).is_ok());
        assert!(limiter.take("a", start + wait).is_ok(), "one came back");
        assert!(limiter.take("a", start + wait).is_err());
    }
}
