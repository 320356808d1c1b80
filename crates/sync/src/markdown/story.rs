//! The events of a project in the order of its files, as the log has them: what was edited or deleted counts as it was.

use std::borrow::Cow;
use std::collections::HashMap;

use idetic_core::Hash;
use idetic_formats::markdown::Entry;
use idetic_memory::Result;

use super::committed::Commits;
use super::compare::{Compared, Known, Placed};
use super::history::{History, Loss, Lost};
use super::records::half;
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
    pub(super) fn story<'l>(
        &self,
        found: &[Placed<'l>],
        known: &[Known],
        compared: &Compared,
        history: Option<&History>,
    ) -> Result<Story<'l>> {
        let numbers: HashMap<Hash, u64> =
            found.iter().filter_map(|placed| Some((placed.bare, placed.entry.number?))).collect();
        let mut commits = Commits::default();
        let mut original = |old: &Known, what: Loss| {
            let own = old.key.as_deref().map(records::bare);
            let lost = history.and_then(|history| {
                history.lost.iter().find(|lost| lost.what == what && Some(half(&lost.bare).as_str()) == own)
            });
            // As git has it, where it does: the log of each clone knows it by the numbers it met it with.
            match lost.map(|lost| self.as_committed(lost, &numbers, &mut commits)).transpose()?.flatten() {
                Some(told) => Ok(told),
                None => self.original(old, known),
            }
        };
        let edited: HashMap<usize, usize> = compared.edited.iter().copied().collect();
        let mut told = Vec::with_capacity(found.len());
        for (at, placed) in found.iter().enumerate() {
            let number = placed.entry.number;
            told.push(match edited.get(&at) {
                Some(old) => {
                    let mut told = original(&known[*old], Loss::Edited)?;
                    told.number = number;
                    told.entry.to_mut().number = number;
                    told
                }
                None => Told { id: placed.own.clone(), number, entry: Cow::Borrowed(placed.entry) },
            });
        }
        let there = told.len();
        for old in &compared.deleted {
            told.push(original(&known[*old], Loss::Deleted)?);
        }
        // Two may have had the same number, and each log knows them in an order of its own.
        told[there..].sort_by(|one, other| one.id.cmp(&other.id));
        if !(compared.moved.is_empty() && compared.deleted.is_empty()) {
            told.sort_by_key(|told| told.number);
        }
        Ok(Story { told, numbers })
    }

    /// An event as the commit before its loss had it, with today's numbers of what it refers to.
    fn as_committed(
        &self,
        lost: &Lost,
        numbers: &HashMap<Hash, u64>,
        commits: &mut Commits,
    ) -> Result<Option<Told<'static>>> {
        let all = commits.events(self.folder.root(), &lost.parent)?;
        let Some(event) = all.iter().find(|event| event.identity.bare == lost.bare) else { return Ok(None) };
        // What is not there today has no number today.
        let today = |number: &u64| {
            let target = all.iter().find(|event| event.entry.number == Some(*number));
            target.and_then(|event| numbers.get(&event.identity.bare)).copied()
        };
        let mut entry = event.entry.clone();
        entry.refs = entry.refs.iter().filter_map(today).collect();
        Ok(Some(Told { id: records::id(&event.identity.full, 0), number: entry.number, entry: Cow::Owned(entry) }))
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
