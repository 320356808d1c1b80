//! Puts a database into WAL mode, also where several processes make the same file at the same moment.

use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

use crate::{Error, Result};

/// How long SQLite waits for its own locks; ours are taken first, so it rarely has to.
pub const BUSY: Duration = Duration::from_secs(10);
/// How often the switch is tried, with a pause between: as long as that, all in all.
const TRIES: u32 = 5_000;
const PAUSE: Duration = Duration::from_millis(2);

/// Enters WAL mode. Two connections that switch a new file at once would wait for each other for ever, so SQLite refuses
/// one of them at once, without its busy handler: that one tries again here, and finds the switch made.
pub fn enter(connection: &Connection) -> Result<()> {
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
                    "the database cannot be put into WAL mode, it stays in {modes:?}"
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
