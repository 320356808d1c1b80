//! The rows of a space's databases, with all their indexes, put into plain databases by a bulk insert.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, TransactionBehavior, params_from_iter};

use super::home::SPACE;
use super::ingest::BATCH;
use crate::clocks::{Measured, Stopwatch};
use crate::plain::careful;

/// The databases that appending and folding write.
const DATABASES: [&str; 2] = ["log.db", "views.db"];

/// A database in memory: what makes its tables and indexes, and every row of every table.
struct Content {
    schema: Vec<String>,
    tables: Vec<(String, Vec<Vec<Value>>)>,
}

/// Reads the rows beforehand, then measures their insertion alone. A unit is an event.
pub fn run(home: &Path, folder: &Path) -> Result<Measured, String> {
    let from = home.join("spaces").join(SPACE);
    let contents: Vec<Content> = DATABASES
        .iter()
        .map(|name| read(&from.join(name)))
        .collect::<rusqlite::Result<_>>()
        .map_err(|e| e.to_string())?;
    let events = contents.iter().flat_map(|content| &content.tables).find(|(name, _)| name == "events");
    let units = events.map_or(0, |(_, rows)| rows.len()) as u64;
    let watch = Stopwatch::start();
    for (name, content) in DATABASES.iter().zip(&contents) {
        insert(&folder.join(name), content).map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(watch.stop(units))
}

fn read(file: &Path) -> rusqlite::Result<Content> {
    let connection = Connection::open(file)?;
    let strings = |sql: &str| -> rusqlite::Result<Vec<String>> {
        connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
    };
    let schema = strings("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, rowid")?;
    let names = strings("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")?;
    let table = |name: String| {
        let mut statement = connection.prepare(&format!("SELECT * FROM \"{name}\""))?;
        let width = statement.column_count();
        let rows = statement.query_map([], |row| (0..width).map(|column| row.get(column)).collect())?;
        Ok((name, rows.collect::<rusqlite::Result<_>>()?))
    };
    Ok(Content { schema, tables: names.into_iter().map(table).collect::<rusqlite::Result<_>>()? })
}

fn insert(file: &Path, content: &Content) -> rusqlite::Result<()> {
    let mut connection = careful(file)?;
    connection.execute_batch(&content.schema.join(";"))?;
    for (name, rows) in content.tables.iter().filter(|(_, rows)| !rows.is_empty()) {
        let places = vec!["?"; rows[0].len()].join(", ");
        let sql = format!("INSERT INTO \"{name}\" VALUES ({places})");
        for batch in rows.chunks(BATCH) {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut statement = transaction.prepare_cached(&sql)?;
            for row in batch {
                statement.execute(params_from_iter(row))?;
            }
            drop(statement);
            transaction.commit()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::ingest;
    use super::*;
    use tempfile::tempdir;

    #[test]
    fn the_copy_has_the_tables_the_indexes_and_the_rows() {
        let (home, copy) = (tempdir().expect("a folder"), tempdir().expect("a folder"));
        ingest::run(home.path(), 300).expect("takes in");
        assert_eq!(run(home.path(), copy.path()).map(|measured| measured.units), Ok(300));
        for name in DATABASES {
            let ours = read(&home.path().join("spaces").join(SPACE).join(name)).expect("reads");
            let theirs = read(&copy.path().join(name)).expect("reads");
            assert_eq!((ours.schema, ours.tables), (theirs.schema, theirs.tables), "{name}");
        }
    }
}
