//! Moves the log of a space from its folder to a database, or back, while others write.
//!
//! First all of it is copied, which may take long. Then, while nobody can append or erase, the rest is copied and the log is given
//! up where it was; only then is the copy a log. So events are taken in one place or in none, never in two, and a move that was
//! stopped is finished by doing it again.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use idetic_core::{SpaceName, Tip};

use crate::folders::flush_names;
use crate::pg_log::{Database, PgLog};
use crate::sqlite_log::{Options, SqliteLog, given_up};
use crate::{Conflict, Env, Error, Log, Logs, Result, archive_file, make_folder};

/// Where a copy is made, in the folder of its space: its lock and its head are not those of the log that is copied.
pub const COPY_OF_LOG: &str = "moving";
const LOG: &str = "log.db";
/// Beside it: the address of the database that it is moved to or from.
const PLACE: &str = "database";
/// What may lie beside it.
const WAL: [&str; 2] = ["log.db-wal", "log.db-shm"];
/// The names above a space: those of its collection, of its user and of all users.
const NAMES: usize = 3;

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
    erased: u64,
}

/// A log that is to be moved.
enum Source {
    Folder(Box<SqliteLog>),
    Database(Box<PgLog>),
}

impl Source {
    fn log(&self) -> &dyn Log {
        match self {
            Self::Folder(log) => &**log,
            Self::Database(log) => &**log,
        }
    }

    /// Another number means that something was erased since.
    fn erased(&self) -> Result<u64> {
        match self {
            Self::Folder(log) => log.count_erased(),
            Self::Database(log) => Ok(log.tip_and_mark()?.1),
        }
    }

    fn give_up(&self, take: &mut dyn FnMut(&Tip) -> Result<()>) -> Result<()> {
        match self {
            Self::Folder(log) => log.give_up(take),
            Self::Database(log) => log.give_up(take),
        }
    }
}

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

    /// Whether logs go from folders into a database.
    pub fn is_into_database(&self) -> bool {
        self.is_into_database
    }

    /// Copies the log of a space. `None` where there is none, or none any more because it was moved before.
    pub fn copy(&self, space: &SpaceName, folder: &Path, progress: &mut dyn FnMut(u64, u64)) -> Result<Option<Copied>> {
        self.refuse_other_copy(space, folder)?;
        let Some(source) = self.source(space, folder)? else {
            self.finish(space, folder)?;
            return Ok(None);
        };
        if self.is_into_database {
            // What an earlier try knew of a database may be of another.
            remove_copy(folder)?;
        }
        let (erased, log) = (source.erased()?, source.log());
        let tip = log.tip()?;
        let copy = self.target(space, folder)?;
        refuse_another(log, &*copy, &tip)?;
        // What an earlier try had copied may have been erased since.
        erase_too(log, &*copy)?;
        pump(log, &*copy, &tip, progress)?;
        Ok(Some(Copied { tip, erased }))
    }

    /// Copies what came since, and gives the log up where it was, unless `check` refuses it at the last moment.
    pub fn switch(
        &self,
        space: &SpaceName,
        folder: &Path,
        copied: &Copied,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Tip> {
        let source = self.source(space, folder)?.ok_or(Error::Shortened { have: 0, had: copied.tip.seq })?;
        let mut moved = copied.tip;
        source.give_up(&mut |tip| {
            check()?;
            let (log, copy) = (source.log(), self.target(space, folder)?);
            refuse_another(log, &*copy, tip)?;
            if source.erased()? != copied.erased {
                erase_too(log, &*copy)?;
            }
            pump(log, &*copy, tip, &mut |_, _| {})?;
            moved = *tip;
            drop(copy);
            if self.is_into_database { Ok(()) } else { self.put_in_place(folder) }
        })?;
        drop(source);
        self.finish(space, folder)?;
        Ok(moved)
    }

    /// Whether the log of a space is where it is moved to: then nothing is to be cancelled any more.
    pub fn is_done(&self, folder: &Path) -> bool {
        let is_noted = given_up::refuse(folder).is_err();
        if self.is_into_database { is_noted } else { !is_noted && SqliteLog::has_events(folder) }
    }

    /// Removes what a move that was stopped has copied of a log. The log stays where it is.
    pub fn cancel(&self, space: &SpaceName, folder: &Path) -> Result<()> {
        self.refuse_other_copy(space, folder)?;
        if self.is_done(folder) {
            return Err(Error::Unavailable(format!(
                "{space} was given up where it was: its move can only be finished"
            )));
        }
        let is_copied = match self.is_into_database {
            true => PgLog::is_begun_copy(&self.database, &space.to_string())?,
            false => folder.join(COPY_OF_LOG).join(LOG).exists() || SqliteLog::is_begun(folder),
        };
        if is_copied && let Some(source) = self.source(space, folder)? {
            // What is more, or another's, is not ours to remove.
            let (log, copy) = (source.log(), self.target(space, folder)?);
            refuse_another(log, &*copy, &log.tip()?)?;
            drop(copy);
            if self.is_into_database {
                self.copy_in_database(space, folder)?.cancel()?;
            }
        }
        remove_copy(folder)
    }

    /// Refuses what a move of the same log to or from another database has begun: it would be forgotten there.
    fn refuse_other_copy(&self, space: &SpaceName, folder: &Path) -> Result<()> {
        match fs::read_to_string(folder.join(COPY_OF_LOG).join(PLACE)) {
            Ok(place) if !place.is_empty() && place != self.database.address() => Err(Error::Unavailable(format!(
                "a move of {space} to or from {place} was not finished: finish it first, or add --cancel to it"
            ))),
            _ => Ok(()),
        }
    }

    /// What is left to do once the log is given up where it was.
    fn finish(&self, space: &SpaceName, folder: &Path) -> Result<()> {
        let address = self.database.address();
        if self.is_into_database && given_up::is_set_aside(folder) {
            // Its head in the folder tells whether the database has all of it.
            let (database, env) = (Arc::clone(&self.database), self.env.clone());
            PgLog::moved(database, &space.to_string(), folder, env)?.complete()?;
            given_up::finish(folder, address)?;
        }
        if !self.is_into_database && SqliteLog::is_begun(folder) {
            given_up::remove_note(folder)?;
        }
        remove_copy(folder)
    }

    /// The log that is to be moved.
    fn source(&self, space: &SpaceName, folder: &Path) -> Result<Option<Source>> {
        let is_begun = SqliteLog::is_begun(folder);
        let note = given_up::note(folder).filter(|_| self.is_into_database || is_begun);
        if let Some(place) = note.filter(|place| place != self.database.address()) {
            return Err(Error::Elsewhere { place });
        }
        if self.is_into_database {
            let is_there = || Ok::<_, Error>(PgLog::spaces(&self.database)?.contains(&space.to_string()));
            // One without events is what `init` made before the log was in the database.
            if given_up::refuse(folder).is_err() || !SqliteLog::has_events(folder) && is_there()? {
                return Ok(None);
            }
            let log = SqliteLog::open(folder, self.env.clone(), &Options::default())?;
            return Ok(log.map(|log| Source::Folder(Box::new(log))));
        }
        let name = space.to_string();
        if !PgLog::spaces(&self.database)?.contains(&name) {
            return Ok(None);
        }
        let log = PgLog::open(Arc::clone(&self.database), &name, folder, self.env.clone())?;
        Ok(log.map(|log| Source::Database(Box::new(log))))
    }

    /// Its copy, as far as there is one.
    fn target(&self, space: &SpaceName, folder: &Path) -> Result<Box<dyn Log>> {
        let copy = folder.join(COPY_OF_LOG);
        make_folder(&copy)?;
        fs::write(copy.join(PLACE), self.database.address())
            .map_err(Error::io(format_args!("cannot write in {}", copy.display())))?;
        if self.is_into_database {
            return Ok(Box::new(self.copy_in_database(space, folder)?));
        }
        let is_noted = given_up::note(folder).is_some();
        if !is_noted && SqliteLog::has_events(folder) {
            return Err(Error::Conflict(Conflict::Occupied { folder: folder.to_owned() }));
        }
        if is_noted && SqliteLog::is_begun(folder) {
            // It was stopped after the copy had been put in its place, and before the database had given the log up.
            remove_files(&copy, &WAL)?;
            rename(&folder.join(LOG), &copy.join(LOG))?;
        }
        Ok(Box::new(SqliteLog::create(&copy, self.env.clone(), &Options::default())?))
    }

    fn copy_in_database(&self, space: &SpaceName, folder: &Path) -> Result<PgLog> {
        let (database, env) = (Arc::clone(&self.database), self.env.clone());
        PgLog::copy(database, &space.to_string(), &folder.join(COPY_OF_LOG), env)
    }

    /// Puts the copy where the log of its folder lies. Until the database has given the log up, a note says that it is none.
    fn put_in_place(&self, folder: &Path) -> Result<()> {
        let copy = folder.join(COPY_OF_LOG);
        let log = SqliteLog::open(&copy, self.env.clone(), &Options::default())?;
        log.as_ref().map_or(Ok(()), SqliteLog::fold)?;
        drop(log);
        given_up::write_note(folder, self.database.address())?;
        given_up::clear(folder)?;
        rename(&copy.join(LOG), &folder.join(LOG))?;
        flush_names(folder, folder.ancestors().nth(NAMES).unwrap_or(folder))
    }
}

/// Refuses a copy that is not one of this log, before anything in it is changed.
fn refuse_another(log: &dyn Log, copy: &dyn Log, tip: &Tip) -> Result<()> {
    let copied = copy.tip()?;
    let same = match copied.seq {
        0 => return Ok(()),
        seq if seq > tip.seq => None,
        seq => log.read(seq, 1)?.pop().map(|event| (event.header.space, event.hash)),
    };
    match same == Some((copied.space, copied.hash)) {
        true => Ok(()),
        false => Err(Error::Conflict(Conflict::Diverged { seq: copied.seq })),
    }
}

/// Copies the events up to a tip, and makes sure that the copy ends with the same one.
fn pump(from: &dyn Log, to: &dyn Log, tip: &Tip, progress: &mut dyn FnMut(u64, u64)) -> Result<()> {
    let mut copied = to.tip()?;
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

/// Renames a file and flushes both names.
fn rename(from: &Path, to: &Path) -> Result<()> {
    let flush = |path: &Path| path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all());
    let renamed = fs::rename(from, to).and_then(|()| flush(to)).and_then(|()| flush(from));
    renamed.map_err(Error::io(format_args!("cannot move {} to {}", from.display(), to.display())))
}

/// Removes files where they are there, flushed.
fn remove_files(folder: &Path, names: &[&str]) -> Result<()> {
    let removed = names.iter().try_for_each(|name| match fs::remove_file(folder.join(name)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    });
    let flushed = removed.and_then(|()| File::open(folder)?.sync_all());
    flushed.map_err(Error::io(format_args!("cannot remove a copy in {}", folder.display())))
}

fn remove_copy(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder.join(COPY_OF_LOG)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::io(format_args!("cannot remove {}", folder.join(COPY_OF_LOG).display()))(error))
        }
        _ => Ok(()),
    }
}
