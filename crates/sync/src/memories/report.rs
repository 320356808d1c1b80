//! What came of an import of memories.

use std::collections::BTreeMap;
use std::fmt;

use idetic_core::Time;
use idetic_core::views::FACT_STORED;
use serde_json::Value;

/// Most users that are told apart.
const USERS_MAX: usize = 1000;

/// What came of it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ImportedMemories {
    /// Things that were remembered there.
    pub memories: usize,
    /// Statements that hold for a time.
    pub facts: usize,
    /// Notes.
    pub notes: usize,
    /// Messages of conversations, and uses of tools.
    pub messages: usize,
    /// Events that are new in the log.
    pub added: u64,
    /// How many of them are new versions of what was imported before.
    pub changed: u64,
    /// New versions of which no time says that they are newer than what was here.
    pub undated: u64,
    /// Facts that were plainly stated in conversations.
    pub facts_found: usize,
    /// Sessions whose messages hooks recorded, or another import.
    pub recorded: usize,
    /// Prompts that their authors took off the record, with what came of them.
    pub private: usize,
    /// What was forgotten there by its age.
    pub expired: usize,
    /// What was deleted there.
    pub deleted: usize,
    /// What belongs to other users.
    pub of_others: usize,
    /// What could not be taken in.
    pub refused: usize,
    /// How many items there are of each user.
    pub users: BTreeMap<String, u64>,
    /// The first moment.
    pub from: Option<Time>,
    /// The last moment.
    pub until: Option<Time>,
}

impl ImportedMemories {
    /// Whether anything of the source was found.
    pub fn is_empty(&self) -> bool {
        self.memories + self.facts + self.notes + self.messages + self.recorded + self.refused == 0
            && self.expired + self.deleted + self.of_others == 0
    }

    /// Counts a record.
    pub(super) fn count(&mut self, body: &Value, made: Option<Time>, user: Option<String>) {
        match body["kind"].as_str() {
            Some(super::record::REMEMBERED) => self.memories += 1,
            Some(FACT_STORED) => self.facts += 1,
            _ => self.messages += 1,
        }
        self.from = self.from.into_iter().chain(made).min();
        self.until = self.until.into_iter().chain(made).max();
        if let Some(user) = user.filter(|user| self.users.len() < USERS_MAX || self.users.contains_key(user)) {
            *self.users.entry(user).or_default() += 1;
        }
    }
}

impl fmt::Display for ImportedMemories {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds =
            [(self.memories, "memories"), (self.facts, "facts"), (self.notes, "notes"), (self.messages, "messages")];
        let found: Vec<String> =
            kinds.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        out.write_str(&if found.is_empty() { "nothing".to_owned() } else { found.join(", ") })?;
        if let (Some(from), Some(until)) = (self.from, self.until) {
            write!(out, " from {} to {}", from.day(), until.day())?;
        }
        for (count, what) in [
            (self.recorded, "sessions whose messages are here already"),
            (self.private, "prompts left out because they are private"),
            (self.expired, "left out because they expired there"),
            (self.deleted, "left out because they were deleted there"),
            (self.of_others, "left out because they are other users'"),
        ] {
            if count > 0 {
                write!(out, "; {count} {what}")?;
            }
        }
        Ok(())
    }
}
