//! Moves the log of a space from its folder to a database, or back, while others write.
//!
//! First all of it is copied, which may take long. Then nobody can append while the rest is copied, and the log is given up
//! where it was: at no moment do two logs take events. A move that was stopped is finished by doing it again.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use idetic_core::{SpaceName, Tip};

use crate::pg_log::{Database, PgLog};
use crate::sqlite_log::{Options, SqliteLog, given_up};
use crate::{Conflict, Env, Error, Log, Logs, Result, archive_file, make_folder};

/// Where a copy is made, in the folder of its space: its lock and its head are not those of the log that is copied.
const COPY: &str = "moving";
const LOG: &str = "log.db";

/// A move of logs from one place to the other.
pub struct Move {
    database: Arc<Database>,
    is_into_database: bool,
    env: Env,
}

/// How far a log was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// The last event.
    pub tip: Tip,
    /// What had been erased before.
    erased: Erased,
}

/// A log that is to be moved.
enum Source {
    Folder(SqliteLog),
    Database(PgLog),
}

impl Source {
    fn log(&self) -> &dyn Log {
        match self {
            Self::Folder(log) => log,
            Self::Database(log) => log,
        }
    }

    fn give_up(&self, take: &mut dyn FnMut(&Tip) -> Result<()>) -> Result<()> {
        match self {
            Self::Folder(log) => log.give_up(take),
            Self::Database(log) => log.give_up(take),
        }
    }
}

/// The mark of the last erasure in the log, and how often something was erased in the folder of its space.
type Erased = (u64, u64);

impl Move {
    /// A move from one place to the other; `None` where both are folders or both are databases.
    pub fn between(from: &Logs, to: &Logs, env: Env) -> Option<Self> {
        let (database, is_into_database) = match (from.shared_database(), to.shared_database()) {
            (None, Some(database)) => (database, true),
            (Some(database), None) => (database, false),
            _ => return None,
        };
        Some(Self { database, is_into_database, env })
    }

    /// Copies the log of a space. `None` where there is none, or none any more because it was moved before. `erasures` tells
    /// how often something was erased in its folder.
    pub fn copy(
        &self,
        space: &SpaceName,
        folder: &Path,
        erasures: &dyn Fn() -> u64,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Option<Copied>> {
        let Some(log) = self.source(space, folder)? else {
            self.finish(folder)?;
            return Ok(None);
        };
        if self.is_into_database {
            // What an earlier try knew of a database may be of another.
            remove_copy(folder)?;
        }
        let erased = erased(log.log(), erasures)?;
        let tip = log.log().tip()?;
        let copy = self.target(space, folder)?;
        // What an earlier try had copied may have been erased since.
        erase_too(log.log(), &*copy)?;
        pump(log.log(), &*copy, &tip, progress)?;
        Ok(Some(Copied { tip, erased }))
    }

    /// Copies what came since, and gives the log up where it was.
    pub fn switch(&self, space: &SpaceName, folder: &Path, erasures: &dyn Fn() -> u64, copied: &Copied) -> Result<Tip> {
        let log = self.source(space, folder)?.ok_or(Error::Shortened { have: 0, had: copied.tip.seq })?;
        let mut moved = copied.tip;
        log.give_up(&mut |tip| {
            let copy = self.target(space, folder)?;
            if erased(log.log(), erasures)? != copied.erased {
                erase_too(log.log(), &*copy)?;
            }
            pump(log.log(), &*copy, tip, &mut |_, _| {})?;
            moved = *tip;
            drop(copy);
            if self.is_into_database { Ok(()) } else { put_in_place(folder, self.env.clone()) }
        })?;
        drop(log);
        self.finish(folder)?;
        Ok(moved)
    }

    /// Removes what a move leaves behind once the log is given up.
    fn finish(&self, folder: &Path) -> Result<()> {
        if self.is_into_database && given_up::is_set_aside(folder) {
            given_up::finish(folder, &self.database.address())?;
        }
        remove_copy(folder)
    }

    /// The log that is to be moved.
    fn source(&self, space: &SpaceName, folder: &Path) -> Result<Option<Source>> {
        if self.is_into_database {
            if given_up::refuse(folder).is_err() {
                return Ok(None);
            }
            let log = SqliteLog::open(folder, self.env.clone(), &Options::default())?;
            return Ok(log.map(Source::Folder));
        }
        let name = space.to_string();
        if !PgLog::spaces(&self.database)?.contains(&name) {
            return Ok(None);
        }
        let log = PgLog::open(Arc::clone(&self.database), &name, folder, self.env.clone())?;
        Ok(log.map(Source::Database))
    }

    /// Its copy, as far as there is one.
    fn target(&self, space: &SpaceName, folder: &Path) -> Result<Box<dyn Log>> {
        let copy = folder.join(COPY);
        if self.is_into_database {
            make_folder(&copy)?;
            let database = Arc::clone(&self.database);
            return Ok(Box::new(PgLog::create(database, &space.to_string(), &copy, self.env.clone())?));
        }
        if SqliteLog::is_begun(folder) {
            if !copy.is_dir() {
                return Err(Error::Conflict(Conflict::Occupied { folder: folder.to_owned() }));
            }
            // It was stopped after the copy had been put in its place, and before the database had given the log up.
            rename(&folder.join(LOG), &copy.join(LOG))?;
        }
        make_folder(&copy)?;
        Ok(Box::new(SqliteLog::create(&copy, self.env.clone(), &Options::default())?))
    }
}

fn erased(log: &dyn Log, erasures: &dyn Fn() -> u64) -> Result<Erased> {
    Ok((log.tip_and_mark()?.1, erasures()))
}

/// Copies the events up to a tip, and makes sure that the copy ends with the same one.
fn pump(from: &dyn Log, to: &dyn Log, tip: &Tip, progress: &mut dyn FnMut(u64, u64)) -> Result<()> {
    let mut copied = to.tip()?;
    if let 1.. = copied.seq {
        let there = from.read(copied.seq, 1)?.pop().map(|event| (event.header.space, event.hash));
        if there != Some((copied.space, copied.hash)) {
            return Err(Error::Conflict(Conflict::Diverged { seq: copied.seq }));
        }
    }
    while copied.seq < tip.seq {
        copied = to.graft(&archive_file::gather(from, copied.seq + 1, tip.seq)?)?.0;
        progress(copied.seq, tip.seq);
    }
    if copied == *tip || tip.seq == 0 && copied.seq == 0 {
        return Ok(());
    }
    Err(Error::Conflict(Conflict::Diverged { seq: copied.seq }))
}

/// Erases in a copy what was erased in the log.
fn erase_too(log: &dyn Log, copy: &dyn Log) -> Result<()> {
    let (last, mut gone) = (copy.tip()?.seq, BTreeSet::new());
    let mut next = 1;
    while next <= last {
        let events = archive_file::gather(log, next, last)?;
        next += events.len() as u64;
        gone.extend(events.iter().filter(|event| event.secret.is_none()).map(|event| event.header.seq));
    }
    if gone.is_empty() { Ok(()) } else { copy.erase(&gone).map(drop) }
}

/// Makes the copy the log of its folder.
fn put_in_place(folder: &Path, env: Env) -> Result<()> {
    let copy = folder.join(COPY);
    let log = SqliteLog::open(&copy, env, &Options::default())?;
    log.as_ref().map_or(Ok(()), SqliteLog::fold)?;
    drop(log);
    given_up::remove_note(folder)?;
    rename(&copy.join(LOG), &folder.join(LOG))
}

/// Renames a file and flushes both names.
fn rename(from: &Path, to: &Path) -> Result<()> {
    let flush = |path: &Path| path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all());
    let renamed = fs::rename(from, to).and_then(|()| flush(to)).and_then(|()| flush(from));
    renamed.map_err(Error::io(format_args!("cannot move {} to {}", from.display(), to.display())))
}

fn remove_copy(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder.join(COPY)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io(format_args!("cannot remove {}", folder.join(COPY).display()))(error))
        }
        _ => Ok(()),
    }
}
