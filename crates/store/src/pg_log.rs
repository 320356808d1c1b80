//! The log in PostgreSQL: shared by many machines, each with the `head` file of a space in its own folder.
//!
//! An append is one short transaction under the lock of the space's row. When the connection is lost at its commit, nobody
//! knows whether it was carried out: then the row is locked once more, which waits for the old transaction's end, and the
//! log itself says whether the event is there.

mod archives;
mod calls;
mod cells;
mod connection;
mod database;
mod learned;
mod moved;
mod open_rows;
mod rows;
mod schema;
mod shared_files;
mod snapshots;
mod tls;
mod vectors;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use idetic_core::record::IdKey;
use idetic_core::{Hash, Stored, Tip};
use idetic_search::InputHash;
use tokio_postgres::types::Type;

use crate::files::DatabaseFiles;
use crate::group::Group;
use crate::head::HeadFile;
use crate::lock::{LOG_LOCK, LockFile};
use crate::log::{Ack, Archive, Batch, EventVectors, Log, Problem, Snapshot};
use crate::sqlite_log::SqliteLog;
use crate::{Conflict, Env, Error, HeadState, Result, archive_file, commit};
use archives::Archives;
pub use calls::{Call, SharedCalls};
use cells::{COPYING, Place, bigint, column, number};
use connection::{Connection, Health};
use database::Patience;
pub use database::{Database, ServerState};
use open_rows::OpenRows;
pub use schema::Migration;
pub use shared_files::SharedFile;

/// After how many commits the head is flushed.
const FLUSH_HEAD_COMMITS: u64 = 1000;

/// The log of one space in PostgreSQL.
pub struct PgLog {
    database: Arc<Database>,
    space: String,
    archives: Archives,
    head: HeadFile,
    folder: PathBuf,
    lock: LockFile,
    files: DatabaseFiles,
    env: Env,
    group: Group<(Batch, Option<Call>), Result<Vec<Ack>>>,
    commits: AtomicU64,
    /// Whether this is the copy that a move makes, which nobody else sees.
    is_copy: bool,
}

impl PgLog {
    /// Creates the log of a new space. Where there is one already, it is opened.
    pub fn create(database: Arc<Database>, space: &str, folder: &Path, env: Env) -> Result<Self> {
        Self::over(database, space, folder, env)?.begun()
    }

    fn begun(self) -> Result<Self> {
        let held = self.lock.hold()?;
        if self.place()?.is_none() {
            self.head.refuse_if_there_was_one()?;
            self.insert()?;
        }
        self.begin_head()?;
        drop(held);
        Ok(self)
    }

    /// Opens the log of a space; `None` when there is none.
    pub fn open(database: Arc<Database>, space: &str, folder: &Path, env: Env) -> Result<Option<Self>> {
        let is_new_here = !folder.is_dir();
        let Some(place) = database.retrying(|connection| rows::current(connection, space))? else {
            return not_here(folder).map(|()| None);
        };
        let log = Self::over(database, space, folder, env)?;
        log.check_complete(&place)?;
        if is_new_here {
            let _held = log.lock.hold()?;
            log.begin_head()?;
        }
        Ok(Some(log))
    }

    /// The names of all spaces in a database.
    pub fn spaces(database: &Database) -> Result<Vec<String>> {
        database.retrying(|connection| {
            let rows = connection.query("SELECT space FROM idetic.spaces WHERE erasure >= 0 ORDER BY space", &[])?;
            rows.iter().map(|row| column(row, 0)).collect()
        })
    }

    fn over(database: Arc<Database>, space: &str, folder: &Path, env: Env) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(Error::io(format_args!("cannot create {}", folder.display())))?;
        let lock = LockFile::open_checked(&folder.join(LOG_LOCK))?;
        Ok(Self {
            database,
            space: space.to_owned(),
            archives: Archives::default(),
            head: HeadFile::new(folder),
            folder: folder.to_owned(),
            lock,
            files: DatabaseFiles::of([folder.join(LOG_LOCK)]),
            env,
            group: Group::default(),
            commits: AtomicU64::new(0),
            is_copy: false,
        })
    }

    /// Where the log stands; `None` where the database does not have it.
    fn place(&self) -> Result<Option<Place>> {
        let place = self.database.retrying(|connection| rows::current(connection, &self.space))?;
        place.iter().try_for_each(|place| self.check_complete(place))?;
        Ok(place)
    }

    /// A copy that a move has not completed is nobody's to read or write but the move's.
    fn check_complete(&self, place: &Place) -> Result<()> {
        if place.is_copy && !self.is_copy {
            return Err(Error::Unavailable(format!(
                "{} is being moved into this database, and is not there yet",
                self.space
            )));
        }
        Ok(())
    }

    fn insert(&self) -> Result<()> {
        let tip = Tip::empty(idetic_core::SpaceId(self.env.random()));
        // Somebody else may be making it: whoever is first decides on its id.
        let sql = "INSERT INTO idetic.spaces (space, id, seq, hash, recorded_at, erasure) VALUES ($1, $2, 0, $3, $4, $5) \
             ON CONFLICT (space) DO NOTHING";
        let mark = if self.is_copy { COPYING } else { 0 };
        self.database.retrying(|connection| {
            let (id, hash) = (tip.space.0.as_slice(), tip.hash.0.as_slice());
            let values = [
                (&self.space as _, Type::TEXT),
                (&id as _, Type::BYTEA),
                (&hash as _, Type::BYTEA),
                (&tip.recorded_at.0 as _, Type::INT8),
                (&mark as _, Type::INT8),
            ];
            connection.execute(sql, &values).map(|_| ())
        })
    }

    /// Where there is no head, or no flushed copy of it, what is in the log now is written down.
    fn begin_head(&self) -> Result<()> {
        let is_missing = self.head.read()? == HeadState::Missing;
        if is_missing || !self.head.has_copy() {
            let tip = self.place()?.ok_or_else(gone)?.tip;
            if is_missing {
                self.head.write(&tip)?;
            }
            self.head.write_copy(&tip)?;
        }
        Ok(())
    }

    /// Runs a change of the log in one transaction under the lock of its row, then moves the head. `change` gives the tip
    /// after it, or none where nothing was changed. It is run again when the connection is lost before the commit, or at it
    /// and the log does not have the new tip.
    fn transact<T>(
        &self,
        asked: &HashSet<IdKey>,
        mut change: impl FnMut(&mut OpenRows) -> Result<(Option<Tip>, T)>,
    ) -> Result<T> {
        let _held = self.lock.hold()?;
        let mut patience = Patience::default();
        loop {
            self.files.check()?;
            let connection = self.database.take(&mut patience)?;
            let attempt = self.attempt(&connection, asked, &mut change);
            if !matches!(attempt, Attempt::Committed(..)) {
                connection.roll_back();
            }
            let waited = connection.waited();
            self.database.give_back(connection);
            match attempt {
                Attempt::Committed(after, answer) => {
                    self.note(&after);
                    return Ok(answer);
                }
                Attempt::Unchanged(answer) => return Ok(answer),
                Attempt::Refused(error) => return Err(error),
                Attempt::Interrupted(error) => patience.wait(waited, error)?,
                Attempt::Unknown { error, before, after, answer } => {
                    if self.find_out(&before, &after, &error)? {
                        self.note(&after);
                        return Ok(answer);
                    }
                    patience.wait(waited, error)?;
                }
            }
        }
    }

    fn attempt<T>(
        &self,
        connection: &Connection,
        asked: &HashSet<IdKey>,
        change: &mut impl FnMut(&mut OpenRows) -> Result<(Option<Tip>, T)>,
    ) -> Attempt<T> {
        let failed = |error| match connection.health() {
            Health::Sound => Attempt::Refused(error),
            Health::Collided | Health::Lost => Attempt::Interrupted(error),
        };
        let mut open = match OpenRows::begin(connection, &self.archives, &self.space, asked.clone()) {
            Ok(Some(open)) => open,
            Ok(None) => return Attempt::Refused(self.missing()),
            Err(error) => return failed(error),
        };
        if let Err(error) = self.check_complete(&open.before) {
            return Attempt::Refused(error);
        }
        let before = open.before.tip;
        let (after, answer) = match change(&mut open) {
            Ok((Some(after), answer)) => (after, answer),
            Ok((None, answer)) => return Attempt::Unchanged(answer),
            Err(error) => return failed(error),
        };
        match open.commit(&after) {
            Ok(()) => Attempt::Committed(after, answer),
            Err(error) if connection.health() == Health::Lost => Attempt::Unknown { error, before, after, answer },
            Err(error) => failed(error),
        }
    }

    /// The database does not have the space.
    fn missing(&self) -> Error {
        not_here(&self.folder).err().unwrap_or_else(gone)
    }

    /// Whether a commit whose answer was lost was carried out. To have the row's lock is to know that its transaction is over.
    fn find_out(&self, before: &Tip, after: &Tip, lost: &Error) -> Result<bool> {
        if before == after {
            // It changed nothing that can be told by the tip, and may be done twice.
            return Ok(false);
        }
        let looked = self.database.retrying(|connection| {
            let open = OpenRows::begin(connection, &self.archives, &self.space, HashSet::new())?.ok_or_else(gone)?;
            let place = open.before;
            let is_there = place.tip.seq >= after.seq
                && rows::tip_at(connection, &self.archives, &self.space, &place, after.seq)? == *after;
            connection.roll_back();
            Ok(is_there)
        });
        looked.map_err(|error| {
            Error::Database(format!(
                "the connection was lost at the commit ({lost}), and whether the events were appended cannot be found \
                 out now ({error}): events with an id of the caller can be sent again, they are never appended twice"
            ))
        })
    }

    /// Moves the head: it is committed, whatever becomes of the head. One that is behind vouches for less.
    fn note(&self, after: &Tip) {
        let _ = self.head.write(after);
        let commits = self.commits.fetch_add(1, Ordering::Relaxed);
        if commits % FLUSH_HEAD_COMMITS == FLUSH_HEAD_COMMITS - 1 || !self.head.has_copy() {
            let _ = self.head.write_copy(after);
        }
    }

    fn compare_with_head(&self, open: &OpenRows) -> Result<()> {
        let hash_of = |seq| Ok(rows::tip_at(open.connection(), &self.archives, &self.space, &open.before, seq)?.hash);
        self.head.read_before_commit()?.compare(&open.before.tip, hash_of)
    }

    fn commit_group(&self, batches: Vec<(Batch, Option<Call>)>) -> Vec<Result<Vec<Ack>>> {
        let count = batches.len();
        let keys = batches.iter().flat_map(|(batch, _)| &batch.events).filter_map(|event| Some(event.id.as_ref()?.1));
        let done = self.transact(&keys.collect(), |open| {
            self.compare_with_head(open)?;
            let before = open.before.tip;
            let (mut held, mut is_refused) = (Vec::with_capacity(count), Vec::with_capacity(count));
            for (batch, call) in &batches {
                let holds = call.as_ref().map_or(Ok(true), |call| call.hold(open.connection()))?;
                is_refused.push(!holds);
                held.extend(holds.then(|| batch.clone()));
            }
            let (tip, answers) = commit::append(open, before, held, &self.env)?;
            let mut answers = answers.into_iter();
            let answered = is_refused.iter().map(|is_refused| match is_refused {
                true => Err(Call::refusal()),
                false => answers.next().unwrap_or_else(|| Err(gone())),
            });
            Ok(((tip != before).then_some(tip), answered.collect()))
        });
        done.unwrap_or_else(|error| vec![Err(error); count])
    }

    /// Erases what stands in the rows and in the files of some events. Gives which they were.
    fn erase_where(&self, up_to: u64, seqs: &[i64], is_erased: &dyn Fn(u64) -> bool) -> Result<u64> {
        // When the answer of a commit is lost it is done again, and finds less to do.
        let mut erased = BTreeSet::new();
        self.transact(&HashSet::new(), |open| {
            self.compare_with_head(open)?;
            let connection = open.connection();
            erased.extend(archives::erase(connection, &self.space, &open.before, up_to, is_erased)?);
            let sql = "UPDATE idetic.events SET sealed = NULL \
                 WHERE space = $1 AND seq = ANY($2) AND sealed IS NOT NULL RETURNING seq";
            if !seqs.is_empty() {
                let values = [(&self.space as _, Type::TEXT), (&seqs as _, Type::INT8_ARRAY)];
                for row in connection.query(sql, &values)? {
                    erased.insert(number(&row, 0)?);
                }
            }
            let gone: Vec<i64> = erased.iter().map(|seq| bigint(*seq)).collect();
            vectors::remove(connection, &self.space, &gone)?;
            if !open.before.is_copy {
                self.change_mark(open)?;
            }
            Ok((Some(open.before.tip), ()))
        })?;
        self.archives.drop_caches();
        Ok(erased.len() as u64)
    }

    /// Changes the mark in the transaction that is open, and forgets the answers and the keys of the snapshots that are kept. It follows from the one before, and from chance: a database that was
    /// set back does not get one again that it had before.
    fn change_mark(&self, open: &OpenRows) -> Result<()> {
        let unique: [u8; 16] = self.env.random();
        let mark = Hash::of(&[&open.before.erasure.to_le_bytes()[..], &unique].concat());
        let number = mark.0.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes) >> 1).max(1);
        let values = [(&self.space as _, Type::TEXT), (&bigint(number) as _, Type::INT8)];
        open.connection().execute("UPDATE idetic.spaces SET erasure = $2 WHERE space = $1", &values)?;
        snapshots::forget(open.connection(), &self.space)?;
        calls::forget(open.connection(), &self.space)
    }
}

/// What became of one try of a transaction.
enum Attempt<T> {
    /// It was committed, and the log ends here now.
    Committed(Tip, T),
    /// There was nothing to commit.
    Unchanged(T),
    /// It was refused, and would be again.
    Refused(Error),
    /// Nothing was committed; it may be tried again.
    Interrupted(Error),
    /// The connection was lost at the commit.
    Unknown { error: Error, before: Tip, after: Tip, answer: T },
}

/// Refuses to go on without a log that the database had: it was moved into the folder, or it is lost.
fn not_here(folder: &Path) -> Result<()> {
    if SqliteLog::has_events(folder) {
        return Err(Error::Elsewhere { place: folder.display().to_string() });
    }
    HeadFile::new(folder).refuse_if_there_was_one()
}

fn gone() -> Error {
    Error::Database("the space is no longer in the database".to_owned())
}

impl Log for PgLog {
    fn tip(&self) -> Result<Tip> {
        Ok(self.tip_and_mark()?.0)
    }

    fn tip_and_mark(&self) -> Result<(Tip, u64)> {
        self.files.check()?;
        // The head first: read the other way round, an append in between would look like a loss.
        let head = self.head.read()?;
        self.database.retrying(|connection| {
            let Some(place) = rows::current(connection, &self.space)? else {
                return Err(self.missing());
            };
            self.check_complete(&place)?;
            let hash_of = |seq| Ok(rows::tip_at(connection, &self.archives, &self.space, &place, seq)?.hash);
            head.compare(&place.tip, hash_of).map(|()| (place.tip, place.erasure))
        })
    }

    fn mark_erasure(&self) -> Result<()> {
        self.transact(&HashSet::new(), |open| {
            self.change_mark(open)?;
            Ok((Some(open.before.tip), ()))
        })
    }

    fn check_files(&self) -> Result<()> {
        self.files.check()
    }

    fn append(&self, batch: Batch) -> Result<Vec<Ack>> {
        self.group.submit((batch, Call::current()), |batches| self.commit_group(batches))
    }

    fn read(&self, from: u64, limit: usize) -> Result<Vec<Stored>> {
        let found =
            self.database.retrying(|connection| rows::read(connection, &self.archives, &self.space, from, limit))?;
        found.iter().try_for_each(|(place, _)| self.check_complete(place))?;
        let events = found.map(|(_, events)| events).unwrap_or_default();
        if events.is_empty() {
            // Nothing there, or nothing left? The tip knows.
            self.tip()?;
        }
        Ok(events)
    }

    fn find(&self, key: IdKey) -> Result<Option<u64>> {
        let sql = "SELECT seq FROM idetic.keys WHERE space = $1 AND key = $2";
        self.database.retrying(|connection| {
            let found = connection.query(sql, &[(&self.space, Type::TEXT), (&key.0.as_slice(), Type::BYTEA)])?;
            found.first().map(|row| number(row, 0)).transpose()
        })
    }

    fn graft(&self, events: &[Stored]) -> Result<(Tip, u64)> {
        self.transact(&HashSet::new(), |open| {
            self.compare_with_head(open)?;
            let before = open.before.tip;
            let (tip, new) = commit::graft(open, before, events)?;
            Ok(((tip != before).then_some(tip), (tip, new)))
        })
    }

    fn replace(&self, expect: Option<u64>, events: &mut dyn Iterator<Item = Result<Stored>>) -> Result<Tip> {
        let mut events = Some(events);
        self.transact(&HashSet::new(), |open| {
            let before = open.before.tip;
            if let Some(expected) = expect.filter(|seq| *seq != before.seq) {
                return Err(Error::Conflict(Conflict::Moved { expected, head: before.seq }));
            }
            let Some(events) = events.take() else {
                let lost = "the connection was lost while the log was being replaced: look at the log, then try again";
                return Err(Error::Database(lost.to_owned()));
            };
            open.clear()?;
            let tip = commit::refill(open, Tip::empty(before.space), events)?;
            self.change_mark(open)?;
            // Should the process die between the commit and the new head, the old one would miss what was given up.
            self.head.reset(tip.space)?;
            self.archives.drop_caches();
            Ok((Some(tip), tip))
        })
    }

    fn archive(&self, up_to: u64, progress: &mut dyn FnMut(u64)) -> Result<u64> {
        // The last event stays: the next one is linked to it, and the end of the log is looked up in one place.
        let up_to = up_to.min(self.tip()?.seq.saturating_sub(1));
        let mut next = self.place()?.ok_or_else(gone)?.archived + 1;
        let mut moved = 0;
        while next <= up_to {
            let events = archive_file::gather(self, next, up_to)?;
            let file = archive_file::encode(&events)?;
            next = self.transact(&HashSet::new(), |open| {
                self.compare_with_head(open)?;
                if open.before.archived >= next {
                    // Somebody else has done it, or it was done and the answer lost.
                    return Ok((None, open.before.archived + 1));
                }
                let place = &open.before;
                let before = rows::tip_at(open.connection(), &self.archives, &self.space, place, next - 1)?;
                let last = events.last().map_or(before, Stored::tip);
                if rows::tip_at(open.connection(), &self.archives, &self.space, place, last.seq)? != last {
                    let changed = "the log was changed while it was being archived";
                    return Err(Error::Database(changed.to_owned()));
                }
                archives::add(open.connection(), &self.space, before, &events, &file)?;
                Ok((Some(open.before.tip), last.seq + 1))
            })?;
            moved += events.len() as u64;
            progress(next - 1);
        }
        Ok(moved)
    }

    fn erase_archived(&self, up_to: u64, keeps: &dyn Fn(u64) -> bool) -> Result<u64> {
        self.erase_where(up_to, &[], &|seq| !keeps(seq))
    }

    fn erase(&self, seqs: &BTreeSet<u64>) -> Result<u64> {
        let numbers: Vec<i64> = seqs.iter().map(|seq| bigint(*seq)).collect();
        self.erase_where(seqs.last().copied().unwrap_or(0), &numbers, &|seq| seqs.contains(&seq))
    }

    fn vectors(&self, model: &str, inputs: &[InputHash]) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
        self.database.retrying(|connection| vectors::get(connection, &self.space, model, inputs))
    }

    fn keep_vectors(&self, model: &str, new: &[EventVectors], mark: u64) -> Result<()> {
        self.database.retrying(|connection| vectors::put(connection, &self.space, model, new, mark))
    }

    fn forget_vectors(&self, model: &str) -> Result<()> {
        self.database.retrying(|connection| vectors::forget(connection, &self.space, model))
    }

    fn snapshots(&self) -> Result<Vec<Snapshot>> {
        self.database.retrying(|connection| snapshots::list(connection, &self.space))
    }

    fn add_snapshot(&self, snapshot: &Snapshot, mark: u64) -> Result<bool> {
        self.database.retrying(|connection| snapshots::add(connection, &self.space, snapshot, mark))
    }

    fn prune_snapshots(&self, fold: &str, keep: u32) -> Result<Vec<String>> {
        self.database.retrying(|connection| snapshots::prune(connection, &self.space, fold, keep))
    }

    fn learn_head(&self, known: HeadState) -> Result<()> {
        self.learn(known)
    }

    fn drop_caches(&self) {
        self.archives.drop_caches();
        self.database.close_idle();
    }

    fn archives(&self) -> Result<Vec<Archive>> {
        let entries = self.database.retrying(|connection| archives::entries(connection, &self.space))?;
        Ok(entries.into_iter().map(archives::Entry::described).collect())
    }

    fn head(&self) -> Result<HeadState> {
        self.head.read()
    }

    fn accept(&self) -> Result<Tip> {
        let _held = self.lock.hold()?;
        let tip = self.place()?.ok_or_else(gone)?.tip;
        self.head.write(&tip)?;
        self.head.write_copy(&tip).map(|()| tip)
    }

    fn check_storage(&self) -> Result<Vec<Problem>> {
        let of_head = |message: &str| Problem { seq: None, message: message.to_owned() };
        let mut problems: Vec<Problem> = self.head.read()?.problem().map(of_head).into_iter().collect();
        problems.extend(self.database.retrying(|connection| {
            connection.batch(&connection::begin_reading())?;
            let found = self.check_rows(connection)?;
            connection.batch("COMMIT")?;
            Ok(found)
        })?);
        Ok(problems)
    }
}

impl PgLog {
    /// The rows of all tables against each other, in one state.
    fn check_rows(&self, connection: &Connection) -> Result<Vec<Problem>> {
        let Some(place) = rows::current(connection, &self.space)? else { return Ok(Vec::new()) };
        let mut problems = archives::check(connection, &self.space, &place)?;
        let counts = "SELECT (SELECT count(*) FROM idetic.events WHERE space = $1 AND seq > $2 AND seq <= $3), \
             (SELECT count(*) FROM idetic.events WHERE space = $1 AND (seq <= $2 OR seq > $3)), \
             (SELECT count(*) FROM idetic.keys WHERE space = $1 AND (seq < 1 OR seq > $3))";
        let (archived, last) = (bigint(place.archived), bigint(place.tip.seq));
        let rows =
            connection.query(counts, &[(&self.space, Type::TEXT), (&archived, Type::INT8), (&last, Type::INT8)])?;
        let row = rows.first().ok_or_else(gone)?;
        let (there, beyond, keys) = (number(row, 0)?, number(row, 1)?, number(row, 2)?);
        let expected = place.tip.seq - place.archived;
        let mut wrong = |message: String| problems.push(Problem { seq: None, message });
        if there != expected {
            wrong(format!("idetic.events has {there} events of {expected}"));
        }
        if beyond > 0 {
            wrong(format!("idetic.events has {beyond} events that do not belong to the log"));
        }
        if keys > 0 {
            wrong(format!("idetic.keys has {keys} ids of events that are not there"));
        }
        Ok(problems)
    }
}
