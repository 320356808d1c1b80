//! The rows of the vector database, and the sum that each has over all of it.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;

use crate::Result;

const VECTORS: &str = "CREATE TABLE IF NOT EXISTS vectors (model TEXT NOT NULL, input BLOB NOT NULL, \
     dimensions INTEGER NOT NULL, passages BLOB NOT NULL, sum INTEGER, PRIMARY KEY (model, input)) WITHOUT ROWID";
const FAILURES: &str = "CREATE TABLE IF NOT EXISTS failures (model TEXT NOT NULL, input BLOB NOT NULL, \
     tries INTEGER NOT NULL, why TEXT NOT NULL, sum INTEGER, PRIMARY KEY (model, input)) WITHOUT ROWID";
/// The name of a table with its columns besides the key and the sum.
const TABLES: [(&str, &str); 2] = [("vectors", "dimensions, passages"), ("failures", "tries, why")];

/// The sum of a row with vectors.
pub fn vector_sum(model: &str, input: &[u8], dimensions: i64, passages: &[u8]) -> i64 {
    sum(b'v', model, input, dimensions, passages)
}

/// The sum of a row that says what failed.
pub fn failure_sum(model: &str, input: &[u8], tries: i64, why: &str) -> i64 {
    sum(b'f', model, input, tries, why.as_bytes())
}

fn sum(table: u8, model: &str, input: &[u8], number: i64, rest: &[u8]) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[table]);
    for part in [model.as_bytes(), input, &number.to_le_bytes(), rest] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize().as_bytes().first_chunk::<8>().map_or(0, |first| i64::from_le_bytes(*first))
}

/// Makes the tables, or gives those of a time before sums their sums: what lies there is taken as it is.
pub fn prepare(connection: &Connection) -> Result<()> {
    connection.execute(VECTORS, [])?;
    connection.execute(FAILURES, [])?;
    let old = TABLES.iter().filter(|(table, _)| !has_sums(connection, table));
    for (table, columns) in old {
        define(connection)?;
        let transaction = connection.unchecked_transaction()?;
        transaction.execute(&format!("ALTER TABLE {table} ADD COLUMN sum INTEGER"), [])?;
        transaction.execute(&format!("UPDATE {table} SET sum = sum_of('{table}', model, input, {columns})"), [])?;
        transaction.commit()?;
    }
    Ok(())
}

/// Whether the rows of a table have sums.
fn has_sums(connection: &Connection, table: &str) -> bool {
    connection.prepare(&format!("SELECT sum FROM {table}")).is_ok()
}

/// Lets SQL compute the sum of a row.
fn define(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("sum_of", 5, flags, |row| {
        let table: String = row.get(0)?;
        let (model, input, number): (String, Vec<u8>, i64) = (row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(if table == "vectors" {
            vector_sum(&model, &input, number, &row.get::<Vec<u8>>(4)?)
        } else {
            failure_sum(&model, &input, number, &row.get::<String>(4)?)
        })
    })?;
    Ok(())
}

/// Copies what can be read and is what was written; says how many texts have their vectors still. Rows of a time before sums
/// have none to be held against.
pub fn salvage(from: &Connection, to: &Connection, is_old: bool) -> Result<usize> {
    prepare(to)?;
    define(from)?;
    let mut kept = 0;
    for (table, columns) in TABLES {
        let sum = if is_old && !has_sums(from, table) { "NULL" } else { "sum" };
        // What lies behind a page that cannot be read is reached from the other end.
        for order in ["", "DESC"] {
            let select = format!(
                "SELECT model, input, {columns}, sum_of('{table}', model, input, {columns}), {sum} FROM {table} \
                 ORDER BY model {order}, input {order}"
            );
            let transaction = to.unchecked_transaction()?;
            let insert = format!("INSERT OR IGNORE INTO {table} VALUES (?1, ?2, ?3, ?4, ?5)");
            let mut insert = transaction.prepare(&insert)?;
            let whole = (|| {
                let mut statement = from.prepare(&select)?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    let (is, was): (i64, Option<i64>) = (row.get(4)?, row.get(5)?);
                    if was.map_or(is_old, |was| was == is) {
                        for at in 0..5 {
                            insert.raw_bind_parameter(at + 1, row.get::<_, Value>(at)?)?;
                        }
                        insert.raw_execute()?;
                    }
                }
                Ok::<_, rusqlite::Error>(())
            })();
            drop(insert);
            transaction.commit()?;
            if whole.is_ok() {
                break;
            }
        }
        if table == "vectors" {
            kept = to.query_row("SELECT count(*) FROM vectors", [], |row| row.get(0))?;
        }
    }
    Ok(kept)
}
