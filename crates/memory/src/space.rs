//! One space: its log, its views, and how the two are kept together.

use std::path::{Path, PathBuf};

use idetic_core::views::VIEWS;
use idetic_core::{Event, SpaceName, Time};
use idetic_store::{Log, Options, Row, Select, Sources, SqliteLog, Views};

use crate::as_of::AsOf;
use crate::{Error, Result};

/// One user's collection.
pub struct Space {
    name: SpaceName,
    folder: PathBuf,
    log: Box<dyn Log>,
    views: Views,
    sources: Sources,
}

impl Space {
    pub(crate) fn open(name: &SpaceName, folder: &Path, sources: Sources) -> Result<Option<Self>> {
        let log = SqliteLog::open(folder, sources.clone(), &Options::default())?;
        Ok(log.map(|log| Self::with(name, folder, Box::new(log), sources)))
    }

    pub(crate) fn create(name: &SpaceName, folder: &Path, sources: Sources) -> Result<Self> {
        let log = SqliteLog::create(folder, sources.clone(), &Options::default())?;
        Ok(Self::with(name, folder, Box::new(log), sources))
    }

    fn with(name: &SpaceName, folder: &Path, log: Box<dyn Log>, sources: Sources) -> Self {
        let views = Views::open(folder, VIEWS);
        Self { name: name.clone(), folder: folder.to_owned(), log, views, sources }
    }

    /// Its name.
    pub fn name(&self) -> &SpaceName {
        &self.name
    }

    /// Where it is kept.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its log.
    pub fn log(&self) -> &dyn Log {
        &*self.log
    }

    /// Its views, as they stand.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// The time now.
    pub fn now(&self) -> Time {
        self.sources.now()
    }

    /// The seq a reader reads at: the head, or where the past was asked for. Always the end of a whole batch or an
    /// event the caller named, so a batch is never seen in part.
    pub(crate) fn horizon(&self, as_of: Option<&AsOf>) -> Result<u64> {
        let head = self.log.tip()?.seq;
        match as_of {
            None => Ok(head),
            Some(AsOf::Seq(seq)) if *seq <= head => Ok(*seq),
            Some(AsOf::Seq(seq)) => Err(Error::invalid(format!("seq {seq} is in the future: the head is {head}"))
                .hint("name a seq up to the head, or a time")),
            Some(AsOf::Time(time)) => self.seq_at(*time, head),
        }
    }

    /// The last event written at or before a moment. `recorded_at` never decreases, so halving finds it.
    fn seq_at(&self, time: Time, head: u64) -> Result<u64> {
        let (mut low, mut high) = (0, head);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.stored_at(middle)?.header.recorded_at <= time {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Ok(low)
    }

    /// Rows of a view as of a seq, after bringing the views that far.
    pub(crate) fn select(&self, select: &Select) -> Result<Vec<Row>> {
        self.fresh(select.at, |views| views.select(select))
    }

    /// The seqs of the matching rows.
    pub(crate) fn seqs(&self, select: &Select) -> Result<Vec<u64>> {
        self.fresh(select.at, |views| views.seqs(select))
    }

    /// Asks the views once they cover `seq`. Views that cannot be read are thrown away and folded anew: they are derived.
    pub(crate) fn fresh<T>(&self, seq: u64, ask: impl Fn(&Views) -> idetic_store::Result<T>) -> Result<T> {
        let attempt = || {
            self.views.catch_up(self.log(), seq, &mut |_| {})?;
            ask(&self.views)
        };
        match attempt() {
            Err(idetic_store::Error::Corrupt(_)) => {
                self.views.discard()?;
                Ok(attempt()?)
            }
            answer => Ok(answer?),
        }
    }

    fn stored_at(&self, seq: u64) -> Result<idetic_core::Stored> {
        self.log.read(seq, 1)?.pop().ok_or_else(|| Error::not_found(format!("there is no event {seq}")))
    }

    /// One event by its number.
    pub fn event(&self, seq: u64) -> Result<Event> {
        Ok(Event::read(&self.stored_at(seq)?)?)
    }

    /// Several events by their numbers, in that order; neighbours are read together.
    pub(crate) fn events(&self, seqs: &[u64]) -> Result<Vec<Event>> {
        let mut events = Vec::with_capacity(seqs.len());
        for run in seqs.chunk_by(|a, b| a + 1 == *b) {
            for stored in self.log.read(run[0], run.len())? {
                events.push(Event::read(&stored)?);
            }
        }
        Ok(events)
    }
}
