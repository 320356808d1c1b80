//! What conversations were last reminded of, kept in memory: a turn then reads what it was reminded of, and not what all
//! turns before it were.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use crate::scope::Scope;

/// Conversations of a space that are kept in mind at once, and sentences of all of them.
const CONVERSATIONS_MAX: usize = 1000;
const SENTENCES_MAX: usize = 1_000_000;

/// The conversations looked at last, the latest at the end. A turn then reads what it was reminded of, and not what all
/// turns before it were.
#[derive(Default)]
pub(crate) struct RecallCache(Mutex<Vec<ConversationRecall>>);

/// What one conversation was reminded of, as one pair of eyes sees it.
pub(crate) struct ConversationRecall {
    scope: Scope,
    pub conversation: String,
    /// How often something had been erased: what was made before the last time is not used.
    erasures: u64,
    /// The seq up to which was read.
    pub up_to: u64,
    /// Checksums of the ids that were looked at, and of what their events say, each with the seq of the first that does.
    pub ids: HashSet<u64>,
    pub gists: HashMap<u64, u64>,
}

impl RecallCache {
    /// Takes out what is known of a conversation: nobody waits while it is read on.
    pub fn take(&self, scope: &Scope, conversation: &str, erasures: u64) -> ConversationRecall {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|recall| recall.erasures == erasures);
        let place = all.iter().position(|known| known.conversation == conversation && known.scope == *scope);
        place.map(|place| all.remove(place)).unwrap_or_else(|| ConversationRecall {
            scope: scope.clone(),
            conversation: conversation.to_owned(),
            erasures,
            up_to: 0,
            ids: HashSet::new(),
            gists: HashMap::new(),
        })
    }

    /// Forgets all of it.
    pub fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Puts it back, and forgets the oldest where there is too much.
    pub fn keep(&self, recall: ConversationRecall) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody may have looked at the same conversation meanwhile.
        all.retain(|known| known.conversation != recall.conversation || known.scope != recall.scope);
        all.push(recall);
        let mut sentences: usize = all.iter().map(|recall| recall.gists.len()).sum();
        while all.len() > CONVERSATIONS_MAX || sentences > SENTENCES_MAX && all.len() > 1 {
            sentences -= all.remove(0).gists.len();
        }
    }
}
