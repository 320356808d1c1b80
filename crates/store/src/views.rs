//! The view database: executes the changes that events fold into, and answers questions about any past state.
//!
//! Everything in it can be deleted at any time and comes back the same. Whoever reads brings it up to date first.

mod alive;
mod compare;
mod digest;
mod execute;
mod matching;
mod query;
mod select;
mod sql;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use idetic_core::Time;
use idetic_core::views::View;
use rusqlite::{Connection, TransactionBehavior};

use crate::lock::{Held, LockFile};
use crate::log::Log;
use crate::sums::{Found, Stamp, Sums};
use crate::{Error, Result, database};
pub use alive::{alive, end_of, expired};
pub use compare::Difference;
pub use digest::Digest;
pub use execute::Position;
pub use query::{Answer, Datum, Function, Given, Offered, Query, Refused, ResultLimits};
pub use select::{Filter, Row, Select};

/// The most events folded in one hold of the lock.
const FOLD_EVENTS: usize = 4096;
/// Pages checked in one hold of the lock: eight megabytes, some milliseconds.
const CHECK_PAGES: u64 = 2048;
/// Connections kept open for the next reader.
const IDLE_CONNECTIONS: usize = 8;

/// The views of one space.
pub struct Views {
    file: PathBuf,
    kept: Kept,
    views: &'static [View],
    idle: Mutex<Vec<Pooled>>,
    /// Whether none is kept for the next reader.
    is_closed: AtomicBool,
    /// How often the idle ones were dropped: one that was in use then does not come back.
    generation: AtomicU64,
    sums: Sums,
}

/// Where views are kept.
enum Kept {
    /// In a file that processes share.
    Shared(LockFile),
    /// In a file that nobody else knows of.
    Apart,
    /// In memory, for this handle alone.
    Private,
}

/// A connection, and which file it is connected to: a rebuild or a person may have exchanged it.
struct Pooled {
    connection: Connection,
    inode: Option<(i64, i64)>,
    generation: u64,
}

impl Views {
    /// The views kept in a folder. Where nothing may be written they are folded in memory.
    pub fn open(folder: &Path, views: &'static [View]) -> Self {
        let kept = LockFile::open(&folder.join("views.lock")).map_or(Kept::Private, Kept::Shared);
        Self::kept(folder.join("views.db"), kept, views)
    }

    /// Views that are nowhere but in memory.
    pub fn in_memory(views: &'static [View]) -> Self {
        Self::kept(PathBuf::new(), Kept::Private, views)
    }

    /// Views in a file that nobody else knows of.
    fn apart_in(file: PathBuf, views: &'static [View]) -> Self {
        Self::kept(file, Kept::Apart, views)
    }

    fn kept(file: PathBuf, kept: Kept, views: &'static [View]) -> Self {
        let sums = Sums::of(&file);
        let (idle, is_closed, generation) = Default::default();
        Self { file, kept, views, idle, is_closed, generation, sums }
    }

    /// Folds the log up to `seq`. `progress` hears how far it is.
    pub fn catch_up(&self, log: &dyn Log, seq: u64, progress: &mut dyn FnMut(u64)) -> Result<()> {
        let positions = self.positions()?;
        if positions.iter().all(|p| p.seq >= seq) {
            // Folding checks this too; where there is nothing to fold, an exchanged log would go unnoticed.
            return execute::check_positions(&positions, log);
        }
        while self.position()? < seq {
            let reached = self.fold_step(log, seq)?;
            progress(reached);
        }
        Ok(())
    }

    /// How far every view has come.
    pub fn position(&self) -> Result<u64> {
        self.with_connection(|connection| execute::position(connection, self.views))
    }

    /// The positions of the views as they stand, with the hash of the event they stopped at.
    pub fn positions(&self) -> Result<Vec<Position>> {
        self.with_connection(|connection| execute::positions(connection, self.views))
    }

    fn fold_step(&self, log: &dyn Log, up_to: u64) -> Result<u64> {
        let held = self.hold()?;
        self.with_connection_under(held.as_ref(), |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let reached = execute::fold(&transaction, log, self.views, up_to, FOLD_EVENTS)?;
            transaction.commit()?;
            if !self.is_private() {
                self.sums.checkpoint_if_long(connection)?;
            }
            Ok(reached)
        })
    }

    /// Folds the whole log into a new file beside the old one and exchanges them.
    pub fn rebuild(&self, log: &dyn Log, progress: &mut dyn FnMut(u64)) -> Result<()> {
        let Kept::Shared(lock) = &self.kept else {
            return Err(Error::Unavailable("the views cannot be rebuilt where nothing may be written".to_owned()));
        };
        // One rebuild at a time; what a killed one left behind is overwritten.
        let rebuilding = LockFile::open(&self.file.with_extension("rebuild.lock"))?;
        let _alone = rebuilding.hold()?;
        let beside = self.file.with_extension("new");
        database::remove(&beside)?;
        let new = Self::apart_in(beside.clone(), self.views);
        new.catch_up(log, log.tip()?.seq, progress)?;
        let _held = lock.hold()?;
        new.catch_up(log, log.tip()?.seq, progress)?;
        new.with_connection(|connection| new.sums.checkpoint_all(connection))?;
        drop(new);
        self.put_in_place(&beside)
    }

    /// Exchanges the file for one beside it, under the lock.
    fn put_in_place(&self, beside: &Path) -> Result<()> {
        database::remove(&self.file)?;
        let failed = || Error::io("cannot put the new views in place");
        std::fs::rename(beside, &self.file).map_err(failed())?;
        let sums = |file: &Path| database::beside(file, database::SUMS);
        std::fs::rename(sums(beside), sums(&self.file)).map_err(failed())?;
        self.idle().clear();
        database::remove(beside)?;
        self.sums.restamp()
    }

    /// Copies the views as they stand into a new file, once they were held against their checksums, and says how far they had
    /// come.
    pub fn copy_to(&self, file: &Path) -> Result<Vec<Position>> {
        if self.is_private() {
            return Err(Error::Unavailable("the views are in memory only: the folder cannot be written to".to_owned()));
        }
        let mut page = self.check_some(0, CHECK_PAGES)?;
        while page > 0 {
            page = self.check_some(page, CHECK_PAGES)?;
        }
        let from = self.apart()?;
        // One state, however long it takes.
        from.execute_batch("BEGIN")?;
        let positions = execute::positions(&from, self.views)?;
        let mut to = Connection::open(file)?;
        to.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")?;
        database::copy_all(&from, &mut to)?;
        Ok(positions)
    }

    /// How far the views in a file that was copied have come.
    pub fn positions_in(&self, file: &Path) -> Result<Vec<Position>> {
        execute::positions(&database::open_read_only(file, true)?, self.views)
    }

    /// Puts views that were copied elsewhere in the place of these, unless these have come as far meanwhile.
    pub fn adopt(&self, file: &Path, seq: u64) -> Result<()> {
        let Kept::Shared(lock) = &self.kept else {
            return Err(Error::Unavailable("the views are in memory only: the folder cannot be written to".to_owned()));
        };
        let rebuilding = LockFile::open(&self.file.with_extension("rebuild.lock"))?;
        let _alone = rebuilding.hold()?;
        let beside = self.file.with_extension("new");
        database::remove(&beside)?;
        std::fs::rename(file, &beside).map_err(Error::io("cannot put the new views in place"))?;
        Sums::of(&beside).begin()?;
        // Under the lock: nobody folds further meanwhile.
        let held = lock.hold()?;
        let position = |connection: &mut Connection| execute::position(connection, self.views);
        if self.with_connection_under(Some(&held), position)? >= seq {
            return database::remove(&beside);
        }
        self.put_in_place(&beside)
    }

    /// Throws the views away; the next reader folds them anew.
    pub fn discard(&self) -> Result<()> {
        if self.is_private() {
            *self.idle() = vec![Pooled { connection: Connection::open_in_memory()?, inode: None, generation: 0 }];
            return Ok(());
        }
        let _held = self.hold()?;
        self.drop_caches();
        database::remove(&self.file)
    }

    /// Closes what is not in use: each connection keeps pages as they were when it read them. Views in memory stay.
    pub fn drop_caches(&self) {
        if !self.is_private() {
            self.generation.fetch_add(1, Ordering::Relaxed);
            self.idle().clear();
        }
    }

    /// The same, and nobody's rebuild of what the log said before comes after it: one that runs is waited for.
    pub fn discard_for_good(&self) -> Result<()> {
        if self.is_private() {
            return self.discard();
        }
        let rebuilding = LockFile::open(&self.file.with_extension("rebuild.lock"))?;
        let _alone = rebuilding.hold()?;
        for beside in ["new", "verify"] {
            database::remove(&self.file.with_extension(beside))?;
        }
        self.discard()
    }

    /// Whether connections that are not in use wait for the next reader, or are closed. Views in memory stay.
    pub fn keep_connections(&self, keep: bool) {
        if self.is_private() {
            return;
        }
        // Under the same lock as one is put back.
        let idle = self.idle();
        self.is_closed.store(!keep, Ordering::Relaxed);
        drop(idle);
        if !keep {
            self.close();
        }
    }

    /// The rows that match.
    pub fn select(&self, select: &Select) -> Result<Vec<Row>> {
        self.covering(select.at, |connection| select.run(connection))
    }

    /// The seqs the matching rows were born at.
    pub fn seqs(&self, select: &Select) -> Result<Vec<u64>> {
        self.covering(select.at, |connection| select.seqs(connection))
    }

    /// When the first event expires that was ever said to, as of a seq: before then nothing has to be left out.
    pub fn first_expiry(&self, seq: u64) -> Result<Option<Time>> {
        self.covering(seq, alive::first_expiry)
    }

    /// The seqs of the events that had expired by a moment, as of a seq.
    pub fn expired(&self, seq: u64, now: Time) -> Result<Vec<u64>> {
        self.covering(seq, |connection| alive::expired_at(connection, seq, now))
    }

    /// Of what had expired by a moment that whose content may be erased, each with whether what was made of it goes along.
    pub fn erasable(&self, seq: u64, now: Time) -> Result<Vec<(u64, bool)>> {
        self.covering(seq, |connection| alive::erasable_at(connection, seq, now))
    }

    /// When the events with some seqs expire, as of another one.
    pub fn ends_of(&self, events: &[u64], seq: u64) -> Result<Vec<Option<Time>>> {
        self.covering(seq, |connection| alive::ends_of(connection, events, seq))
    }

    /// Answers a question in SQL, or says why not.
    pub fn query(&self, query: &Query) -> Result<std::result::Result<Answer, Refused>> {
        // Before the first event nothing is folded, so the tables may not be there yet.
        let connection = if query.at == 0 { execute::empty(self.views)? } else { self.apart()? };
        if execute::position(&connection, self.views)? < query.at {
            return Err(Error::Unavailable("the views are being rebuilt".to_owned()));
        }
        query.run(connection)
    }

    /// A connection for one question, that reads and is thrown away afterwards.
    fn apart(&self) -> Result<Connection> {
        if self.is_private() {
            return self.with_connection(|connection| copy_of(connection));
        }
        let _held = self.hold()?;
        self.make_sure()?;
        self.sums.check_frames(&open_file(&self.file, &self.sums)?)?;
        let connection = database::open_read_only(&self.file, false)?;
        // It is the file of this name as long as the lock is held: reading it once makes it stay that.
        execute::position(&connection, self.views)?;
        Ok(connection)
    }

    /// Asks in one snapshot that covers a seq. The file may have been exchanged for a younger one since it was folded.
    fn covering<T>(&self, seq: u64, ask: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.with_connection(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            if execute::position(&snapshot, self.views)? < seq {
                return Err(Error::Unavailable("the views are being rebuilt".to_owned()));
            }
            ask(&snapshot)
        })
    }

    /// What each view holds, as a hash that is the same for the same log on any machine.
    pub fn digest(&self) -> Result<Vec<Digest>> {
        self.with_connection(|connection| digest::digest(connection, self.views))
    }

    fn with_connection<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        self.with_connection_under(None, work)
    }

    /// The same for a caller who holds the lock.
    fn with_connection_under<T>(
        &self,
        held: Option<&Held>,
        work: impl FnOnce(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        if self.is_private() {
            // It lives in one connection, at which all threads take turns: another one would begin from nothing.
            let mut idle = self.idle();
            let mut pooled = idle.pop().map_or_else(|| self.connect(), Ok)?;
            let answer = work(&mut pooled.connection);
            idle.push(pooled);
            return answer;
        }
        if !self.sums.is_known(Stamp::of(&self.file)) {
            let _held = if held.is_none() { self.hold()? } else { None };
            self.make_sure()?;
        }
        let inode = self.inode();
        let pooled = self.idle().pop().filter(|p| p.inode == inode);
        let mut pooled = match pooled {
            Some(pooled) => pooled,
            None => {
                // While a file is exchanged for another, SQLite must not pair one's pages with the other's log.
                let _held = if held.is_none() { self.hold()? } else { None };
                self.make_sure()?;
                let new = self.connect()?;
                self.sums.check_frames(&new.connection)?;
                new
            }
        };
        let answer = work(&mut pooled.connection)?;
        let mut idle = self.idle();
        let is_kept = pooled.generation == self.generation.load(Ordering::Relaxed);
        if is_kept && idle.len() < IDLE_CONNECTIONS && !self.is_closed.load(Ordering::Relaxed) {
            idle.push(pooled);
        }
        Ok(answer)
    }

    /// What is about to be read must be what was written. Under the lock, so that nobody is writing it.
    fn make_sure(&self) -> Result<()> {
        let stamp = Stamp::of(&self.file);
        if self.sums.is_known(stamp) {
            return Ok(());
        }
        let is_there = stamp.is_some_and(|stamp| stamp.bytes() > 0);
        if is_there && self.sums.check()? == Found::Sound {
            return Ok(());
        }
        // What is older than its sums cannot be checked, and is folded anew.
        self.idle().clear();
        database::remove(&self.file)?;
        let new = self.connect()?;
        self.sums.begin()?;
        self.idle().push(new);
        Ok(())
    }

    /// Holds everything on disk against its checksums, however it looks from outside.
    pub fn check(&self) -> Result<()> {
        self.check_some(0, u64::MAX).map(|_| ())
    }

    /// The same for so many pages; gives where to go on, or 0 at the end.
    pub fn check_some(&self, from: u64, pages: u64) -> Result<u64> {
        if self.file.as_os_str().is_empty() || !self.file.exists() {
            return Ok(0);
        }
        let _held = self.hold()?;
        let next = self.sums.check_some(from, pages)?;
        if from == 0 && !self.is_private() {
            self.sums.check_frames(&open_file(&self.file, &self.sums)?)?;
        }
        Ok(next)
    }

    fn connect(&self) -> Result<Pooled> {
        let generation = self.generation.load(Ordering::Relaxed);
        let connection = if self.is_private() { self.open_copy()? } else { open_file(&self.file, &self.sums)? };
        Ok(Pooled { connection, inode: self.inode(), generation })
    }

    /// A private copy in memory, starting from what is on disk where that can be read and is what was written.
    fn open_copy(&self) -> Result<Connection> {
        let empty = || {
            let connection = Connection::open_in_memory()?;
            database::set_up(&connection)?;
            Ok::<_, Error>(connection)
        };
        if !self.file.exists() || self.sums.check() != Ok(Found::Sound) {
            return empty();
        }
        // Where not even SQLite's own files can be made beside it, the database is read without its write-ahead log: then it
        // is what it was at a checkpoint, unless one was cut off. What cannot be copied is folded anew.
        let plain = database::open_read_only(&self.file, false).and_then(|from| copy_of(&from));
        let copy = match plain {
            Err(_) if self.sums.is_settled()? => {
                database::open_read_only(&self.file, true).and_then(|from| copy_of(&from))
            }
            plain => plain,
        };
        // Somebody who may write may have done so meanwhile.
        copy.ok().filter(|_| self.sums.is_known(Stamp::of(&self.file))).map_or_else(empty, Ok)
    }

    /// Closes the connections that are not in use. A long write-ahead log is moved into the database before: whoever opens it
    /// next would have to read it.
    fn close(&self) {
        let Kept::Shared(lock) = &self.kept else { return };
        let idle = std::mem::take(&mut *self.idle());
        // Whoever is at work does it instead: nobody waits here, and what is not done now is done by the next.
        if let (Ok(Some(_held)), Some(pooled)) = (lock.try_hold(), idle.last())
            && self.sums.is_known(Stamp::of(&self.file))
            && pooled.inode == self.inode()
        {
            let _ = self.sums.checkpoint_at_close(&pooled.connection);
        }
    }

    /// Whether the views are in memory, for this handle alone.
    fn is_private(&self) -> bool {
        matches!(self.kept, Kept::Private)
    }

    fn hold(&self) -> Result<Option<Held<'_>>> {
        if let Kept::Shared(lock) = &self.kept { lock.hold().map(Some) } else { Ok(None) }
    }

    fn inode(&self) -> Option<(i64, i64)> {
        Stamp::of(&self.file).map(|stamp| stamp.inode())
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Pooled>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Views {
    fn drop(&mut self) {
        self.close();
    }
}

/// A copy of a database in memory.
fn copy_of(connection: &Connection) -> Result<Connection> {
    let mut copy = Connection::open_in_memory()?;
    database::set_up(&copy)?;
    database::copy_all(connection, &mut copy)?;
    Ok(copy)
}

fn open_file(file: &Path, sums: &Sums) -> Result<Connection> {
    let mut connection = Connection::open(file)?;
    database::set_up(&connection)?;
    sums.attach(&mut connection)?;
    connection.set_prepared_statement_cache_capacity(64);
    database::enter_wal(&connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use super::*;

    #[test]
    fn whoever_is_at_work_in_views_in_memory_is_not_waited_for() {
        let views = Arc::new(Views::in_memory(&[]));
        let at_work = views.idle();
        let (send, told) = mpsc::channel();
        let other = Arc::clone(&views);
        std::thread::spawn(move || {
            other.keep_connections(false);
            let _ = send.send(());
        });
        assert!(told.recv_timeout(Duration::from_secs(20)).is_ok(), "it waits for the work to end");
        drop(at_work);
    }
}
