//! Erasing what has expired: readers leave it out at once, its content goes when there is time.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use idetic_ops::core::SpaceName;
use idetic_ops::{Memory, Result, erase_expired};

use super::Upkeep;
use crate::background;

/// How often the open spaces are looked at.
const POLL: Duration = Duration::from_secs(60);
/// How long a space is left alone after erasing was tried there: everything derived from its log is rebuilt.
const PAUSE: Duration = Duration::from_secs(3600);

/// Erases what has expired in the open spaces, for as long as the server runs.
pub async fn erase(memory: Arc<Memory>, clock: fn() -> Instant, upkeep: Arc<Upkeep>) {
    let mut erased = HashMap::new();
    loop {
        let (memory, counted, before) = (Arc::clone(&memory), Arc::clone(&upkeep), std::mem::take(&mut erased));
        let pass = move || erase_once(&memory, clock(), before, &counted);
        let Ok(after) = background::run(background::LONG_WORK, pass).await else { return };
        erased = after;
        tokio::time::sleep(POLL).await;
    }
}

/// One look at every open space; gives when erasing was last tried in each.
fn erase_once(
    memory: &Memory,
    now: Instant,
    mut erased: HashMap<SpaceName, Instant>,
    upkeep: &Upkeep,
) -> HashMap<SpaceName, Instant> {
    let mut waiting = 0;
    erased.retain(|_, at| now.duration_since(*at) < PAUSE);
    for space in memory.open_spaces() {
        let expired = || -> Result<u64> { Ok(space.expired(space.horizon(None)?)?.len() as u64) };
        // What cannot be read now is tried again.
        let Ok(expired) = expired() else { continue };
        if expired == 0 {
            continue;
        }
        if erased.contains_key(space.name()) {
            waiting += expired;
            continue;
        }
        // Also where it failed: it may have been half done, and every try derives everything again.
        erased.insert(space.name().clone(), now);
        match erase_expired(memory, &space, &mut |_, _| {}) {
            Ok(Some(done)) => {
                upkeep.erased.fetch_add(done.count as u64, Ordering::Relaxed);
            }
            Ok(None) => waiting += expired,
            Err(error) => {
                waiting += expired;
                tracing::warn!(target: "idetic::expired", space = %space.name(), "{}", error.message);
            }
        }
    }
    upkeep.expired.store(waiting, Ordering::Relaxed);
    erased
}
