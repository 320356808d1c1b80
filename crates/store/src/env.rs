//! Where time and chance come from: handed in, so that tests can fix both.

use std::fmt;
use std::sync::Arc;

use idetic_core::Time;

type Clock = dyn Fn() -> Time + Send + Sync;
type Random = dyn Fn(&mut [u8]) + Send + Sync;

/// The clock and the random source of whoever runs the log.
#[derive(Clone)]
pub struct Env {
    clock: Arc<Clock>,
    random: Arc<Random>,
}

impl Env {
    /// A clock and a source of random bytes.
    pub fn new(
        clock: impl Fn() -> Time + Send + Sync + 'static,
        random: impl Fn(&mut [u8]) + Send + Sync + 'static,
    ) -> Self {
        Self { clock: Arc::new(clock), random: Arc::new(random) }
    }

    /// The time now.
    pub fn now(&self) -> Time {
        (self.clock)()
    }

    /// Random bytes.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    /// Random bytes, as many as fit.
    pub fn fill(&self, bytes: &mut [u8]) {
        (self.random)(bytes);
    }
}

impl Env {
    /// A new id for an event, where others must name it before it is appended.
    pub fn event_id(&self) -> String {
        event_id(self.now(), &self.random())
    }
}

/// An id that sorts by time.
pub(crate) fn event_id(now: Time, unique: &[u8; 10]) -> String {
    let made = uuid::Builder::from_unix_timestamp_millis(now.unix_millis(), unique).into_uuid();
    made.hyphenated().encode_lower(&mut uuid::Uuid::encode_buffer()).to_owned()
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Env")
    }
}
