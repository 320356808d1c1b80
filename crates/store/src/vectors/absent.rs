//! Texts that are known to have no row: while many documents wait for their vectors, readers need not look each of them up again.

use std::collections::{HashMap, HashSet};

use idetic_search::InputHash;
use rusqlite::Connection;

use crate::Result;

/// Most texts remembered for one model; those beyond are looked up each time.
const TEXTS_MAX: usize = 1 << 20;

/// What is known of one connection's view of the database.
#[derive(Default)]
pub struct Absent {
    /// SQLite's count of changes by other connections; `None` before it was first read.
    version: Option<i64>,
    texts: HashMap<String, HashSet<InputHash>>,
}

impl Absent {
    /// The texts that have no row in a snapshot. A change by another process makes them unknown.
    pub fn of(&mut self, model: &str, snapshot: &Connection) -> Result<&mut HashSet<InputHash>> {
        let version = snapshot.query_row("PRAGMA data_version", [], |row| row.get(0))?;
        if self.version != Some(version) {
            *self = Self { version: Some(version), texts: HashMap::new() };
        }
        Ok(self.texts.entry(model.to_owned()).or_default())
    }

    /// Some texts get rows, by this connection.
    pub fn remove<'a>(&mut self, model: &str, inputs: impl Iterator<Item = &'a InputHash>) {
        if let Some(texts) = self.texts.get_mut(model) {
            for input in inputs {
                texts.remove(input);
            }
        }
    }

    /// Nothing is known of another connection.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Notes that a text has no row.
pub fn note(texts: &mut HashSet<InputHash>, input: &InputHash) {
    if texts.len() < TEXTS_MAX {
        texts.insert(*input);
    }
}
