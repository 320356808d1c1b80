//! What the tests start from: a clock and a random source that repeat themselves, events, and folders.

use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use idetic_core::transfer::to_line;
use idetic_core::{Record, Stored, Time};
use idetic_store::{Batch, Env, Log, NewEvent, Options, SqliteLog};
use tempfile::TempDir;

/// A clock that starts on the first of January 2026 and goes a second further each time it is asked, and random bytes
/// that are a counter in disguise. The golden files were written with these: they never change.
pub fn env() -> Env {
    sources_from(0)
}

/// The same with other random bytes.
pub fn sources_from(seed: u64) -> Env {
    let now = AtomicI64::new(1_767_225_600_000_000);
    sources_with_clock(seed, move || Time(now.fetch_add(1_000_000, Ordering::Relaxed)))
}

/// A clock of one's own.
pub fn sources_with_clock(seed: u64, clock: impl Fn() -> Time + Send + Sync + 'static) -> Env {
    let count = AtomicU64::new(seed << 32);
    Env::new(clock, move |bytes| {
        for chunk in bytes.chunks_mut(8) {
            let word = scrambled(count.fetch_add(1, Ordering::Relaxed)).to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    })
}

/// Splitmix64: every number gives another one that looks like none of its neighbours.
pub fn scrambled(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// An event as the layer above hands it in.
pub fn event(body: &str) -> NewEvent {
    let record = Record::parse(body.as_bytes()).expect("a good record");
    let key = record.claim.id_key();
    let undated = record.claim.undated;
    NewEvent { id: record.claim.id.clone().zip(key), kind: record.claim.kind, body: record.body, undated }
}

/// Events in one batch, without an expectation.
pub fn batch<S: AsRef<str>>(bodies: &[S]) -> Batch {
    Batch { events: bodies.iter().map(|body| event(body.as_ref())).collect(), expect: None }
}

/// A plain event that says `text`.
pub fn note(text: impl std::fmt::Display) -> String {
    format!(r#"{{"kind":"change","content":"{text}"}}"#)
}

/// The same with a caller's id.
pub fn note_with_id(id: impl std::fmt::Display, text: impl std::fmt::Display) -> String {
    format!(r#"{{"id":"{id}","kind":"change","content":"{text}"}}"#)
}

/// A folder that goes away with the test, in memory where the system has such a place.
pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.expect("a folder")
}

/// A new log on ordinary files.
pub fn log_in(folder: &Path) -> SqliteLog {
    SqliteLog::create(folder, env(), &Options::default()).expect("a log")
}

/// Every event.
pub fn all(log: &dyn Log) -> Vec<Stored> {
    log.read(1, usize::MAX).expect("a sound log")
}

/// Every event as it is exported.
pub fn lines(events: &[Stored]) -> Vec<String> {
    events.iter().map(|event| to_line(event).expect("a line")).collect()
}
