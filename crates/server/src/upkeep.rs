//! Embedding in the background: what was appended gets its vectors behind the answers, the newest first, a little of each open
//! space in turn.

mod expired;
mod snapshots;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use idetic_ops::core::SpaceName;
use idetic_ops::model::Embedder;
use idetic_ops::space::embedding::{EmbedBudget, Which};
use idetic_ops::{Memory, Result, Space};
use tokio::sync::Notify;

use crate::background;
pub use expired::erase;
pub use snapshots::keep_snapshots;

/// How often spaces are looked at that another process may have written to.
const POLL: Duration = Duration::from_secs(2);
/// As many as a reader embeds before it answers.
const FEW_DOCUMENTS: u64 = 32;
/// How long a model that cannot be used is left alone.
const RETRY_DELAY: Duration = Duration::from_secs(30);

/// What waits for its vectors, and whether somebody works on it.
#[derive(Default)]
pub struct Upkeep {
    is_running: AtomicBool,
    written: Notify,
    waiting: AtomicU64,
    /// Events of the open spaces that have expired, may be erased and still have their content.
    expired: AtomicU64,
    /// Events whose content went because of that, since the server began.
    erased: AtomicU64,
}

impl Upkeep {
    /// Something was written: there may be work.
    pub fn wake(&self) {
        self.written.notify_one();
    }

    /// Whether so much waits that readers leave it to the background; a few documents they embed themselves, at once.
    pub fn is_behind(&self) -> bool {
        self.is_running.load(Ordering::Relaxed) && self.waiting() > FEW_DOCUMENTS
    }

    /// How many events of the open spaces have expired and wait to be erased, and how many were.
    pub fn expired(&self) -> (u64, u64) {
        (self.expired.load(Ordering::Relaxed), self.erased.load(Ordering::Relaxed))
    }

    /// How many documents of the open spaces wait for their vectors, as of the last look.
    pub fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::Relaxed)
    }
}

/// Embeds what waits, for as long as the server runs.
pub async fn embed(memory: Arc<Memory>, model: Arc<dyn Embedder>, upkeep: Arc<Upkeep>) {
    upkeep.is_running.store(true, Ordering::Relaxed);
    let mut done = Done::default();
    loop {
        let (memory, model) = (Arc::clone(&memory), Arc::clone(&model));
        let so_far = std::mem::take(&mut done);
        let pass = background::run(background::UPKEEP, move || so_far.embed_some(&memory, &model)).await;
        let Ok(pass) = pass else {
            upkeep.is_running.store(false, Ordering::Relaxed);
            return;
        };
        done = pass.done;
        upkeep.waiting.store(pass.waiting, Ordering::Relaxed);
        if let Some(pause) = pass.pause {
            tokio::select! {
                () = upkeep.written.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }
}

/// The last event of each open space behind which nothing waits.
#[derive(Default)]
struct Done(HashMap<SpaceName, u64>);

/// What one look at all open spaces did.
struct Pass {
    done: Done,
    /// The documents that wait.
    waiting: u64,
    /// How long to wait before the next look, unless there is more to do.
    pause: Option<Duration>,
}

impl Done {
    /// Embeds a little of each open space.
    fn embed_some(self, memory: &Memory, model: &Arc<dyn Embedder>) -> Pass {
        let mut pass = Pass { done: Self::default(), waiting: 0, pause: Some(POLL) };
        for space in memory.open_spaces() {
            let before = self.0.get(space.name()).copied();
            match embed_space(&space, model, before) {
                Ok(Left::Nothing { head }) => drop(pass.done.0.insert(space.name().clone(), head)),
                Ok(Left::Documents(left)) => {
                    pass.waiting += left;
                    pass.pause = None;
                }
                // Found by words meanwhile; tried again later.
                Ok(Left::Unavailable) | Err(_) => pass.pause = pass.pause.map(|_| RETRY_DELAY),
            }
        }
        pass
    }
}

/// What is left to do in a space.
enum Left {
    Nothing { head: u64 },
    Documents(u64),
    Unavailable,
}

fn embed_space(space: &Space, model: &Arc<dyn Embedder>, done: Option<u64>) -> Result<Left> {
    let head = space.log().tip()?.seq;
    if done == Some(head) {
        return Ok(Left::Nothing { head });
    }
    let embed = |budget| space.embed(model, None, Which::Pending, budget, &mut |_, _| {});
    let mut embedded = embed(EmbedBudget::BACKGROUND)?;
    if embedded.embedded + embedded.failed == 0 && embedded.left > 0 {
        // Only long texts are left.
        embedded = embed(EmbedBudget::ONE_DOCUMENT)?;
    }
    Ok(match embedded {
        embedded if embedded.unavailable.is_some() => Left::Unavailable,
        embedded if embedded.left > 0 => Left::Documents(embedded.left as u64),
        _ => {
            // Thousands of spaces are written to, and few are read: their files are not kept open.
            space.vectors().drop_caches();
            Left::Nothing { head }
        }
    })
}
