//! The view database: executes the changes that events fold into, and answers questions about any past state.
//!
//! Everything in it can be deleted at any time and comes back the same. Whoever reads brings it up to date first.

mod digest;
mod execute;
mod query;
mod select;
mod sql;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use idetic_core::views::View;
use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::lock::{Held, LockFile};
use crate::log::Log;
use crate::{Error, Result, database};
pub use digest::Digest;
pub use execute::Position;
pub use query::{Answer, Datum, Function, Given, Most, Offered, Query, Refused};
pub use select::{Filter, Row, Select};

/// The most events folded in one hold of the lock.
const FOLD_EVENTS: usize = 4096;
/// Connections kept open for the next reader.
const IDLE_CONNECTIONS: usize = 8;

/// The views of one space.
pub struct Views {
    file: PathBuf,
    lock: Option<LockFile>,
    views: &'static [View],
    idle: Mutex<Vec<Pooled>>,
}

/// A connection, and which file it is connected to: a rebuild or a person may have exchanged it.
struct Pooled {
    connection: Connection,
    inode: Option<(u64, u64)>,
}

impl Views {
    /// The views kept in a folder. Where nothing may be written they are folded in memory.
    pub fn open(folder: &Path, views: &'static [View]) -> Self {
        let lock = LockFile::open(&folder.join("views.lock")).ok();
        Self { file: folder.join("views.db"), lock, views, idle: Mutex::default() }
    }

    /// Views that are nowhere but in memory.
    pub fn in_memory(views: &'static [View]) -> Self {
        Self { file: PathBuf::new(), lock: None, views, idle: Mutex::default() }
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
        let held = self.lock.as_ref().map(LockFile::hold).transpose()?;
        self.with_connection_under(held.as_ref(), |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let reached = execute::fold(&transaction, log, self.views, up_to, FOLD_EVENTS)?;
            transaction.commit()?;
            Ok(reached)
        })
    }

    /// Folds the whole log into a new file beside the old one and exchanges them.
    pub fn rebuild(&self, log: &dyn Log, progress: &mut dyn FnMut(u64)) -> Result<()> {
        let Some(lock) = &self.lock else {
            return Err(Error::Unavailable("the views cannot be rebuilt where nothing may be written".to_owned()));
        };
        // One rebuild at a time; what a killed one left behind is overwritten.
        let rebuilding = LockFile::open(&self.file.with_extension("rebuild.lock"))?;
        let _alone = rebuilding.hold()?;
        let beside = self.file.with_extension("new");
        database::remove(&beside)?;
        let new = Self { file: beside.clone(), lock: None, views: self.views, idle: Mutex::default() };
        new.catch_up(log, log.tip()?.seq, progress)?;
        let _held = lock.hold()?;
        new.catch_up(log, log.tip()?.seq, progress)?;
        new.with_connection(|c| Ok(c.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?))?;
        drop(new);
        database::remove(&self.file)?;
        std::fs::rename(&beside, &self.file).map_err(Error::io("cannot put the rebuilt views in place"))?;
        self.idle().clear();
        Ok(())
    }

    /// Throws the views away; the next reader folds them anew.
    pub fn discard(&self) -> Result<()> {
        if self.is_private() {
            *self.idle() = vec![Pooled { connection: Connection::open_in_memory()?, inode: None }];
            return Ok(());
        }
        let _held = self.lock.as_ref().map(LockFile::hold).transpose()?;
        self.idle().clear();
        database::remove(&self.file)
    }

    /// The same, and nobody's rebuild of what the log said before comes after it: one that runs is waited for.
    pub fn discard_for_good(&self) -> Result<()> {
        if self.is_private() {
            return self.discard();
        }
        let rebuilding = LockFile::open(&self.file.with_extension("rebuild.lock"))?;
        let _alone = rebuilding.hold()?;
        database::remove(&self.file.with_extension("new"))?;
        self.discard()
    }

    /// The rows that match.
    pub fn select(&self, select: &Select) -> Result<Vec<Row>> {
        self.covering(select.at, |connection| select.run(connection))
    }

    /// The seqs the matching rows were born at.
    pub fn seqs(&self, select: &Select) -> Result<Vec<u64>> {
        self.covering(select.at, |connection| select.seqs(connection))
    }

    /// Answers a question in SQL, or says why not.
    pub fn query(&self, query: &Query) -> Result<std::result::Result<Answer, Refused>> {
        // Before the first event nothing is folded, so the tables may not be there yet.
        let connection = if query.at == 0 { execute::empty(self.views)? } else { self.apart()? };
        if execute::position(&connection, self.views)? < query.at {
            return Err(Error::Unavailable("the views are being folded anew".to_owned()));
        }
        query.run(connection)
    }

    /// A connection for one question, that reads and is thrown away afterwards.
    fn apart(&self) -> Result<Connection> {
        if self.is_private() {
            return self.with_connection(|connection| {
                let mut copy = Connection::open_in_memory()?;
                Backup::new(connection, &mut copy)?.step(-1)?;
                Ok(copy)
            });
        }
        let _held = self.lock.as_ref().map(LockFile::hold).transpose()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.file, flags)?;
        database::set_up(&connection)?;
        // It is the file of this name as long as the lock is held: reading it once makes it stay that.
        execute::position(&connection, self.views)?;
        Ok(connection)
    }

    /// Asks in one snapshot that covers a seq. The file may have been exchanged for a younger one since it was folded.
    fn covering<T>(&self, seq: u64, ask: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.with_connection(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            if execute::position(&snapshot, self.views)? < seq {
                return Err(Error::Unavailable("the views are being folded anew".to_owned()));
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
        let inode = self.inode();
        let pooled = self.idle().pop().filter(|p| p.inode == inode);
        let mut pooled = match (pooled, held) {
            (Some(pooled), _) => pooled,
            (None, Some(_)) => self.connect()?,
            (None, None) => {
                // While a file is exchanged for another, SQLite must not pair one's pages with the other's log.
                let _held = self.lock.as_ref().map(LockFile::hold).transpose()?;
                self.connect()?
            }
        };
        let answer = work(&mut pooled.connection)?;
        let mut idle = self.idle();
        if idle.len() < IDLE_CONNECTIONS {
            idle.push(pooled);
        }
        Ok(answer)
    }

    fn connect(&self) -> Result<Pooled> {
        let connection = if self.is_private() { open_copy(&self.file)? } else { open_file(&self.file)? };
        Ok(Pooled { connection, inode: self.inode() })
    }

    /// Whether the views are in memory, for this handle alone.
    fn is_private(&self) -> bool {
        let beside = self.file.extension().is_some_and(|e| e == "new");
        self.lock.is_none() && !beside
    }

    fn inode(&self) -> Option<(u64, u64)> {
        self.lock.as_ref()?;
        std::fs::metadata(&self.file).ok().map(|m| (m.dev(), m.ino()))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Pooled>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn open_file(file: &Path) -> Result<Connection> {
    let connection = Connection::open(file)?;
    database::set_up(&connection)?;
    connection.set_prepared_statement_cache_capacity(64);
    database::enter_wal(&connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// A private copy in memory, starting from what is on disk where that can be read.
fn open_copy(file: &Path) -> Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    database::set_up(&connection)?;
    if file.exists() {
        // What cannot be copied is folded anew: it is only derived.
        let _ = connection.restore("main", file, None::<fn(rusqlite::backup::Progress)>);
    }
    Ok(connection)
}
