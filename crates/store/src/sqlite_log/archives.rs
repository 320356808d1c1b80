//! Archives: the beginning of a log, moved out of its database into compressed files beside it.
//!
//! A file is written beside its name, flushed and renamed before the transaction that takes its events out of the database
//! and records the file. Killed in between, the file is one too many and the database still has everything.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use idetic_core::chain::Fault;
use idetic_core::{Hash, Stored, Time, Tip};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::schema;
use crate::archive_file::{self as file, Contents};
use crate::log::{Archive, Problem};
use crate::{Error, Result};

const FOLDER: &str = "archive";
const UNFINISHED: &str = "tmp";
const COLUMNS: &str = "first, last, file, before, after, recorded_at, sum, erased";

/// The archive files of a log, and the one that was read last.
pub struct Archives {
    folder: PathBuf,
    kept: Mutex<Option<(Hash, Arc<Contents>)>>,
}

/// A file as the database knows it.
#[derive(Debug, Clone)]
pub struct ArchiveFile {
    pub first: u64,
    pub last: u64,
    pub file: String,
    /// The hash before the first event.
    before: Hash,
    /// The hash of the last event.
    pub after: Hash,
    /// When the last event was written.
    pub recorded_at: Time,
    /// BLAKE3 of the file.
    sum: Hash,
    /// How many of its events have lost their bodies.
    pub erased: u64,
}

impl ArchiveFile {
    fn of(row: &Row) -> rusqlite::Result<Self> {
        Ok(Self {
            first: row.get(0)?,
            last: row.get(1)?,
            file: row.get(2)?,
            before: Hash(row.get(3)?),
            after: Hash(row.get(4)?),
            recorded_at: Time(row.get(5)?),
            sum: Hash(row.get(6)?),
            erased: row.get(7)?,
        })
    }
}

impl Archives {
    /// The archive files beside a log.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.join(FOLDER), kept: Mutex::default() }
    }

    /// The file that holds an event.
    pub fn entry(&self, connection: &Connection, seq: u64) -> Result<Option<ArchiveFile>> {
        if !schema::has_archives(connection)? {
            return Ok(None);
        }
        let sql = format!("SELECT {COLUMNS} FROM archives WHERE first <= ?1 ORDER BY first DESC LIMIT 1");
        let entry = connection.prepare_cached(&sql)?.query_row([seq], ArchiveFile::of).optional()?;
        Ok(entry.filter(|entry| seq <= entry.last))
    }

    /// Every file, in order.
    pub fn entries(&self, connection: &Connection) -> Result<Vec<ArchiveFile>> {
        if !schema::has_archives(connection)? {
            return Ok(Vec::new());
        }
        let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM archives ORDER BY first"))?;
        Ok(statement.query_map([], ArchiveFile::of)?.collect::<rusqlite::Result<_>>()?)
    }

    /// The tip after an archived event: `None` when it is not archived.
    pub fn tip_at(&self, connection: &Connection, space: idetic_core::SpaceId, seq: u64) -> Result<Option<Tip>> {
        let Some(entry) = self.entry(connection, seq)? else { return Ok(None) };
        if seq == entry.last {
            return Ok(Some(Tip { space, seq, hash: entry.after, recorded_at: entry.recorded_at }));
        }
        self.read(connection, space, seq, 1).map(|events| events.first().map(Stored::tip))
    }

    /// Archived events from a number on, up to so many: fewer where the archives end.
    pub fn read(
        &self,
        connection: &Connection,
        space: idetic_core::SpaceId,
        from: u64,
        count: u64,
    ) -> Result<Vec<Stored>> {
        let (mut next, end) = (from, from.saturating_add(count));
        let mut events = Vec::new();
        while next < end {
            let Some(entry) = self.entry(connection, next)? else { break };
            let contents = self.contents(connection, space, &entry)?;
            let (skip, until) = ((next - entry.first) as usize, (end.min(entry.last + 1) - entry.first) as usize);
            if let Some((seq, fault)) = contents.damage.filter(|_| contents.events.len() < until) {
                return Err(Error::Damaged { seq: seq.max(next), fault });
            }
            events.extend_from_slice(&contents.events[skip..until]);
            next = entry.last + 1;
        }
        Ok(events)
    }

    /// What a file holds, from the last reading if that was of the same bytes.
    fn contents(
        &self,
        connection: &Connection,
        space: idetic_core::SpaceId,
        entry: &ArchiveFile,
    ) -> Result<Arc<Contents>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, contents)) = kept.as_ref().filter(|(sum, _)| *sum == entry.sum) {
            return Ok(Arc::clone(contents));
        }
        let damaged = |fault| Error::Damaged { seq: entry.first, fault };
        let before = match entry.first - 1 {
            0 => Tip::empty(space),
            seq => match self.entry(connection, seq)?.filter(|before| before.last == seq) {
                Some(before) => Tip { space, seq, hash: before.after, recorded_at: before.recorded_at },
                None => return Err(damaged(Fault::Number)),
            },
        };
        if before.hash != entry.before {
            return Err(damaged(Fault::Link));
        }
        let after = Tip { space, seq: entry.last, hash: entry.after, recorded_at: entry.recorded_at };
        let bytes = file::read(&self.folder.join(&entry.file)).map_err(|error| match error.kind() {
            ErrorKind::NotFound => damaged(Fault::Archive),
            _ => Error::io(format_args!("cannot read {FOLDER}/{}", entry.file))(error),
        })?;
        let contents = Arc::new(file::decode(&bytes, before, after));
        if contents.damage.is_none() {
            *kept = Some((entry.sum, Arc::clone(&contents)));
        }
        Ok(contents)
    }

    /// Writes a file that holds these events, and flushes it and its name. It counts once it is recorded.
    pub fn write(&self, events: &[Stored]) -> Result<ArchiveFile> {
        let bytes = file::encode(events)?;
        let (Some(first), Some(last)) = (events.first(), events.last()) else {
            return Err(Error::Unavailable("an archive file holds at least one event".to_owned()));
        };
        let sum = Hash::of(&bytes);
        let entry = ArchiveFile {
            first: first.header.seq,
            last: last.header.seq,
            file: format!("{:010}-{:010}-{}.events.gz", first.header.seq, last.header.seq, &sum.to_string()[..16]),
            before: first.header.prev_hash,
            after: last.hash,
            recorded_at: last.header.recorded_at,
            sum,
            erased: events.iter().filter(|event| event.secret.is_none()).count() as u64,
        };
        self.put(&entry.file, &bytes).map_err(Error::io(format_args!("cannot write {FOLDER}/{}", entry.file)))?;
        Ok(entry)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        // Also where it was there: whoever made it may have been killed before they had flushed its name.
        File::open(self.folder.parent().unwrap_or(&self.folder))?.sync_all()?;
        let beside = self.folder.join(format!("{name}.{UNFINISHED}"));
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&beside, self.folder.join(name))?;
        File::open(&self.folder)?.sync_all()
    }

    /// Takes a file away for good; one that is gone already is no error.
    pub fn remove(&self, name: &str) -> Result<()> {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let failed = || Error::io(format!("cannot remove {FOLDER}/{name}"));
        match std::fs::remove_file(self.folder.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            removed => removed.map_err(failed())?,
        }
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(failed())
    }

    /// Flushes which files there are.
    pub fn flush(&self) -> Result<()> {
        match File::open(&self.folder).and_then(|folder| folder.sync_all()) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::io(format!("cannot flush {FOLDER}"))(error))
            }
            _ => Ok(()),
        }
    }

    /// Files that a process left behind when it was killed: unfinished ones, and those whose events this log has
    /// elsewhere. What belongs to another log, or cannot be read, is not ours to take away.
    pub fn left_behind(
        &self,
        connection: &Connection,
        space: idetic_core::SpaceId,
        hash_of: impl Fn(u64) -> Option<Hash>,
    ) -> Result<Vec<String>> {
        let recorded: Vec<String> = self.entries(connection)?.into_iter().map(|entry| entry.file).collect();
        let mut left = Vec::new();
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            if recorded.contains(&name) || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
                continue;
            }
            let is_ours = name.ends_with(&format!(".events.gz.{UNFINISHED}"))
                || name.ends_with(".events.gz")
                    && file::read(&self.folder.join(&name))
                        .ok()
                        .and_then(|bytes| file::opening(&bytes))
                        .is_some_and(|opening| opening.is_of(space) && hash_of(opening.last) == Some(opening.after));
            if is_ours {
                left.push(name);
            }
        }
        Ok(left)
    }

    /// Every file against its checksum.
    pub fn check(&self, connection: &Connection) -> Result<Vec<Problem>> {
        let mut problems = Vec::new();
        for entry in self.entries(connection)? {
            let found = file::read(&self.folder.join(&entry.file));
            let wrong = match found {
                Ok(bytes) if Hash::of(&bytes) == entry.sum => continue,
                Ok(_) => "does not match its checksum".to_owned(),
                Err(error) if error.kind() == ErrorKind::NotFound => "is missing".to_owned(),
                Err(error) => format!("cannot be read: {error}"),
            };
            problems.push(Problem { seq: Some(entry.first), message: format!("{FOLDER}/{} {wrong}", entry.file) });
        }
        Ok(problems)
    }

    /// The file as others are told of it.
    pub fn described(&self, entry: ArchiveFile) -> Archive {
        let bytes = std::fs::metadata(self.folder.join(&entry.file)).map_or(0, |data| data.len());
        let ArchiveFile { first, last, erased, .. } = entry;
        Archive { first, last, file: format!("{FOLDER}/{}", entry.file), bytes, erased }
    }
}

/// Takes the events of a file out of the database and records the file, in the transaction that is open.
pub fn record(connection: &Connection, entry: &ArchiveFile) -> Result<()> {
    schema::add_archives(connection)?;
    let ends: (Option<u64>, Option<Vec<u8>>) = connection.query_row(
        "SELECT (SELECT min(seq) FROM events), (SELECT hash FROM events WHERE seq = ?1)",
        [entry.last],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if ends != (Some(entry.first), Some(entry.after.0.to_vec())) {
        return Err(Error::Unavailable("the log was changed while it was being archived".to_owned()));
    }
    let range = params![entry.first, entry.last];
    connection.execute(
        "INSERT INTO archived_keys SELECT key, seq FROM events WHERE seq BETWEEN ?1 AND ?2 AND key IS NOT NULL",
        range,
    )?;
    connection.execute("DELETE FROM events WHERE seq BETWEEN ?1 AND ?2", range)?;
    connection.execute(
        &format!("INSERT INTO archives ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"),
        params![
            entry.first,
            entry.last,
            entry.file,
            entry.before.0.as_slice(),
            entry.after.0.as_slice(),
            entry.recorded_at.0,
            entry.sum.0.as_slice(),
            entry.erased
        ],
    )?;
    Ok(())
}

/// Records that a file holds less than the one it takes the place of.
pub fn exchange(connection: &Connection, old: &ArchiveFile, new: &ArchiveFile) -> Result<()> {
    let changed = connection.execute(
        "UPDATE archives SET file = ?3, sum = ?4, erased = ?5 WHERE first = ?1 AND file = ?2",
        params![old.first, old.file, new.file, new.sum.0.as_slice(), new.erased],
    )?;
    if changed == 1 {
        Ok(())
    } else {
        Err(Error::Unavailable("the archive was changed while it was being erased".to_owned()))
    }
}
