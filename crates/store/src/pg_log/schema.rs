//! The tables in PostgreSQL, and how they came about. What they mean is written down in docs/format.md.

use tokio_postgres::types::Type;

use super::connection::{Connection, Health, begin_writing};
use crate::{Error, Result};

/// The version of the tables that this program makes and uses.
const VERSION: i32 = 4;
/// The oldest program that may use them, by the version it makes.
const OLDEST: i32 = 1;
/// How often the tables are tried to be made while others make them, too.
const TRIES: usize = 10;

/// Where it is written down which version there is. Two that make it at once: one fails and finds it made.
const LEDGER: &str = "CREATE SCHEMA IF NOT EXISTS idetic; \
     CREATE TABLE IF NOT EXISTS idetic.schema_versions (\
     version integer PRIMARY KEY, oldest integer NOT NULL, made_at timestamptz NOT NULL DEFAULT now())";

/// What each version adds.
const STEPS: [&str; VERSION as usize] = [
    "\
     CREATE TABLE idetic.spaces (space text COLLATE \"C\" PRIMARY KEY, id bytea NOT NULL, seq bigint NOT NULL, \
     hash bytea NOT NULL, recorded_at bigint NOT NULL, archived bigint NOT NULL DEFAULT 0);\
     CREATE TABLE idetic.events (space text COLLATE \"C\" NOT NULL, seq bigint NOT NULL, version smallint NOT NULL, \
     id text NOT NULL, recorded_at bigint NOT NULL, kind text NOT NULL, commitment bytea NOT NULL, \
     hash bytea NOT NULL, sealed bytea, PRIMARY KEY (space, seq));\
     CREATE TABLE idetic.keys (space text COLLATE \"C\" NOT NULL, key bytea NOT NULL, seq bigint NOT NULL, \
     PRIMARY KEY (space, key));\
     CREATE TABLE idetic.archives (space text COLLATE \"C\" NOT NULL, first bigint NOT NULL, last bigint NOT NULL, \
     before bytea NOT NULL, before_at bigint NOT NULL, after bytea NOT NULL, recorded_at bigint NOT NULL, \
     sum bytea NOT NULL, erased bigint NOT NULL, contents bytea NOT NULL, PRIMARY KEY (space, first))",
    // Spaces that are there get a mark: version 1 did not say whether something was erased from them.
    "ALTER TABLE idetic.spaces ADD COLUMN erasure bigint NOT NULL DEFAULT 1;\
     CREATE TABLE idetic.vectors (space text COLLATE \"C\" NOT NULL, model text COLLATE \"C\" NOT NULL, \
     input bytea NOT NULL, seq bigint NOT NULL, dimensions integer NOT NULL, passages bytea NOT NULL, \
     sum bigint NOT NULL, PRIMARY KEY (space, model, input));\
     CREATE INDEX vectors_of_events ON idetic.vectors (space, seq)",
    "CREATE TABLE idetic.calls (space text COLLATE \"C\" NOT NULL, name bytea NOT NULL, caller bytea NOT NULL, \
     state smallint NOT NULL, owner text NOT NULL, begun_at bigint NOT NULL, renewed_at bigint NOT NULL, \
     has_written boolean NOT NULL, erasure bigint NOT NULL, bytes bigint NOT NULL, asked bytea, status smallint, \
     body bytea, PRIMARY KEY (space, name));\
     CREATE INDEX calls_by_caller ON idetic.calls (space, caller, begun_at, bytes);\
     CREATE TABLE idetic.shared_files (space text COLLATE \"C\" NOT NULL, name text COLLATE \"C\" NOT NULL, \
     stamp text NOT NULL, contents text NOT NULL, PRIMARY KEY (space, name))",
    "CREATE TABLE idetic.snapshots (space text COLLATE \"C\" NOT NULL, name text COLLATE \"C\" NOT NULL, \
     erasure bigint NOT NULL, seq bigint NOT NULL, hash bytea NOT NULL, fold text COLLATE \"C\" NOT NULL, \
     key bytea NOT NULL, made_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (space, name))",
];

/// What was done to the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// The version there was; 0 where there were none.
    pub from: u32,
    /// The version there is.
    pub to: u32,
}

/// Makes the tables where there are none, and refuses those that this program cannot use.
pub fn ensure(connection: &Connection) -> Result<()> {
    match found(connection)? {
        None => migrate(connection).map(|_| ()),
        Some((version, oldest)) => check(version, oldest),
    }
}

fn check(version: i32, oldest: i32) -> Result<()> {
    match () {
        () if oldest > VERSION => Err(Error::Database(format!(
            "the tables in PostgreSQL have version {version}, this program knows {VERSION}: use a newer program"
        ))),
        () if version < VERSION => Err(Error::Database(format!(
            "the tables in PostgreSQL have version {version} and must have {VERSION}: run `idetic migrate`"
        ))),
        () => Ok(()),
    }
}

/// The version there is and the oldest program that may use it; `None` where nothing was made yet.
fn found(connection: &Connection) -> Result<Option<(i32, i32)>> {
    let sql = "SELECT to_regclass('idetic.schema_versions') IS NOT NULL";
    let rows = connection.query(sql, &[])?;
    let is_there = rows.first().and_then(|row| row.try_get(0).ok()).unwrap_or(false);
    if is_there { newest(connection) } else { Ok(None) }
}

fn newest(connection: &Connection) -> Result<Option<(i32, i32)>> {
    let rows = connection.query("SELECT max(version), max(oldest) FROM idetic.schema_versions", &[])?;
    let row = rows.first().map(|row| (row.try_get(0).unwrap_or(None), row.try_get(1).unwrap_or(None)));
    Ok(row.and_then(|(version, oldest)| version.zip(oldest)))
}

/// Makes or upgrades the tables, in one transaction; whoever does it at the same time waits and finds it done.
pub fn migrate(connection: &Connection) -> Result<Migration> {
    let mut left = TRIES;
    loop {
        match attempt(connection) {
            Ok(migration) => return Ok(migration),
            Err(error) => {
                connection.roll_back();
                left -= 1;
                if left == 0 || connection.health() == Health::Lost || found(connection)?.is_none() && left < TRIES / 2
                {
                    return Err(error);
                }
            }
        }
    }
}

fn attempt(connection: &Connection) -> Result<Migration> {
    connection.batch(&begin_writing())?;
    if found(connection)?.is_none() {
        connection.batch(LEDGER)?;
    }
    connection.batch("LOCK TABLE idetic.schema_versions IN EXCLUSIVE MODE")?;
    let (from, oldest) = newest(connection)?.unwrap_or((0, 0));
    if from >= VERSION {
        check(from, oldest)?;
    }
    for version in from + 1..=VERSION {
        connection.batch(STEPS[usize::try_from(version - 1).unwrap_or(0)])?;
        connection.execute(
            "INSERT INTO idetic.schema_versions (version, oldest) VALUES ($1, $2)",
            &[(&version, Type::INT4), (&OLDEST, Type::INT4)],
        )?;
    }
    connection.batch("COMMIT")?;
    let number = |version: i32| u32::try_from(version).unwrap_or(0);
    Ok(Migration { from: number(from), to: number(from.max(VERSION)) })
}
