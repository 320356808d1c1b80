//! Where time and chance come from: handed in, so that tests can fix both.

use std::fmt;
use std::sync::Arc;

use idetic_core::Time;

type Clock = dyn Fn() -> Time + Send + Sync;
type Random = dyn Fn(&mut [u8]) + Send + Sync;

/// The clock and the random source of whoever runs the log.
#[derive(Clone)]
pub struct Sources {
    clock: Arc<Clock>,
    random: Arc<Random>,
}

impl Sources {
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

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sources")
    }
}
