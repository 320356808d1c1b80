//! How the vector database is opened, checked before it is read, and repaired where it is damaged.

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

use rusqlite::Connection;

use super::absent::Absent;
use super::{Vectors, rows};
use crate::lock::LockFile;
use crate::sums::{Found, Stamp};
use crate::{Error, Result, database};

/// What a piece of work does with the database.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Read,
    Write,
}

/// A connection, and which file it is connected to.
pub struct Open {
    connection: Connection,
    inode: Option<(i64, i64)>,
}

/// What `user_version` is where rows may have been lost, until whoever relies on them has heard of it.
const SALVAGED: i64 = 1;

impl Vectors {
    /// Works with the database. Where it is damaged it is repaired first, as far as that goes, and the work done again.
    pub(super) fn with<T>(&self, what: Use, work: impl Fn(&Connection) -> Result<T>) -> Result<T> {
        let mut open = self.opened();
        let done = match self.lock() {
            None => self.read(&mut open, &work),
            Some(lock) => match self.attempt(&mut open, lock, what, &work) {
                Err(Error::Corrupt(why)) => {
                    *open = None;
                    self.repair(lock, &why)?;
                    self.attempt(&mut open, lock, what, &work)
                }
                done => done,
            },
        };
        if self.is_closed.load(Ordering::Relaxed) {
            self.close(&mut open);
        }
        done.map_err(vectors_damaged)
    }

    fn attempt<T>(
        &self,
        open: &mut Option<Open>,
        lock: &LockFile,
        what: Use,
        work: impl Fn(&Connection) -> Result<T>,
    ) -> Result<T> {
        let is_ready = open.as_ref().is_some_and(|open| self.is_ready(open));
        let held = if is_ready && what == Use::Read { None } else { Some(lock.hold()?) };
        let ready = match open.take() {
            Some(ready) if self.is_ready(&ready) => ready,
            _ => self.make_ready()?,
        };
        let ready = open.insert(ready);
        match what {
            Use::Read => {
                drop(held);
                work(&ready.connection)
            }
            Use::Write => {
                let done = work(&ready.connection)?;
                self.sums.checkpoint_if_long(&ready.connection)?;
                Ok(done)
            }
        }
    }

    /// Whether a connection is to the file that is there, and that file is what was written.
    fn is_ready(&self, open: &Open) -> bool {
        let stamp = Stamp::of(&self.file);
        self.sums.is_known(stamp) && open.inode == stamp.map(|stamp| stamp.inode())
    }

    /// Under the lock.
    fn make_ready(&self) -> Result<Open> {
        self.absent().clear();
        let found = if Stamp::of(&self.file).is_some_and(|stamp| stamp.bytes() > 0) {
            self.sums.check()?
        } else {
            database::remove(&self.file)?;
            Found::Unsummed
        };
        let mut connection = Connection::open(&self.file)?;
        database::set_up(&connection)?;
        self.sums.attach(&mut connection)?;
        database::enter_wal(&connection)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        rows::prepare(&connection)?;
        if found == Found::Unsummed {
            self.sums.begin()?;
        }
        Ok(Open { connection, inode: Stamp::of(&self.file).map(|stamp| stamp.inode()) })
    }

    /// Works where nothing may be written.
    fn read<T>(&self, open: &mut Option<Open>, work: impl Fn(&Connection) -> Result<T>) -> Result<T> {
        let ready = match open.take() {
            Some(ready) if self.is_ready(&ready) => ready,
            _ => {
                self.absent().clear();
                let found = self.sums.check()?;
                let mut connection = database::open_read_only(&self.file, false)?;
                if connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).is_err() {
                    connection = database::open_read_only(&self.file, true)?;
                }
                if found == Found::Unsummed {
                    let mut copy = Connection::open_in_memory()?;
                    database::copy_all(&connection, &mut copy)?;
                    connection = copy;
                    rows::prepare(&connection)?;
                }
                Open { connection, inode: Stamp::of(&self.file).map(|stamp| stamp.inode()) }
            }
        };
        work(&open.insert(ready).connection)
    }

    /// Repairs what can be repaired; else keeps every row that is what was written. What is lost is embedded anew, by
    /// whoever embeds.
    fn repair(&self, lock: &LockFile, why: &str) -> Result<()> {
        let _held = lock.hold()?;
        let said = if let Ok(Some(_)) = self.sums.repair() {
            "it was repaired from its checksums, nothing is lost".to_owned()
        } else {
            let kept = self.salvage()?;
            format!("{kept} texts keep their vectors, any others are re-embedded")
        };
        self.repaired
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(format!("vectors.db was damaged ({why}): {said}"));
        Ok(())
    }

    fn salvage(&self) -> Result<usize> {
        let beside = self.file.with_extension("new");
        database::remove(&beside)?;
        let is_old = !database::beside(&self.file, database::SUMS).exists();
        let to = Connection::open(&beside)?;
        let kept = rows::salvage(&database::open_read_only(&self.file, false)?, &to, is_old)?;
        to.pragma_update(None, "user_version", SALVAGED)?;
        drop(to);
        database::remove(&self.file)?;
        std::fs::rename(&beside, &self.file).map_err(Error::io("cannot put the repaired vectors in place"))?;
        drop(self.make_ready()?);
        Ok(kept)
    }

    /// What was repaired since this was last asked.
    pub fn repaired(&self) -> Vec<String> {
        std::mem::take(&mut *self.repaired.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether rows may have been lost: then what says of a file that it is complete says too much.
    pub fn was_salvaged(&self) -> Result<bool> {
        if !self.file.exists() {
            return Ok(false);
        }
        let version: i64 = self.with(Use::Read, |c| Ok(c.query_row("PRAGMA user_version", [], |row| row.get(0))?))?;
        Ok(version == SALVAGED)
    }

    /// Whoever relies on the rows knows of it.
    pub fn settle(&self) -> Result<()> {
        self.with(Use::Write, |connection| Ok(connection.pragma_update(None, "user_version", 0)?))
    }

    /// Whether everything is what was written, however it looks from outside. Nothing is repaired.
    pub fn check(&self) -> Result<()> {
        self.check_some(0, u64::MAX)?;
        if !self.file.exists() {
            return Ok(());
        }
        let connection = database::open_read_only(&self.file, self.lock().is_none()).map_err(vectors_damaged)?;
        let said = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        match said.map_err(|error| vectors_damaged(error.into()))? {
            said if said == "ok" => Ok(()),
            said => Err(Error::VectorsDamaged(said)),
        }
    }

    /// The pages alone, so many of them; gives where to go on, or 0 at the end.
    pub fn check_some(&self, from: u64, pages: u64) -> Result<u64> {
        if !self.file.exists() {
            return Ok(0);
        }
        let _held = self.lock().map(LockFile::hold).transpose()?;
        self.sums.check_some(from, pages).map_err(vectors_damaged)
    }

    /// Mends what a check found damaged, without waiting for somebody to read it.
    pub fn repair_now(&self, why: &str) -> Result<()> {
        *self.opened() = None;
        self.lock().map_or(Ok(()), |lock| self.repair(lock, why))
    }

    /// Throws the file away, where nothing in it can be read.
    pub fn discard(&self) -> Result<()> {
        let mut open = self.opened();
        let _held = self.lock().map(LockFile::hold).transpose()?;
        *open = None;
        database::remove(&self.file)
    }

    /// Whether the file stays open for the next reader, or is closed after each. Nobody waits for whoever is at work with it,
    /// who closes it at the end.
    pub fn keep_connections(&self, keep: bool) {
        self.is_closed.store(!keep, Ordering::Relaxed);
        if !keep && let Ok(mut open) = self.open.try_lock() {
            self.close(&mut open);
        }
    }

    /// Closes the file. A long write-ahead log is moved into it before: whoever opens it next would have to read that.
    fn close(&self, open: &mut Option<Open>) {
        let Some(open) = open.take().filter(|open| self.is_ready(open)) else { return };
        // Whoever is at work does it instead: nobody waits here.
        if let Some(Ok(Some(_held))) = self.lock().map(LockFile::try_hold) {
            let _ = self.sums.checkpoint_at_close(&open.connection);
        }
    }

    /// Closes the file: what was read of it is kept in memory no longer.
    pub fn drop_caches(&self) {
        *self.opened() = None;
        self.absent().clear();
    }

    pub(super) fn absent(&self) -> MutexGuard<'_, Absent> {
        self.absent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> Option<&LockFile> {
        self.lock.get_or_init(|| LockFile::open(&self.file.with_extension("lock")).ok()).as_ref()
    }

    fn opened(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Vectors {
    fn drop(&mut self) {
        self.close(&mut self.opened());
    }
}

/// Unlike what is derived it is never thrown away unasked: computing it again may take long or cost money.
fn vectors_damaged(error: Error) -> Error {
    match error {
        Error::Corrupt(what) => Error::VectorsDamaged(what),
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use super::*;

    #[test]
    fn whoever_is_at_work_is_not_waited_for_and_closes_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let vectors = Arc::new(Vectors::open(folder.path()));
        let done = vectors.with(Use::Write, |_| {
            let (send, told) = mpsc::channel();
            let other = Arc::clone(&vectors);
            std::thread::spawn(move || {
                other.keep_connections(false);
                let _ = send.send(());
            });
            assert!(told.recv_timeout(Duration::from_secs(20)).is_ok(), "it waits for the work to end");
            Ok(())
        });
        done.expect("done");
        assert!(vectors.opened().is_none(), "the work closed it");
        vectors.keep_connections(true);
        vectors.with(Use::Write, |_| Ok(())).expect("done");
        assert!(vectors.opened().is_some());
    }
}
