//! How many calls are carried out at a time and how many answers are open, and how many of them may be one key's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use idetic_memory::{Error, Operation, Result, Rights};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Questions that are answered at a time, for each processor: more would only wait for each other.
const READS_PER_CPU: usize = 4;
/// Calls that write at a time: they wait for the disk together.
const WRITES: usize = 256;
/// Answers at a time whose length nobody knows: agents, sockets, and logs that are followed.
const STREAMS: usize = 256;
/// How long a call waits for its place before it is told to come again.
const PATIENCE: Duration = Duration::from_secs(20);

/// The room there is for calls that run.
pub struct Rooms {
    reads: Room,
    writes: Room,
    streams: Room,
}

/// One room, and the shares of those who are in it.
struct Room {
    places: Arc<Semaphore>,
    most: usize,
    shares: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A place for one call, given back when it is dropped.
pub struct Place {
    _share: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
}

impl Default for Rooms {
    fn default() -> Self {
        let reads = READS_PER_CPU * std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self { reads: Room::new(reads), writes: Room::new(WRITES), streams: Room::new(STREAMS) }
    }
}

impl Rooms {
    /// Waits for a place to carry out an operation for a key. Nobody's calls take all of the room.
    pub async fn enter(&self, operation: &Operation, key: &str) -> Result<Place> {
        let room = if operation.rights == Rights::Read { &self.reads } else { &self.writes };
        let busy = || Error::unavailable("the server has too much to do").hint("try again in a moment");
        timeout(PATIENCE, room.enter(key)).await.ok().flatten().ok_or_else(busy)
    }

    /// A place for an answer whose length nobody knows, if there is one now.
    pub fn stream(&self, key: &str) -> Option<Place> {
        let share = self.streams.share(key).try_acquire_owned().ok()?;
        let place = Arc::clone(&self.streams.places).try_acquire_owned().ok()?;
        Some(Place { _share: share, _place: place })
    }

    /// Waits until nothing runs any more.
    pub async fn empty(&self) {
        for room in [&self.reads, &self.writes, &self.streams] {
            // It is never closed.
            let _ = room.places.acquire_many(u32::try_from(room.most).unwrap_or(u32::MAX)).await;
        }
    }
}

impl Room {
    fn new(most: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(most)), most, shares: Mutex::default() }
    }

    async fn enter(&self, key: &str) -> Option<Place> {
        let share = self.share(key).acquire_owned().await.ok()?;
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        Some(Place { _share: share, _place: place })
    }

    /// Three quarters of the room are for one key at most.
    fn share(&self, key: &str) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever has nothing running needs none.
        shares.retain(|own, share| own == key || Arc::strong_count(share) > 1);
        let most = (self.most * 3 / 4).max(1);
        Arc::clone(shares.entry(key.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(most))))
    }
}
