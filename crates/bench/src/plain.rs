//! What the log is held against: a plain SQLite database with the same rows, columns and indexes, and nothing else.

use std::path::Path;

use idetic_core::chain::Secret;
use idetic_core::{Fields, IdKey, SpaceId, Stored, Time, Tip};
use rusqlite::{Connection, TransactionBehavior, params};

use super::records;

/// The tables of the real log; a test holds them against it.
const TABLE: &str = "CREATE TABLE events (seq INTEGER PRIMARY KEY, version INTEGER NOT NULL, id TEXT NOT NULL, \
     key BLOB, recorded_at INTEGER NOT NULL, kind TEXT NOT NULL, commitment BLOB NOT NULL, hash BLOB NOT NULL, \
     sealed BLOB) STRICT";
const INDEX: &str = "CREATE UNIQUE INDEX events_key ON events (key) WHERE key IS NOT NULL";
const INSERT: &str = "INSERT INTO events (seq, version, id, key, recorded_at, kind, commitment, hash, sealed) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

/// A row as the log would write it.
pub struct Row {
    stored: Stored,
    key: Option<IdKey>,
    sealed: Vec<u8>,
}

/// The tables of the log in a database as a careful programmer would set it up.
pub fn open(folder: &Path) -> rusqlite::Result<Connection> {
    let connection = careful(&folder.join("plain.db"))?;
    connection.execute_batch(&format!("{TABLE}; {INDEX}"))?;
    Ok(connection)
}

/// An empty database in WAL mode that flushes every commit.
pub fn careful(file: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

/// The rows that the log makes of the first so many records, made beforehand.
pub fn rows(count: u64, with_ids: bool) -> Vec<Row> {
    let mut tip = Tip::empty(SpaceId([7; 16]));
    (0..count)
        .map(|number| {
            let body = records::record(number, with_ids);
            let fields = Fields::read(&body).expect("our own records are valid");
            let salt = idetic_core::Hash::of(&number.to_le_bytes()).0;
            let sealed = [salt.as_slice(), body.as_bytes()].concat();
            let id = records::caller_id(number);
            let now = Time(1_735_689_600_000_000 + i64::try_from(number).unwrap_or(0));
            let stored = tip.seal(id, fields.kind.clone(), Secret { salt, body }, now);
            tip = stored.tip();
            Row { stored, key: fields.id_key(), sealed }
        })
        .collect()
}

/// One durable transaction. A single row needs no more than its own statement, which is a transaction by itself.
pub fn commit(connection: &mut Connection, rows: &[Row]) -> rusqlite::Result<()> {
    if let [row] = rows {
        return insert(connection, row);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    rows.iter().try_for_each(|row| insert(&transaction, row))?;
    transaction.commit()
}

fn insert(connection: &Connection, row: &Row) -> rusqlite::Result<()> {
    let Row { stored, key, sealed } = row;
    let header = &stored.header;
    connection.prepare_cached(INSERT)?.execute(params![
        header.seq,
        header.version,
        header.id,
        key.as_ref().map(|k| k.0.as_slice()),
        header.recorded_at.0,
        header.kind,
        header.commitment.0.as_slice(),
        stored.hash.0.as_slice(),
        sealed,
    ])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::home::env;
    use idetic_store::{Options, SqliteLog};
    use tempfile::tempdir;

    #[test]
    fn the_plain_database_has_the_tables_of_the_log() {
        let scratch = tempdir().expect("a folder");
        drop(SqliteLog::create(scratch.path(), env(), &Options::default()).expect("a log"));
        let log = Connection::open(scratch.path().join("log.db")).expect("opens");
        let sql = "SELECT sql FROM sqlite_schema WHERE tbl_name = 'events' ORDER BY rowid";
        let mut statement = log.prepare(sql).expect("prepares");
        let found = statement.query_map([], |row| row.get::<_, String>(0)).expect("runs");
        assert_eq!(found.collect::<rusqlite::Result<Vec<_>>>().expect("reads"), [TABLE, INDEX]);
    }

    #[test]
    fn rows_go_in_one_by_one_and_together() {
        let scratch = tempdir().expect("a folder");
        let mut connection = open(scratch.path()).expect("opens");
        let rows = rows(11, true);
        commit(&mut connection, &rows[..1]).expect("commits");
        commit(&mut connection, &rows[1..]).expect("commits");
        let count = |c: &Connection| c.query_row("SELECT count(*) FROM events", [], |row| row.get::<_, u64>(0));
        assert_eq!(count(&connection).expect("counts"), 11);
    }
}
