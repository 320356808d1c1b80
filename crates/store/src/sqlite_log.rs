//! The embedded log: one SQLite database in WAL mode, `synchronous=FULL`, and the `head` file beside it.

mod archives;
mod connect;
mod erase;
pub mod given_up;
mod poison_flag;
mod retire;
mod rows;
mod schema;
mod transaction;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use idetic_core::chain::Fault;
use idetic_core::record::IdKey;
use idetic_core::{Stored, Tip};
use rusqlite::{Connection, OptionalExtension};

use crate::group::Group;
use crate::head::HeadFile;
use crate::lock::{LOG_LOCK, LockFile};
use crate::log::{Ack, Archive, Batch, Log, Problem};
use crate::{Conflict, Env, Error, HeadState, Result, Witness, commit};
use archives::Archives;
use connect::{Access, Connections};
pub use connect::{Options, SimulatedDisk};
use poison_flag::PoisonFlag;
use rows::OpenRows;
use transaction::Transaction;

/// The database.
const FILE: &str = "log.db";

/// The log of one space in one folder.
pub struct SqliteLog {
    connections: Connections,
    archives: Archives,
    head: HeadFile,
    folder: PathBuf,
    /// Held by whoever archives, for as long as it takes.
    archiving: PathBuf,
    lock: Option<LockFile>,
    env: Env,
    group: Group<Batch, Result<Vec<Ack>>>,
    poison_flag: Mutex<PoisonFlag>,
    poison: PathBuf,
}

impl SqliteLog {
    /// Creates the log of a new space. Where there is one already, it is opened.
    pub fn create(folder: &Path, env: Env, options: &Options) -> Result<Self> {
        given_up::refuse(folder)?;
        // Nobody may look at a log that is half made, and take it for one that lost something.
        let lock = LockFile::open_checked(&folder.join(LOG_LOCK))?;
        let held = lock.hold()?;
        given_up::refuse(folder)?;
        if options.disk.is_none() && connect::is_absent(&folder.join(FILE)) {
            HeadFile::new(folder).refuse_if_there_was_one()?;
        }
        let connections = Connections::open(folder, options, true)?;
        drop(held);
        let log = Self::over(connections, folder, env, Some(lock));
        let held = log.hold()?;
        let created = log.write(&mut log.poison_flag(), |connection| {
            if schema::is_blank(connection)? {
                log.head.refuse_if_there_was_one()?;
                schema::create(connection, &log.env.random())?;
            }
            schema::check(connection)
        });
        let created = created.and_then(|()| log.settle()).and_then(|()| log.begin_head());
        drop(held);
        created.map(|()| log)
    }

    /// Where there is no head, or no flushed copy of it, what is in the log now is written down. It is flushed.
    fn begin_head(&self) -> Result<()> {
        let is_missing = self.head.read()? == HeadState::Missing;
        if is_missing || !self.head.has_copy() {
            let tip = self.connections.with_reader(rows::tip)?;
            if is_missing {
                self.head.write(&tip)?;
            }
            self.head.write_copy(&tip)?;
        }
        Ok(())
    }

    /// What a process wrote that was killed before it had flushed it can be read by whoever comes next. It is flushed before
    /// anybody sees it: else it could be acknowledged as known, or folded into a view, and be gone after a power failure. Where
    /// the head vouches for the last event it was flushed before.
    fn settle(&self) -> Result<()> {
        if self.lock.is_none() {
            return Ok(());
        }
        let head = self.head.read().unwrap_or(HeadState::Missing);
        // What cannot be read is for whoever reads it to say.
        let Ok(Tip { space, seq, hash, .. }) = self.connections.with_reader(rows::tip) else { return Ok(()) };
        if head == (HeadState::At { space, seq, hash }) {
            return Ok(());
        }
        let flushed = self.recover_from_failed_flush().and_then(|()| self.connections.flush_wal());
        self.poison_flag().heed(&flushed, &self.poison);
        match flushed {
            // On a full disk everything can be read, and nothing be acknowledged.
            Err(Error::Unavailable(_) | Error::DiskFull) => Ok(()),
            flushed => flushed,
        }
    }

    /// Folds the write-ahead log into the database, so that its one file holds everything.
    pub(crate) fn fold(&self) -> Result<()> {
        let _held = self.hold()?;
        self.connections.checkpoint_all()
    }

    /// Gives the log up to `take`, which keeps the events elsewhere while nobody can append here. Once that is done, whoever has
    /// this log open acknowledges nothing more. Where `take` fails all is as it was.
    pub(crate) fn give_up(&self, take: &mut dyn FnMut(&Tip) -> Result<()>) -> Result<()> {
        // Nothing is erased or archived meanwhile, and later only where the log is then.
        let archiving = LockFile::open(&self.archiving)?;
        let _alone = archiving.hold()?;
        let _held = self.hold()?;
        self.check_place()?;
        self.connections.flush_wal()?;
        take(&self.tip()?)?;
        self.check_place()?;
        // By its head it is known later whether the copy is whole.
        let tip = self.tip()?;
        self.head.write(&tip)?;
        self.head.flush()?;
        self.head.write_copy(&tip)?;
        given_up::set_aside(&self.folder)
    }

    /// How many events have no body any more.
    pub(crate) fn count_erased(&self) -> Result<u64> {
        self.connections.with_reader(|connection| {
            let archived: u64 = self.archives.entries(connection)?.iter().map(|entry| entry.erased).sum();
            Ok(archived + rows::count_erased(connection)?)
        })
    }

    /// Refuses to go on where the files are no longer those that were opened.
    fn check_place(&self) -> Result<()> {
        self.connections.check_place().map_err(|error| given_up::refuse(&self.folder).err().unwrap_or(error))
    }

    /// Whether somebody has begun to make a log in a folder.
    pub fn is_begun(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Whether there are events in the log of a folder. One that cannot be read may have some.
    pub fn has_events(folder: &Path) -> bool {
        Self::is_begun(folder) && !matches!(crate::foreign::count_rows(&folder.join(FILE), "events"), Ok(0))
    }

    /// Opens the log of a space; `None` when there is none.
    pub fn open(folder: &Path, env: Env, options: &Options) -> Result<Option<Self>> {
        given_up::refuse(folder)?;
        // Where nothing may be written there is no lock, and nobody to make a log meanwhile.
        let lock = match folder.is_dir().then(|| LockFile::open_checked(&folder.join(LOG_LOCK))) {
            Some(Err(error @ Error::LocksDoNothing(_))) => return Err(error),
            lock => lock.and_then(Result::ok),
        };
        let absent = || options.disk.is_none() && connect::is_absent(&folder.join(FILE));
        let head = HeadFile::new(folder);
        if absent() {
            let _held = lock.as_ref().map(LockFile::hold).transpose()?;
            if absent() {
                given_up::refuse(folder)?;
                return head.refuse_if_there_was_one().map(|()| None);
            }
        }
        let connections = Connections::open(folder, options, false)?;
        let lock = lock.filter(|_| connections.access() == Access::Write);
        let log = Self::over(connections, folder, env, lock);
        if log.is_blank()? {
            let _held = log.lock.as_ref().map(LockFile::hold).transpose()?;
            if log.is_blank()? {
                // Whoever was making it was killed: there is no log yet.
                return head.refuse_if_there_was_one().map(|()| None);
            }
        }
        log.connections.with_reader(schema::check)?;
        let is_marked = log.poison.exists();
        let held = log.lock.as_ref().filter(|_| is_marked).map(LockFile::hold).transpose()?;
        log.settle()?;
        drop(held);
        Ok(Some(log))
    }

    fn over(connections: Connections, folder: &Path, env: Env, lock: Option<LockFile>) -> Self {
        Self {
            connections,
            archives: Archives::new(folder),
            head: HeadFile::new(folder),
            folder: folder.to_owned(),
            archiving: folder.join("archive.lock"),
            lock,
            env,
            group: Group::default(),
            poison_flag: Mutex::new(PoisonFlag::default()),
            poison: folder.join("log.unflushed"),
        }
    }

    fn is_blank(&self) -> Result<bool> {
        self.connections.with_reader(schema::is_blank)
    }

    fn hold(&self) -> Result<crate::lock::Held<'_>> {
        match &self.lock {
            Some(lock) => lock.hold(),
            None => Err(Error::Unavailable("the log is read-only for this process".to_owned())),
        }
    }

    fn poison_flag(&self) -> MutexGuard<'_, PoisonFlag> {
        self.poison_flag.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a change of the log in one transaction under the lock that all processes share, then moves the head.
    /// `change` gives the tip after it, or none where nothing was changed and nothing is acknowledged. Where it gives the tip
    /// as it was, because all of it was known, everything is flushed all the same: whoever wrote it may have been killed
    /// before they had.
    fn transact<T>(&self, change: impl FnOnce(&Connection, Tip) -> Result<(Option<Tip>, T)>) -> Result<T> {
        let mut poison_flag = self.poison_flag();
        poison_flag.check()?;
        let held = self.hold()?;
        let outcome = self.write(&mut poison_flag, |connection| {
            let transaction = Transaction::begin(connection)?;
            self.check_place()?;
            let before = rows::tip(connection)?;
            let (after, answer) = change(connection, before)?;
            let Some(after) = after else { return Ok((before, answer)) };
            if after == before {
                schema::touch(connection)?;
            }
            transaction.commit()?;
            // What went into files that were removed meanwhile is not acknowledged.
            self.check_place()?;
            // It is on disk, whatever becomes of the head: one that is behind vouches for less, and the next commit
            // writes it anew.
            let _ = self.head.write(&after);
            Ok((after, answer))
        });
        drop(held);
        let (after, answer) = outcome?;
        if self.connections.checkpoint_if_long() || !self.head.has_copy() {
            let _held = self.hold()?;
            // Without it a head that a power failure leaves unreadable vouches for less.
            let _ = self.head.write_copy(&after);
        }
        Ok(answer)
    }

    /// Flushes everything that can be read in the log.
    fn flush(&self) -> Result<()> {
        self.transact(|_, before| Ok((Some(before), ())))
    }

    /// Whatever is written to the database is written here: a flush that fails at any point of it is heeded.
    fn write<T>(&self, poison_flag: &mut PoisonFlag, work: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        let outcome = self.recover_from_failed_flush().and_then(|()| self.connections.with_writer(work));
        if poison_flag.heed(&outcome, &self.poison) {
            // At once, while this connection still knows how much of the write-ahead log was flushed: whoever opens it
            // later sees no difference, and a power loss while they fold it back would leave pages of both kinds.
            // Where it fails, the mark stays for the next one.
            let _ = self.recover_from_failed_flush();
        }
        outcome
    }

    /// After a failed flush the system may believe pages to be on disk that are not. Before anything is added, what can
    /// still be read is moved out of the write-ahead log, which writes and flushes every page of it anew.
    fn recover_from_failed_flush(&self) -> Result<()> {
        if !self.poison.exists() {
            return Ok(());
        }
        self.connections.checkpoint_all()?;
        std::fs::remove_file(&self.poison).map_err(Error::io("cannot clear the mark of a failed flush"))
    }

    fn commit_group(&self, batches: Vec<Batch>) -> Vec<Result<Vec<Ack>>> {
        let count = batches.len();
        let done = self.transact(|connection, before| {
            self.compare_with_head(connection, &before)?;
            let (tip, answers) =
                commit::append(&mut OpenRows::over(connection, &self.archives)?, before, batches, &self.env)?;
            let acknowledges = answers.iter().flatten().any(|acks| !acks.is_empty());
            Ok((acknowledges.then_some(tip), answers))
        });
        done.unwrap_or_else(|error| vec![Err(error); count])
    }

    /// Refuses a log that is shorter than it was, or not the same.
    fn compare_with_head(&self, connection: &Connection, tip: &Tip) -> Result<()> {
        self.head.read_before_commit()?.compare(tip, |seq| rows::hash_of(connection, &self.archives, seq))
    }
}

impl Log for SqliteLog {
    fn tip(&self) -> Result<Tip> {
        self.check_place()?;
        // The head first: read the other way round, an append in between would look like a loss.
        let head = self.head.read()?;
        self.connections.with_reader(|connection| {
            let tip = rows::tip(connection)?;
            head.compare(&tip, |seq| rows::hash_of(connection, &self.archives, seq)).map(|()| tip)
        })
    }

    fn check_files(&self) -> Result<()> {
        self.check_place()
    }

    fn witness(&self) -> Option<Witness> {
        self.head.witness()
    }

    fn check_witness(&self, witness: &Witness) -> Result<()> {
        let known = self.head.unknown_to_it(witness);
        self.connections.with_reader(|connection| {
            known.compare(&rows::tip(connection)?, |seq| rows::hash_of(connection, &self.archives, seq))
        })
    }

    fn append(&self, batch: Batch) -> Result<Vec<Ack>> {
        self.group.submit(batch, |batches| self.commit_group(batches))
    }

    fn read(&self, from: u64, limit: usize) -> Result<Vec<Stored>> {
        let read = || self.connections.with_reader(|connection| rows::read(connection, &self.archives, from, limit));
        let events = match read() {
            // Whoever erases exchanges a file for another: what was looked up a moment ago may be gone.
            Err(Error::Damaged { fault: Fault::Archive, .. }) => read()?,
            events => events?,
        };
        if events.is_empty() {
            // Nothing there, or nothing left? The tip knows.
            self.tip()?;
        }
        Ok(events)
    }

    fn find(&self, key: IdKey) -> Result<Option<u64>> {
        self.connections.with_reader(|connection| rows::Find::prepare(connection)?.seq(key))
    }

    fn graft(&self, events: &[Stored]) -> Result<(Tip, u64)> {
        self.transact(|connection, before| {
            self.compare_with_head(connection, &before)?;
            let (tip, new) = commit::graft(&mut OpenRows::over(connection, &self.archives)?, before, events)?;
            Ok(((!events.is_empty()).then_some(tip), (tip, new)))
        })
    }

    fn replace(&self, expect: Option<u64>, events: &mut dyn Iterator<Item = Result<Stored>>) -> Result<Tip> {
        let mut given_up = Vec::new();
        let tip = self.transact(|connection, before| {
            given_up = self.archives.entries(connection)?;
            if let Some(expected) = expect.filter(|seq| *seq != before.seq) {
                return Err(Error::Conflict(Conflict::Moved { expected, head: before.seq }));
            }
            rows::clear(connection)?;
            let mut rows = OpenRows::over(connection, &self.archives)?;
            let tip = commit::refill(&mut rows, Tip::empty(before.space), events)?;
            // Should the process die between the commit and the new head, the old one would miss what was given up.
            self.head.reset(tip.space)?;
            Ok((Some(tip), tip))
        })?;
        // The new log has all its events in the database. What is left here is taken away when something is archived.
        given_up.iter().for_each(|entry| drop(self.archives.remove(&entry.file)));
        Ok(tip)
    }

    fn archive(&self, up_to: u64, progress: &mut dyn FnMut(u64)) -> Result<u64> {
        retire::archive(self, up_to, progress)
    }

    fn erase_archived(&self, up_to: u64, keeps: &dyn Fn(u64) -> bool) -> Result<u64> {
        erase::archived(self, up_to, keeps)
    }

    fn erase(&self, seqs: &BTreeSet<u64>) -> Result<u64> {
        erase::events(self, seqs)
    }

    fn drop_caches(&self) {
        self.connections.drop_caches();
    }

    fn keep_connections(&self, keep: bool) {
        self.connections.keep_idle(keep);
        if !keep {
            self.head.close();
        }
    }

    fn archives(&self) -> Result<Vec<Archive>> {
        let entries = self.connections.with_reader(|connection| self.archives.entries(connection))?;
        Ok(entries.into_iter().map(|entry| self.archives.described(entry)).collect())
    }

    fn head(&self) -> Result<HeadState> {
        self.head.read()
    }

    fn accept(&self) -> Result<Tip> {
        // First what is accepted is flushed: no head is ahead of that.
        let tip = self.transact(|_, before| Ok((Some(before), before)))?;
        let _held = self.hold()?;
        self.head.write(&tip)?;
        self.head.write_copy(&tip).map(|()| tip)
    }

    fn check_storage(&self) -> Result<Vec<Problem>> {
        let of_head = |message: &str| Problem { seq: None, message: message.to_owned() };
        let mut problems: Vec<Problem> = self.head.read()?.problem().map(of_head).into_iter().collect();
        self.connections.with_reader(|connection| {
            problems.extend(self.archives.check(connection)?);
            let found: Option<String> =
                connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).optional()?;
            match found.as_deref() {
                Some("ok") => {}
                said => problems.push(Problem {
                    seq: None,
                    message: format!("log.db: {}", said.unwrap_or("the check gave no answer")),
                }),
            }
            Ok(())
        })?;
        Ok(problems)
    }
}
