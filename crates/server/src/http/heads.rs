//! How far the logs that are followed have come: one look at a space for all who follow it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use idetic_ops::Memory;
use idetic_ops::core::SpaceName;
use tokio::sync::watch;

use crate::background;

/// How often a log that is followed is looked at: other programs may write to it.
const EVERY: Duration = Duration::from_millis(100);

/// The spaces that are followed, and the number of their last event.
#[derive(Default)]
pub struct Heads {
    spaces: Mutex<HashMap<SpaceName, watch::Sender<u64>>>,
}

impl Heads {
    /// Hears whenever a space has events that were not there before.
    pub fn of(self: &Arc<Self>, memory: &Arc<Memory>, space: &SpaceName) -> watch::Receiver<u64> {
        let mut spaces = self.spaces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(head) = spaces.get(space) {
            return head.subscribe();
        }
        let head = watch::Sender::new(0);
        let receiver = head.subscribe();
        spaces.insert(space.clone(), head.clone());
        tokio::spawn(Arc::clone(self).look(Arc::clone(memory), space.clone(), head));
        receiver
    }

    async fn look(self: Arc<Self>, memory: Arc<Memory>, space: SpaceName, head: watch::Sender<u64>) {
        while self.is_followed(&space, &head) {
            let (memory, space) = (Arc::clone(&memory), space.clone());
            let look = move || memory.peek(&space).and_then(|space| Ok(space.log().tip()?.seq));
            let seen = background::block(look).await;
            head.send_if_modified(|head| match seen {
                Ok(Ok(seq)) => std::mem::replace(head, seq) != seq,
                // What is wrong is for those who follow to see.
                _ => true,
            });
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Whether anybody still hears of it; if not, it is forgotten.
    fn is_followed(&self, space: &SpaceName, head: &watch::Sender<u64>) -> bool {
        let mut spaces = self.spaces.lock().unwrap_or_else(PoisonError::into_inner);
        let is_followed = head.receiver_count() > 0;
        if !is_followed {
            spaces.remove(space);
        }
        is_followed
    }
}
