//! One space: its log, its views, and how the two are kept together.

pub mod append;
mod authority;
mod background;
pub mod embedding;
mod erasures;
pub mod expiry;
pub mod foreign;
pub mod index;
pub mod quota;
pub(crate) mod recall_cache;
mod secrets;
pub mod snapshots;

use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use idetic_core::views::VIEWS;
use idetic_core::{Event, SpaceName, Time};
use idetic_store::{Env, Error as StoreError, FilteredLog, LaneFiles, Log, Logs, Vectors, Views};

use crate::as_of::AsOf;
use crate::config::quota::Quota;
use crate::{Error, Result};
use background::Checked;
pub(crate) use erasures::erasures;
use expiry::Moment;
use index::LongTerm;
use quota::UserUsage;
use recall_cache::RecallCache;
use snapshots::Snapshots;

/// One user's collection, as it is now unless it is a handle for another moment.
#[derive(Clone)]
pub struct Space {
    opened: Arc<Opened>,
    /// What has expired by then is left out of every answer.
    moment: Moment,
    /// Drops what else is kept of events that another machine erased.
    drop_rest: fn(&Self) -> Result<()>,
    quota: Quota,
    /// What the other spaces of its user hold, where they share the quota.
    user_usage: Option<Arc<UserUsage>>,
}

/// A space that is open: every handle on it is of the same one.
pub struct Opened {
    name: SpaceName,
    folder: PathBuf,
    log: FilteredLog,
    views: Views,
    /// Views in memory, for as long as those on disk cannot be had.
    spare: Mutex<Option<Views>>,
    lane_files: LaneFiles,
    vectors: Vectors,
    /// The documents as they were last needed.
    pub(crate) kept: Mutex<Option<Arc<LongTerm>>>,
    /// What conversations were last reminded of.
    pub(crate) recalled: RecallCache,
    /// How often something had been erased when what is kept in memory was last let go.
    seen_erasures: AtomicU64,
    /// The mark of the last erasure in the log whose data was dropped here.
    followed_mark: AtomicU64,
    /// What was damaged and rebuilt, to be told.
    repairs: Mutex<Vec<String>>,
    /// How far what is derived was checked in the background.
    pub(crate) checked: Mutex<Checked>,
    /// What machines that share the log keep for each other.
    snapshots: Option<Snapshots>,
    env: Env,
}

impl Opened {
    fn with(logs: &Logs, name: &SpaceName, folder: &Path, log: Box<dyn Log>, env: Env) -> Self {
        let views = Views::open(folder, VIEWS);
        let (lane_files, vectors) = (LaneFiles::open(folder), Vectors::open(folder));
        let (spare, kept, recalled, repairs, checked) = Default::default();
        let opened = Self {
            name: name.clone(),
            folder: folder.to_owned(),
            log: FilteredLog::over(log, folder),
            views,
            spare,
            lane_files,
            vectors,
            kept,
            recalled,
            seen_erasures: AtomicU64::new(0),
            followed_mark: AtomicU64::new(0),
            repairs,
            checked,
            snapshots: logs.snapshots(name).map(Snapshots::in_place),
            env,
        };
        opened.seen_erasures.store(erasures(folder), Ordering::Relaxed);
        opened
    }
}

impl Deref for Space {
    type Target = Opened;

    fn deref(&self) -> &Opened {
        &self.opened
    }
}

impl Space {
    pub(crate) fn open(logs: &Logs, name: &SpaceName, folder: &Path, env: Env) -> Result<Option<Self>> {
        let log = logs.open(name, folder, env.clone())?;
        Ok(log.map(|log| Self::with(logs, name, folder, log, env)))
    }

    pub(crate) fn create(logs: &Logs, name: &SpaceName, folder: &Path, env: Env) -> Result<Self> {
        Ok(Self::with(logs, name, folder, logs.create(name, folder, env.clone())?, env))
    }

    fn with(logs: &Logs, name: &SpaceName, folder: &Path, log: Box<dyn Log>, env: Env) -> Self {
        let opened = Arc::new(Opened::with(logs, name, folder, log, env));
        let (quota, user_usage) = Default::default();
        Self { opened, moment: Moment::Now, drop_rest: |_| Ok(()), quota, user_usage }
    }

    /// The same, with what else it drops when another machine has erased something.
    #[must_use]
    pub(crate) fn dropping(self, drop_rest: fn(&Self) -> Result<()>) -> Self {
        Self { drop_rest, ..self }
    }

    /// The same with limits.
    #[must_use]
    pub(crate) fn within(self, quota: Quota, user_usage: Option<Arc<UserUsage>>) -> Self {
        Self { quota, user_usage, ..self }
    }

    /// The clock and the random source.
    pub fn env(&self) -> &Env {
        &self.env
    }

    pub(crate) fn user_usage(&self) -> Option<&UserUsage> {
        self.user_usage.as_deref()
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

    /// Its log, without the bodies of what is in quarantine.
    pub fn log(&self) -> &dyn Log {
        &self.log
    }

    /// Its log with nothing hidden: for whoever checks, copies or erases it.
    pub fn raw_log(&self) -> &dyn Log {
        self.log.raw()
    }

    /// The numbers of what is in quarantine.
    pub fn hidden(&self) -> Result<Arc<BTreeSet<u64>>> {
        Ok(self.log.hidden()?)
    }

    /// Puts just these in quarantine.
    pub(crate) fn hide(&self, seqs: &BTreeSet<u64>) -> Result<()> {
        Ok(self.log.hide(seqs)?)
    }

    /// One event with nothing hidden.
    pub fn raw_event(&self, seq: u64) -> Result<Event> {
        let stored = self.labelled_page(seq, 1)?.pop();
        let stored = stored.ok_or_else(|| Error::not_found(format!("there is no event {seq}")))?;
        Ok(Event::read(&stored)?)
    }

    /// What stands between readers and the log.
    pub(crate) fn filtered_log(&self) -> &FilteredLog {
        &self.log
    }

    /// Events with nothing hidden, those that came with an import marked.
    pub(crate) fn labelled_page(&self, from: u64, count: usize) -> Result<Vec<idetic_core::Stored>> {
        let mut events = self.raw_page(from, count)?;
        self.log.label(&mut events)?;
        Ok(events)
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

    /// Flushes which files there are in its folder.
    pub(crate) fn flush_names(&self) -> Result<()> {
        let folder = std::fs::File::open(&self.folder).and_then(|folder| folder.sync_all());
        folder.map_err(Error::io("cannot flush the space's folder"))
    }

    /// Lets go of everything that is kept in memory; it is read again when it is needed.
    pub fn drop_caches(&self) {
        *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.forget_long_term();
        self.recalled.forget();
        self.views.drop_caches();
        self.vectors.drop_caches();
        self.log.drop_caches();
    }

    /// Whether its files stay open for the next reader, or are opened for each; where its log is written stays open.
    pub(crate) fn keep_connections(&self, keep: bool) {
        self.views.keep_connections(keep);
        self.vectors.keep_connections(keep);
        self.log.keep_connections(keep);
    }

    /// Throws away everything derived; whoever reads next makes it anew. Vectors are kept: they are dear.
    pub fn discard_derived(&self) -> Result<()> {
        snapshots::discard_work(&self.folder)?;
        self.views.discard_for_good()?;
        *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.forget_long_term();
        self.recalled.forget();
        Ok(self.lane_files.discard()?)
    }

    /// Throws damaged views away; whoever reads next folds them anew.
    pub(crate) fn discard_views(&self, why: &str) -> Result<()> {
        self.views.discard()?;
        self.record_repair(format!("the views were damaged ({why}): they are rebuilt from the log"));
        Ok(())
    }

    /// Notes down that something derived was damaged and is rebuilt, for whoever is there to be told.
    pub(crate) fn record_repair(&self, what: String) {
        self.repairs.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    /// What was damaged and rebuilt since this was last asked.
    pub fn drain_repairs(&self) -> Vec<String> {
        let mut repairs = std::mem::take(&mut *self.repairs.lock().unwrap_or_else(PoisonError::into_inner));
        repairs.extend(self.vectors.repaired());
        repairs
    }

    /// A new id for an event, where others must name it before it is appended.
    pub(crate) fn new_event_id(&self) -> String {
        self.env.event_id()
    }

    /// The time now.
    pub fn now(&self) -> Time {
        self.env.now()
    }

    /// The seq a reader reads at: the head, or where the past was asked for. Always the end of a whole batch or an
    /// event the caller named, so a batch is never seen in part.
    pub fn horizon(&self, as_of: Option<&AsOf>) -> Result<u64> {
        let (tip, mark) = self.log.tip_and_mark()?;
        self.follow_erasures(mark)?;
        let head = tip.seq;
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
    pub fn views_agree(&self) -> idetic_store::Result<()> {
        let mut positions = match self.views.positions() {
            // Views that cannot be read, or not now, are no witness: they are folded anew.
            Err(StoreError::Corrupt(_) | StoreError::Unavailable(_) | StoreError::DiskFull) => return Ok(()),
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

    /// Asks the views once they cover `seq`. Views that cannot be read are thrown away and folded anew: they are derived.
    pub fn fresh<T>(&self, seq: u64, ask: impl Fn(&Views) -> idetic_store::Result<T>) -> Result<T> {
        let attempt = || {
            self.views.catch_up(self.log(), seq, &mut |_| {})?;
            ask(&self.views)
        };
        match attempt() {
            Err(StoreError::Corrupt(what)) => {
                self.discard_views(&what)?;
                Ok(attempt()?)
            }
            // On a full disk nothing can be folded, and yet everything can be read.
            Err(StoreError::Unavailable(_) | StoreError::DiskFull) => {
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
    pub fn page(&self, from: u64, count: usize) -> Result<Vec<idetic_core::Stored>> {
        page(self.log(), from, count)
    }

    /// The same with nothing hidden.
    pub fn raw_page(&self, from: u64, count: usize) -> Result<Vec<idetic_core::Stored>> {
        page(self.raw_log(), from, count)
    }

    /// One event by its number.
    pub fn event(&self, seq: u64) -> Result<Event> {
        Ok(Event::read(&self.stored_at(seq)?)?)
    }

    /// Several events by their numbers, in any order.
    pub fn events_by_seq(&self, seqs: &[u64]) -> Result<Vec<Event>> {
        let mut sorted = seqs.to_vec();
        sorted.sort_unstable();
        self.events(&sorted)
    }

    /// Several events by their numbers, in that order; neighbours are read together.
    pub fn events(&self, seqs: &[u64]) -> Result<Vec<Event>> {
        let mut events = Vec::with_capacity(seqs.len());
        for run in seqs.chunk_by(|a, b| a + 1 == *b) {
            for stored in self.log.read(run[0], run.len())? {
                events.push(Event::read(&stored)?);
            }
        }
        Ok(events)
    }
}

fn page(log: &dyn Log, from: u64, count: usize) -> Result<Vec<idetic_core::Stored>> {
    let events = log.read(from, count)?;
    if events.len() < count {
        return Err(Error::unavailable("the log was replaced while it was being read").hint("try again"));
    }
    Ok(events)
}
