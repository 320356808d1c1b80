//! How many calls are carried out at a time, whichever way they came.

use std::sync::Arc;

use idetic_memory::{Operation, Rights};
use tokio::sync::Semaphore;

/// Questions that are answered at a time, for each processor: more would only wait for each other.
const READS_PER_CPU: usize = 4;
/// Calls that write at a time: they wait for the disk together.
const WRITES: usize = 256;

/// The room there is for calls that run.
pub struct Rooms {
    reads: Arc<Semaphore>,
    most_reads: usize,
    writes: Arc<Semaphore>,
}

impl Default for Rooms {
    fn default() -> Self {
        let most_reads = READS_PER_CPU * std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self { reads: Arc::new(Semaphore::new(most_reads)), most_reads, writes: Arc::new(Semaphore::new(WRITES)) }
    }
}

impl Rooms {
    /// The room an operation needs while it runs.
    pub fn of(&self, operation: &Operation) -> Arc<Semaphore> {
        Arc::clone(if operation.rights == Rights::Read { &self.reads } else { &self.writes })
    }

    /// Waits until nothing runs any more.
    pub async fn empty(&self) {
        for (room, most) in [(&self.reads, self.most_reads), (&self.writes, WRITES)] {
            // It is never closed.
            let _ = room.acquire_many(u32::try_from(most).unwrap_or(u32::MAX)).await;
        }
    }
}
