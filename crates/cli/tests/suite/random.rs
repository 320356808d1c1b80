//! Chance that can be repeated: splitmix64 from a seed.

use std::time::Duration;

/// A stream of numbers that depends on its seed alone.
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A time of 32 microseconds up to `most`, every power of two as likely as the others: short waits matter most.
    pub fn moment(&mut self, most: Duration) -> Duration {
        let powers = most.as_micros().max(64).ilog2() - 5;
        let scale = 32 << self.below(u64::from(powers));
        Duration::from_micros(scale + self.below(scale))
    }
}
