//! Checksums of a derived database, page by page, in a file beside it: a changed bit is noticed before it is read.
//!
//! In WAL mode a database file changes at checkpoints alone, and those are made here alone, under the lock of whoever
//! owns it. So between two of them its stamp stays, and comparing that is all that a reader has to do. Where the stamp is
//! another, because the files were copied or somebody wrote into them, every page is held against its sum. The frames of the
//! write-ahead log have sums of SQLite's own, which it checks only when the first process opens it: for connections after
//! that they are checked here, but for those of a process that may not write.

mod stamp;
mod table;
mod wal;

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::hooks::Wal as Hook;

use crate::{Error, Result, database};
pub use stamp::Stamp;
use table::{Head, Table};
use wal::Wal;

/// The page of a database; SQLite's own choice, which nobody here changes.
const PAGE_BYTES: usize = 4096;
/// What is read of a file at a time.
const BUFFER_BYTES: usize = 1 << 18;
/// Pages in the write-ahead log at which it is moved into the database: four megabytes, as SQLite itself would.
const CHECKPOINT_PAGES: u64 = 1000;
/// Length of its file from which on a process that ends does so: the next one has to read all of it.
const CHECKPOINT_ON_CLOSE_BYTES: u64 = 512 << 10;

/// Most damaged pages that are repaired: each takes a tenth of a second, and where there are many, more is wrong than a bit.
const MEND_PAGES: usize = 16;

/// The sum of some bytes: damage is found but for one case in 2^64.
fn sum(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    hash.as_bytes().first_chunk::<8>().map_or(0, |first| u64::from_le_bytes(*first))
}

/// What a check found where nothing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Every page is what was written.
    Sound,
    /// There are no sums: the database is older than they are.
    Unsummed,
}

/// The sums of one database. Everything here but `is_known` is for whoever holds its lock.
pub struct Sums {
    database: PathBuf,
    file: PathBuf,
    unfinished: PathBuf,
    wal: PathBuf,
    /// The database as it was last found or left.
    known: Mutex<Option<Stamp>>,
    /// Pages in the write-ahead log after the last commit of this process.
    wal_pages: Arc<AtomicU64>,
}

impl Sums {
    /// The sums beside a database.
    pub fn of(database: &Path) -> Self {
        let beside = |suffix: &str| database::beside(database, suffix);
        let (known, wal_pages) = Default::default();
        Self {
            database: database.to_owned(),
            file: beside(database::SUMS),
            unfinished: beside(database::SUMS_UNFINISHED),
            wal: beside("-wal"),
            known,
            wal_pages,
        }
    }

    /// Whether the file is the one that was last found to be sound.
    pub fn is_known(&self, stamp: Option<Stamp>) -> bool {
        stamp.is_some() && *self.known() == stamp
    }

    /// Lets a connection leave all checkpoints to this one, and tell how long the write-ahead log is.
    pub fn attach(&self, connection: &mut Connection) -> Result<()> {
        database::leave_checkpoints(connection)?;
        let count = Arc::clone(&self.wal_pages);
        connection.wal_hook(Some(move |_: &mut Hook, pages: i32| {
            count.store(u64::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(())
    }

    /// Whether the database is what was written. Where its stamp says so that is believed, else all of it is read.
    pub fn check(&self) -> Result<Found> {
        let Some(head) = Head::read(&self.file)? else { return Ok(Found::Unsummed) };
        self.check_wal(&head)?;
        let now = self.stamp()?;
        if head.stamp != now {
            self.check_pages()?;
            // It was copied, or only touched. Where that cannot be noted down it is found out again the next time.
            let _ = self.restamp();
        }
        *self.known() = Some(now);
        Ok(Found::Sound)
    }

    /// Whether no checkpoint was cut off, so that the database is whole without its write-ahead log.
    pub fn is_settled(&self) -> Result<bool> {
        Ok(Head::read(&self.file)?.is_some_and(|head| head.in_flux == 0))
    }

    /// Holds every page against its sum, whatever the stamp says.
    pub fn check_pages(&self) -> Result<()> {
        self.check_some(0, u64::MAX).map(|_| ())
    }

    /// The same for so many pages; gives where to go on, or 0 at the end.
    pub fn check_some(&self, from: u64, count: u64) -> Result<u64> {
        let Some(table) = Table::read(&self.file)? else { return Ok(0) };
        self.check_wal(&table.head)?;
        let waiting = if table.in_flux.is_empty() { None } else { Wal::read(&self.wal)? };
        let mut page = from;
        let whole = read_pages(&self.database, from, count, |_, sum| {
            let Ok(number) = u32::try_from(page + 1) else { return false };
            let written = usize::try_from(page).ok().and_then(|at| table.pages.get(at)) == Some(&sum);
            page += 1;
            // One that a checkpoint was exchanging is the old one, the new one, or is read from the write-ahead log.
            written
                || table.in_flux.get(&number).is_some_and(|new| {
                    *new == sum || waiting.as_ref().is_some_and(|wal| wal.pages.contains_key(&number))
                })
        })?;
        if !whole {
            return Err(self.damaged(&format!("page {page} does not match its checksum")));
        }
        if page - from == count {
            return Ok(page);
        }
        // A checkpoint that was cut off may have shortened the file already.
        let least = waiting.map_or(usize::MAX, |wal| wal.database_pages as usize).min(table.pages.len());
        if page < least as u64 {
            return Err(self.damaged("its end is missing"));
        }
        Ok(0)
    }

    /// Frames that are in the database already must still be whole in the write-ahead log: what SQLite would make of a part
    /// of them is neither what was before nor what is now.
    fn check_wal(&self, head: &Head) -> Result<()> {
        if head.frames == 0 || Wal::salt(&self.wal) != Some(head.salt) {
            return Ok(());
        }
        match Wal::read(&self.wal)? {
            Some(wal) if wal.salt == head.salt && wal.frames < head.frames => {
                Err(self.damaged("its write-ahead log is damaged"))
            }
            _ => Ok(()),
        }
    }

    /// Whether all frames of the write-ahead log that a connection would read are what was written.
    pub fn check_frames(&self, connection: &Connection) -> Result<()> {
        let frames: i64 = connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get(1))?;
        if frames > 0 && i64::from(Wal::frames(&self.wal)?) < frames {
            return Err(self.damaged("its write-ahead log is damaged"));
        }
        Ok(())
    }

    /// Repairs what is wrong with the database, where every damaged page differs in one bit from what was written: then
    /// the sum tells which. Gives how many pages that were, or `None` where more is wrong than that.
    pub fn repair(&self) -> Result<Option<usize>> {
        let Some(table) = Table::read(&self.file)?.filter(|table| table.in_flux.is_empty()) else { return Ok(None) };
        if self.stamp()?.bytes() != (table.pages.len() * PAGE_BYTES) as u64 {
            return Ok(None);
        }
        let mut wrong = Vec::new();
        read_pages(&self.database, 0, u64::MAX, |page, sum| {
            if usize::try_from(page).ok().and_then(|at| table.pages.get(at)) != Some(&sum) {
                wrong.push(page);
            }
            wrong.len() <= MEND_PAGES
        })?;
        if wrong.is_empty() || wrong.len() > MEND_PAGES {
            return Ok(None);
        }
        let failed = || Error::io(format!("cannot repair {}", self.database.display()));
        let mut file = File::options().read(true).write(true).open(&self.database).map_err(failed())?;
        let mut repaired = Vec::with_capacity(wrong.len());
        for page in wrong {
            let mut bytes = vec![0; PAGE_BYTES];
            file.seek(SeekFrom::Start(page * PAGE_BYTES as u64)).map_err(failed())?;
            file.read_exact(&mut bytes).map_err(failed())?;
            let should = usize::try_from(page).ok().and_then(|at| table.pages.get(at)).copied();
            let Some(at) = should.and_then(|should| put_right(&mut bytes, should)) else { return Ok(None) };
            repaired.push((page * PAGE_BYTES as u64 + at as u64, bytes[at]));
        }
        for (at, byte) in &repaired {
            file.seek(SeekFrom::Start(*at)).and_then(|_| file.write_all(&[*byte])).map_err(failed())?;
        }
        file.sync_all().map_err(failed())?;
        self.restamp()?;
        Ok(Some(repaired.len()))
    }

    /// Sums a database that is known to be right.
    pub fn begin(&self) -> Result<()> {
        let stamp = self.stamp()?;
        let mut pages = Vec::new();
        let whole = read_pages(&self.database, 0, u64::MAX, |_, sum| {
            pages.push(sum);
            true
        })?;
        if !whole {
            return Err(self.damaged("it ends within a page"));
        }
        Table::new(stamp, pages).write(&self.file, &self.unfinished)?;
        *self.known() = Some(stamp);
        Ok(())
    }

    /// Notes down the stamp of a database whose pages are the same as before.
    pub fn restamp(&self) -> Result<()> {
        if let Some(mut table) = Table::read(&self.file)? {
            table.head.stamp = self.stamp()?;
            table.write(&self.file, &self.unfinished)?;
            *self.known() = Some(table.head.stamp);
        }
        Ok(())
    }

    /// Moves the write-ahead log into the database once it is long.
    pub fn checkpoint_if_long(&self, connection: &Connection) -> Result<()> {
        if self.wal_pages.load(Ordering::Relaxed) < CHECKPOINT_PAGES {
            return Ok(());
        }
        match self.checkpoint(connection) {
            // What cannot be moved now is moved later: nothing is lost by it.
            Err(Error::Unavailable(_) | Error::DiskFull) => Ok(()),
            moved => moved.map(|_| ()),
        }
    }

    /// The same at the end of a process. Nobody waits for others there.
    pub fn checkpoint_at_close(&self, connection: &Connection) -> Result<()> {
        if std::fs::metadata(&self.wal).map_or(0, |m| m.len()) < CHECKPOINT_ON_CLOSE_BYTES {
            return Ok(());
        }
        connection.busy_timeout(Duration::ZERO)?;
        self.checkpoint_all(connection).map(|_| ())
    }

    /// Moves all of it and empties it; says whether readers were in the way.
    pub fn checkpoint_all(&self, connection: &Connection) -> Result<bool> {
        if !self.checkpoint(connection)? {
            return Ok(true);
        }
        Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?)
    }

    /// Moves what can be moved; says whether that was all. Before the first page changes it is noted which will and to what,
    /// so that a process killed at any moment, a power failure or a full disk leave sums that fit.
    fn checkpoint(&self, connection: &Connection) -> Result<bool> {
        let Some(wal) = Wal::read(&self.wal)?.filter(|wal| wal.frames > 0) else { return Ok(true) };
        let Some(mut table) = Table::read(&self.file)? else {
            return Err(self.damaged("its checksums are missing"));
        };
        if (table.head.salt, table.head.frames) == (wal.salt, wal.frames) && table.in_flux.is_empty() {
            return Ok(true);
        }
        // What is noted is flushed at once. Frames that are not could be gone after a power failure, and their absence would look
        // like damage.
        let flushed = File::open(&self.wal).and_then(|wal| wal.sync_data());
        flushed.map_err(Error::io(format_args!("cannot flush {}", self.wal.display())))?;
        (table.head.salt, table.head.frames) = (wal.salt, wal.frames);
        table.in_flux.clone_from(&wal.pages);
        table.write(&self.file, &self.unfinished)?;
        let moved = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| Ok((row.get(1)?, row.get(2)?)));
        let (frames, done): (i64, i64) = moved?;
        if frames != i64::from(wal.frames) {
            return Err(self.damaged("its write-ahead log is damaged"));
        }
        if done == frames {
            table.pages.resize(wal.database_pages as usize, 0);
            for (page, sum) in std::mem::take(&mut table.in_flux) {
                if let Some(place) = table.pages.get_mut(page as usize - 1) {
                    *place = sum;
                }
            }
        }
        table.head.stamp = self.stamp()?;
        table.write(&self.file, &self.unfinished)?;
        *self.known() = Some(table.head.stamp);
        self.wal_pages.store(0, Ordering::Relaxed);
        Ok(done == frames)
    }

    fn stamp(&self) -> Result<Stamp> {
        Stamp::of(&self.database).ok_or_else(|| Error::Unavailable(format!("{} is gone", self.database.display())))
    }

    fn damaged(&self, what: &str) -> Error {
        let name = self.database.file_name().unwrap_or_default().to_string_lossy();
        Error::Corrupt(format!("{name}: {what}"))
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Option<Stamp>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Finds the one bit that makes a page what its sum says, changes it, and gives the byte it is in.
fn put_right(page: &mut [u8], should: u64) -> Option<usize> {
    for at in 0..page.len() {
        for bit in 0..8 {
            page[at] ^= 1 << bit;
            if sum(page) == should {
                return Some(at);
            }
            page[at] ^= 1 << bit;
        }
    }
    None
}

/// Gives the sum of so many pages of a file; false where one is refused or not whole.
fn read_pages(file: &Path, from: u64, count: u64, mut take: impl FnMut(u64, u64) -> bool) -> Result<bool> {
    let failed = || Error::io(format!("cannot read {}", file.display()));
    let mut opened = File::open(file).map_err(failed())?;
    opened.seek(SeekFrom::Start(from * PAGE_BYTES as u64)).map_err(failed())?;
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, opened.take(count.saturating_mul(PAGE_BYTES as u64)));
    let mut page = vec![0; PAGE_BYTES];
    for number in from.. {
        let mut filled = 0;
        while filled < PAGE_BYTES {
            match reader.read(&mut page[filled..]) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed()(error)),
            }
        }
        if filled == 0 {
            break;
        }
        if filled < PAGE_BYTES || !take(number, sum(&page)) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
