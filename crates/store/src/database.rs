//! What all our SQLite databases have in common: patience with locks, plans that stay, WAL mode.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{Error, Result};

/// How long SQLite waits for its own locks; ours are taken first, so it rarely has to.
const BUSY: Duration = Duration::from_secs(10);
/// How often the switch is tried, with a pause between: as long as that, all in all.
const TRIES: u32 = 5_000;
const PAUSE: Duration = Duration::from_millis(2);

/// What every connection begins with. SQLite would look at each new value of a parameter for a better plan, and so prepare
/// every statement anew whenever it is used; ours have one good plan whatever the value.
pub fn set_up(connection: &Connection) -> Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Enters WAL mode, also where several processes make the same file at the same moment. Two connections that switch a new file
/// at once would wait for each other for ever, so SQLite refuses one of them at once, without its busy handler: that one tries
/// again here, and finds the switch made.
pub fn enter_wal(connection: &Connection) -> Result<()> {
    let mut left = TRIES;
    loop {
        match switch(connection) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && left > 0 => {
                left -= 1;
                std::thread::sleep(PAUSE);
            }
            Ok(modes) if modes == ["wal"] => return Ok(()),
            Ok(modes) => {
                return Err(Error::Unavailable(format!(
                    "the database cannot be switched to WAL mode, it stays in {modes:?}"
                )));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// SQLite commits the switch only after it has given its one row, so the statement is run to its end: stopped at the
/// row, a failure would go unseen and the database would be written through a rollback journal.
fn switch(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA journal_mode = WAL")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Lets a connection leave all checkpoints to others.
pub fn leave_checkpoints(connection: &Connection) -> Result<()> {
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(())
}

/// A connection that reads. `alone` without looking for others or their write-ahead log, for where no file can be made.
pub fn open_read_only(file: &Path, alone: bool) -> Result<Connection> {
    if !alone {
        roll_back(file);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let path = file.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let immutable = if alone { "&immutable=1" } else { "" };
    let connection = Connection::open_with_flags(format!("file:{path}?mode=ro{immutable}"), flags)?;
    set_up(&connection)?;
    leave_checkpoints(&connection)?;
    Ok(connection)
}

/// Undoes what was cut short while the file was made, before it was in WAL mode: a connection that only reads would refuse it.
/// Where nothing can be written, that refusal says so.
fn roll_back(file: &Path) {
    if beside(file, JOURNAL).exists()
        && let Ok(connection) = Connection::open(file)
        && set_up(&connection).is_ok()
    {
        let _ = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    }
}

/// Copies a whole database into another. What is locked is not copied, and that is no success.
pub fn copy_all(from: &Connection, to: &mut Connection) -> Result<()> {
    let step = Backup::new(from, to)?.step(-1)?;
    if step != StepResult::Done {
        return Err(Error::Unavailable(format!("a database could not be copied: {step:?}")));
    }
    Ok(())
}

/// What the rollback journal of a database ends in.
const JOURNAL: &str = "-journal";
/// What the file with the checksums of a database ends in.
pub const SUMS: &str = "-sums";
/// What it ends in while it is written.
pub const SUMS_UNFINISHED: &str = "-sums.unfinished";

/// A file beside a database.
pub fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Removes a database with what SQLite keeps beside it, and its checksums.
pub fn remove(file: &Path) -> Result<()> {
    for suffix in ["", "-wal", "-shm", JOURNAL, SUMS, SUMS_UNFINISHED] {
        let name = beside(file, suffix);
        match std::fs::remove_file(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(format_args!("cannot remove {}", name.display()))(error));
            }
            _ => {}
        }
    }
    Ok(())
}
