//! Purging, as far as the log goes: what is to go, how it is found and recognised, and the receipt that says how much it was.
//!
//! What is to go is written down first, without a word of it, so that a purge that was stopped can be finished.

mod choose;
mod journal;
mod receipt;
mod words;

use std::collections::HashSet;

use idetic_core::Hash;
use idetic_core::words::Persona;

use crate::{Result, Space};
pub use choose::{ProvenanceFilter, PurgeCandidate, Selection, choose};
pub use idetic_search::text_pattern::{TextPattern, plain};
pub use journal::PurgeJournal;
pub use receipt::receipt;

/// What is gone, as whoever cleans a file recognises it.
#[derive(Debug, Default)]
pub struct PurgedItems {
    /// Events by agent, persona and id.
    pub ids: HashSet<(Option<String>, Option<Persona>, String)>,
    /// The checksums of notes' whole texts.
    pub notes: HashSet<Hash>,
    /// The words that were searched for, where they are known.
    pub words: Option<TextPattern>,
}

impl PurgedItems {
    /// Whether a text has the words that are to go.
    pub fn says(&self, text: &str) -> bool {
        self.words.as_ref().is_some_and(|words| words.matches(text))
    }

    /// Whether a record, or a line of a file of events, has them.
    pub fn says_record(&self, record: &str) -> bool {
        self.words.as_ref().is_some_and(|words| words::says(words, record))
    }

    /// Whether an id of the shared lane, or of whatever agent, is gone.
    pub fn has_id(&self, id: &str) -> bool {
        self.ids.iter().any(|(_, _, own)| own == id)
    }
}

/// What a purge of a space comes to: the events, and how the rest is found and recognised.
pub struct Plan {
    /// The events.
    pub chosen: Vec<PurgeCandidate>,
    /// The words that were searched for.
    pub words: Option<TextPattern>,
}

impl Plan {
    /// Looks for what is to go.
    pub fn of(space: &Space, wanted: &Selection, progress: &mut dyn FnMut(u64, u64)) -> Result<Self> {
        Ok(Self { chosen: choose(space, wanted, progress)?, words: wanted.matching.clone() })
    }
}
