//! The changelog as each commit had it: of every event what it is known by, its number, and the numbers it names.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use idetic_core::{Hash, Time};
use idetic_formats::markdown::changelog::{event_id, named_numbers, purged_numbers};
use idetic_formats::markdown::{Changelog, Entry, identities};
use idetic_memory::Result;

use crate::markdown::files::{ARCHIVES, LOG, Logs};
use crate::markdown::git;

/// Texts that are read from git at once.
const TEXTS_AT_ONCE: usize = 100;

/// An event as a commit had it.
pub struct Event {
    /// Its block without the numbers of events.
    pub bare: Hash,
    /// Its number.
    pub number: Option<u64>,
    /// The numbers that its block names, in their order.
    pub named: Vec<u64>,
    time: Time,
    only_day: bool,
    title: String,
}

impl Event {
    fn new(entry: &Entry, raw: &str, bare: Hash) -> Self {
        // Without numbers an event is found again by when it was, and by its title.
        let title = if entry.number.is_none() { entry.summary.clone() } else { String::new() };
        Self {
            bare,
            number: entry.number,
            named: named_numbers(raw).collect(),
            time: entry.time,
            only_day: entry.only_day,
            title,
        }
    }

    /// What it is called.
    pub fn name(&self) -> String {
        self.number.map_or_else(|| format!("'{}'", self.title), event_id)
    }

    pub fn has_number_or_heading_of(&self, other: &Self) -> bool {
        match (self.number, other.number) {
            (None, None) => self.time == other.time && self.title == other.title,
            (own, number) => own == number,
        }
    }

    pub fn has_title_of(&self, other: &Self) -> bool {
        self.number.is_none() && other.number.is_none() && self.title == other.title
    }

    pub fn has_minute_of(&self, other: &Self) -> bool {
        self.has_day_of(other) && !self.only_day && !other.only_day
    }

    /// Whether both have no number, and the same time, which may be a day alone.
    pub fn has_day_of(&self, other: &Self) -> bool {
        self.number.is_none() && other.number.is_none() && self.time == other.time
    }
}

/// One text of a changelog or an archive.
struct Part {
    events: Vec<Event>,
    purged: Vec<u64>,
}

impl Part {
    fn read(log: &Changelog) -> Self {
        let ids = identities(&[log]).pop().unwrap_or_default();
        let events = log.entries().iter().zip(&ids).map(|(entry, id)| Event::new(entry, log.raw(entry), id.bare));
        Self { events: events.collect(), purged: purged_numbers(log.text()).collect() }
    }
}

/// A changelog with its archives, the oldest text first.
#[derive(Default)]
pub struct Version {
    parts: Vec<Rc<Part>>,
}

impl Version {
    /// What the files say now.
    pub fn of(logs: &Logs) -> Self {
        Self { parts: logs.all().into_iter().map(|log| Rc::new(Part::read(log))).collect() }
    }

    /// Its events, oldest text first.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.parts.iter().flat_map(|part| &part.events)
    }

    /// The same, to be found by their places.
    pub fn list(&self) -> Vec<&Event> {
        self.events().collect()
    }

    /// Where each event stands; of equal ones the last.
    pub fn places(&self) -> HashMap<Hash, usize> {
        self.events().enumerate().map(|(at, event)| (event.bare, at)).collect()
    }

    /// The numbers of the events that were purged.
    pub fn purged(&self) -> impl Iterator<Item = u64> {
        self.parts.iter().flat_map(|part| part.purged.iter().copied())
    }
}

/// The versions of many commits.
pub struct Versions {
    of: HashMap<String, Version>,
    none: Version,
}

impl Versions {
    /// Reads those of some commits.
    pub fn read(root: &Path, commits: &[String]) -> Result<Self> {
        let paths = [ARCHIVES[0], ARCHIVES[1], LOG];
        let blobs = git::blobs(root, commits, &paths)?;
        let mut wanted: Vec<&str> = blobs.iter().flatten().filter_map(|blob| blob.as_deref()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut parts: HashMap<&str, Rc<Part>> = HashMap::with_capacity(wanted.len());
        for some in wanted.chunks(TEXTS_AT_ONCE) {
            for (blob, text) in some.iter().zip(git::texts(root, some)?) {
                parts.insert(blob, Rc::new(Part::read(&Changelog::read(&text))));
            }
        }
        let mut of = HashMap::with_capacity(commits.len());
        for (commit, blobs) in commits.iter().zip(&blobs) {
            let (log, archives) = blobs.split_last().map_or((None, &[][..]), |(log, rest)| (log.as_deref(), rest));
            let part = |blob: &str| parts.get(blob).cloned();
            let mut older: Vec<Rc<Part>> = archives.iter().flatten().filter_map(|blob| part(blob)).collect();
            older.sort_by_key(|part| part.events.first().and_then(|event| event.number));
            older.extend(log.and_then(part));
            of.insert(commit.clone(), Version { parts: older });
        }
        Ok(Self { of, none: Version::default() })
    }

    /// That of one of them.
    pub fn of(&self, commit: &str) -> &Version {
        self.of.get(commit).unwrap_or(&self.none)
    }
}
