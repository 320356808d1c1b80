//! The tables of `log.db`, for ever. What they mean is written down in docs/format.md.

use rusqlite::{Connection, TransactionBehavior};

use crate::{Error, Result};

/// "idtc", so that `file` and other tools can tell.
const APPLICATION_ID: i32 = 0x6964_7463;
/// The version of a log of which nothing was archived, and of one with archives.
const PLAIN_VERSION: i32 = 1;
const SCHEMA_VERSION: i32 = 2;

const SPACE: &str = "CREATE TABLE space (one INTEGER PRIMARY KEY CHECK (one = 1), id BLOB NOT NULL) STRICT";
const EVENTS: &str = "CREATE TABLE events (seq INTEGER PRIMARY KEY, version INTEGER NOT NULL, id TEXT NOT NULL, \
     key BLOB, recorded_at INTEGER NOT NULL, kind TEXT NOT NULL, commitment BLOB NOT NULL, hash BLOB NOT NULL, \
     sealed BLOB) STRICT";
const EVENTS_KEY: &str = "CREATE UNIQUE INDEX events_key ON events (key) WHERE key IS NOT NULL";

const ARCHIVES: &str = "CREATE TABLE archives (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, file TEXT NOT NULL, \
     before BLOB NOT NULL, after BLOB NOT NULL, recorded_at INTEGER NOT NULL, sum BLOB NOT NULL, erased INTEGER NOT NULL) \
     STRICT";
const ARCHIVED_KEYS: &str =
    "CREATE TABLE archived_keys (key BLOB PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID";

/// Whether the file holds nothing yet.
pub fn is_blank(connection: &Connection) -> Result<bool> {
    Ok(connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?)
}

/// Creates the tables and the space's id.
pub fn create(connection: &mut Connection, space: &[u8; 16]) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for sql in [SPACE, EVENTS, EVENTS_KEY] {
        transaction.execute(sql, [])?;
    }
    transaction.execute("INSERT INTO space VALUES (1, ?1)", [space.as_slice()])?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", PLAIN_VERSION)?;
    Ok(transaction.commit()?)
}

/// Refuses a file whose tables are not exactly ours: a changed definition gives wrong answers without an error.
pub fn check(connection: &Connection) -> Result<()> {
    // In no order: SQLite writes them in another one when it makes the file smaller.
    let mut statement = connection.prepare("SELECT sql FROM sqlite_schema ORDER BY sql")?;
    let found = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application == APPLICATION_ID && version > SCHEMA_VERSION {
        let newer = format!("log.db has schema {version}, this program knows {SCHEMA_VERSION}: use a newer program");
        return Err(Error::Unavailable(newer));
    }
    let mut tables = match version {
        SCHEMA_VERSION => vec![SPACE, EVENTS, EVENTS_KEY, ARCHIVES, ARCHIVED_KEYS],
        _ => vec![SPACE, EVENTS, EVENTS_KEY],
    };
    tables.sort_unstable();
    if found != tables || application != APPLICATION_ID || ![PLAIN_VERSION, SCHEMA_VERSION].contains(&version) {
        return Err(Error::Corrupt("log.db does not hold the tables of a log".to_owned()));
    }
    Ok(())
}

/// Makes the transaction that is open write a page, and so flush when it is committed, without changing anything. SQLite
/// leaves out a row that is updated to what it was; the version in the file's header it always writes.
pub fn touch(connection: &Connection) -> Result<()> {
    let version: i32 = connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?;
    Ok(connection.pragma_update(None, "user_version", version)?)
}

/// Whether anything was ever archived.
pub fn has_archives(connection: &Connection) -> Result<bool> {
    let version: i32 = connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?;
    Ok(version >= SCHEMA_VERSION)
}

/// Adds the tables of archives in the transaction that is open, where they are not there yet. From then on a program that
/// does not know them refuses the log.
pub fn add_archives(connection: &Connection) -> Result<()> {
    if has_archives(connection)? {
        return Ok(());
    }
    for sql in [ARCHIVES, ARCHIVED_KEYS] {
        connection.execute(sql, [])?;
    }
    Ok(connection.pragma_update(None, "user_version", SCHEMA_VERSION)?)
}
