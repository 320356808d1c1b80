//! The events of a project in the order of its files, as the log has them: what was edited or deleted counts as it was.

use std::borrow::Cow;
use std::collections::HashMap;

use idetic_core::Hash;
use idetic_formats::markdown::Entry;
use idetic_memory::Result;

use super::compare::{Compared, Known, Placed};
use super::{Project, records};

/// One event.
pub struct Told<'l> {
    /// The id it has by what it says, the same in every space.
    pub id: String,
    /// Its number; none for generation one.
    pub number: Option<u64>,
    /// What it says.
    pub entry: Cow<'l, Entry>,
}

/// All of them, oldest first.
pub struct Story<'l> {
    pub told: Vec<Told<'l>>,
    /// The numbers that the files give out, by what the events are known by.
    pub numbers: HashMap<Hash, u64>,
}

impl Story<'_> {
    /// Their entries.
    pub fn entries(&self) -> Vec<&Entry> {
        self.told.iter().map(|told| &*told.entry).collect()
    }

    /// The number of the last one.
    pub fn horizon(&self) -> Option<u64> {
        self.told.last().and_then(|told| told.number)
    }

    /// How many there are up to a number.
    pub fn up_to(&self, number: u64) -> usize {
        self.told.iter().position(|told| told.number.is_some_and(|own| own > number)).unwrap_or(self.told.len())
    }
}

impl Project {
    /// The events of the files, once they were compared.
    pub(super) fn story<'l>(&self, found: &[Placed<'l>], known: &[Known], compared: &Compared) -> Result<Story<'l>> {
        let edited: HashMap<usize, usize> = compared.edited.iter().copied().collect();
        let mut told = Vec::with_capacity(found.len());
        for (at, placed) in found.iter().enumerate() {
            told.push(match edited.get(&at) {
                Some(old) => self.original(&known[*old], known)?,
                None => {
                    Told { id: placed.own.clone(), number: placed.entry.number, entry: Cow::Borrowed(placed.entry) }
                }
            });
        }
        for old in &compared.deleted {
            told.push(self.original(&known[*old], known)?);
        }
        if !(compared.moved.is_empty() && compared.deleted.is_empty()) {
            told.sort_by_key(|told| told.number);
        }
        let numbers = found.iter().filter_map(|placed| Some((placed.bare, placed.entry.number?))).collect();
        Ok(Story { told, numbers })
    }

    /// An event as the log has it.
    fn original(&self, old: &Known, known: &[Known]) -> Result<Told<'static>> {
        let number_of = |id: &str| known.iter().find(|known| known.event == id)?.number;
        let event = self.log()?.by_id(&old.event, self.head()?)?;
        let entry = records::entry(&event, old.number, &number_of)
            .ok_or_else(|| idetic_memory::Error::unavailable(format!("{} cannot be read from the log", old.name())))?;
        let id = old.key.as_deref().and_then(records::full).map_or_else(String::new, |full| records::id(&full, 0));
        Ok(Told { id, number: old.number, entry: Cow::Owned(entry) })
    }
}
