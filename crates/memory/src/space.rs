//! One space: its log, its views, and how the two are kept together.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use idetic_core::views::VIEWS;
use idetic_core::{Event, SpaceName, Time};
use idetic_store::{Error as StoreError, LaneFiles, Log, Options, Row, Select, Sources, SqliteLog, Vectors, Views};

use crate::as_of::AsOf;
use crate::extraction::recalled::Recalled;
use crate::long_term::LongTerm;
use crate::quota::Quota;
use crate::{Error, Result};

/// A file that grows by a byte whenever something is erased.
const ERASURES: &str = "erasures";

/// One user's collection.
pub struct Space {
    name: SpaceName,
    folder: PathBuf,
    log: Box<dyn Log>,
    views: Views,
    /// Views in memory, for as long as those on disk cannot be had.
    spare: Mutex<Option<Views>>,
    lane_files: LaneFiles,
    vectors: Vectors,
    /// The documents as they were last needed.
    pub(crate) kept: Mutex<Option<Arc<LongTerm>>>,
    /// What conversations were last reminded of.
    pub(crate) recalled: Recalled,
    sources: Sources,
    quota: Quota,
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

    /// How many events the log in a folder had, when it is gone and its head is still there to tell.
    pub(crate) fn lost_with_its_log(folder: &Path, sources: &Sources) -> Option<u64> {
        match SqliteLog::open(folder, sources.clone(), &Options::default()) {
            Err(StoreError::Shortened { have: 0, had }) => Some(had),
            _ => None,
        }
    }

    fn with(name: &SpaceName, folder: &Path, log: Box<dyn Log>, sources: Sources) -> Self {
        let views = Views::open(folder, VIEWS);
        let (lane_files, vectors) = (LaneFiles::open(folder), Vectors::open(folder));
        let (spare, kept, recalled) = Default::default();
        Self {
            name: name.clone(),
            folder: folder.to_owned(),
            log,
            views,
            spare,
            lane_files,
            vectors,
            kept,
            recalled,
            sources,
            quota: Quota::default(),
        }
    }

    /// The same with limits.
    #[must_use]
    pub(crate) fn within(mut self, quota: Quota) -> Self {
        self.quota = quota;
        self
    }

    /// What it may hold at most.
    pub fn quota(&self) -> Quota {
        self.quota
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

    /// The files of its recall index.
    pub fn lane_files(&self) -> &LaneFiles {
        &self.lane_files
    }

    /// The vectors of its texts.
    pub fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// How often something was erased: what was made before the last time, in whatever process, may not be used.
    pub(crate) fn erasures(&self) -> u64 {
        std::fs::metadata(self.folder.join(ERASURES)).map_or(0, |file| file.len())
    }

    /// Says to every process that something is being erased, or was.
    pub(crate) fn tell_of_erasure(&self) -> Result<()> {
        let told = std::fs::OpenOptions::new().append(true).create(true).open(self.folder.join(ERASURES));
        let told = told.and_then(|mut file| file.write_all(b".").and_then(|()| file.sync_all()));
        told.map_err(Error::io("cannot write into the space's folder"))
    }

    /// Throws away everything derived; whoever reads next makes it anew. Vectors are kept: they are dear.
    pub(crate) fn discard_derived(&self) -> Result<()> {
        self.views.discard_for_good()?;
        *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.forget_long_term();
        self.recalled.forget();
        Ok(self.lane_files.discard()?)
    }

    /// A new id for an event, where others must name it before it is appended.
    pub(crate) fn new_event_id(&self) -> String {
        self.sources.event_id()
    }

    /// The time now.
    pub fn now(&self) -> Time {
        self.sources.now()
    }

    /// The seq a reader reads at: the head, or where the past was asked for. Always the end of a whole batch or an
    /// event the caller named, so a batch is never seen in part.
    pub(crate) fn horizon(&self, as_of: Option<&AsOf>) -> Result<u64> {
        let head = self.log.tip()?.seq;
        match self.views_agree() {
            // Damage is for whoever reads that event to say.
            Err(StoreError::Damaged { .. }) => {}
            agreed => agreed?,
        }
        match as_of {
            None => Ok(head),
            Some(AsOf::Seq(seq)) if *seq <= head => Ok(*seq),
            Some(AsOf::Seq(seq)) => Err(Error::invalid(format!("seq {seq} is in the future: the head is {head}"))
                .hint("name a seq up to the head, or a time")),
            Some(AsOf::Time(time)) => self.seq_at(*time, head),
        }
    }

    /// Each view stopped at an event that is still there: else the log was shortened or replaced, whatever `head` says.
    pub(crate) fn views_agree(&self) -> idetic_store::Result<()> {
        let mut positions = match self.views.positions() {
            // Views that cannot be read, or not now, are no witness: they are folded anew.
            Err(StoreError::Corrupt(_) | StoreError::Unavailable(_)) => return Ok(()),
            positions => positions?,
        };
        positions.dedup_by_key(|p| (p.seq, p.hash));
        for position in positions.into_iter().filter(|p| p.seq > 0) {
            match self.log.read(position.seq, 1)?.first() {
                Some(event) if event.hash == position.hash => {}
                Some(_) => return Err(StoreError::Replaced { seq: position.seq }),
                None => {
                    let have = self.log.tip().map_or(0, |t| t.seq);
                    return Err(StoreError::Shortened { have, had: position.seq });
                }
            }
        }
        Ok(())
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
        if select.at == 0 {
            return Ok(Vec::new());
        }
        self.fresh(select.at, |views| views.select(select))
    }

    /// The seqs of the matching rows. Before the first event there are none, and perhaps no tables to look in.
    pub(crate) fn seqs(&self, select: &Select) -> Result<Vec<u64>> {
        if select.at == 0 {
            return Ok(Vec::new());
        }
        self.fresh(select.at, |views| views.seqs(select))
    }

    /// Asks the views once they cover `seq`. Views that cannot be read are thrown away and folded anew: they are derived.
    pub(crate) fn fresh<T>(&self, seq: u64, ask: impl Fn(&Views) -> idetic_store::Result<T>) -> Result<T> {
        let attempt = || {
            self.views.catch_up(self.log(), seq, &mut |_| {})?;
            ask(&self.views)
        };
        match attempt() {
            Err(StoreError::Corrupt(_)) => {
                self.views.discard()?;
                Ok(attempt()?)
            }
            // On a full disk nothing can be folded, and yet everything can be read.
            Err(StoreError::Unavailable(_)) => {
                let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
                let views = spare.get_or_insert_with(|| Views::in_memory(VIEWS));
                views.catch_up(self.log(), seq, &mut |_| {})?;
                Ok(ask(views)?)
            }
            answer => Ok(answer?),
        }
    }

    fn stored_at(&self, seq: u64) -> Result<idetic_core::Stored> {
        self.log.read(seq, 1)?.pop().ok_or_else(|| Error::not_found(format!("there is no event {seq}")))
    }

    /// Events that are there; a log that became shorter while it was read is an error, not the end.
    pub(crate) fn page(&self, from: u64, count: usize) -> Result<Vec<idetic_core::Stored>> {
        let events = self.log.read(from, count)?;
        if events.len() < count {
            return Err(Error::unavailable("the log was exchanged while it was read").hint("try again"));
        }
        Ok(events)
    }

    /// One event by its number.
    pub fn event(&self, seq: u64) -> Result<Event> {
        Ok(Event::read(&self.stored_at(seq)?)?)
    }

    /// Several events by their numbers, in any order.
    pub(crate) fn events_by_seq(&self, seqs: &[u64]) -> Result<Vec<Event>> {
        let mut sorted = seqs.to_vec();
        sorted.sort_unstable();
        self.events(&sorted)
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
