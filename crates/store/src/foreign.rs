//! Reads tables of other programs' SQLite files, and never writes to them.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{Error, Result};

/// A row.
#[derive(Debug, Clone, Default)]
pub struct ForeignRow {
    /// Each column as text, or nothing; what is not UTF-8 is replaced in it.
    pub cells: Vec<Option<String>>,
    /// The bytes of the cells that are not UTF-8, by the number of the column.
    pub raw: BTreeMap<usize, Vec<u8>>,
}

/// Whether a file is an SQLite database with this table.
pub fn holds_table(file: &Path, table: &str) -> Result<bool> {
    let counted = open(file).and_then(|connection| {
        connection.query_row("SELECT count(*) FROM sqlite_master WHERE name = ?", [table], |row| row.get::<_, i64>(0))
    });
    match counted {
        Ok(count) => Ok(count > 0),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => Ok(false),
        Err(error) => Err(unreadable(file, &error)),
    }
}

fn open(file: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

fn unreadable(file: &Path, error: &rusqlite::Error) -> Error {
    Error::Unavailable(format!("cannot read {}: {error}", file.display()))
}

/// Calls `each` with the rows of a table in order of some columns. A table or column that is not there is an error that
/// says so. Names are ours, never from a file.
pub fn read_table(
    file: &Path,
    table: &str,
    columns: &[&str],
    order: &str,
    each: &mut dyn FnMut(ForeignRow) -> Result<()>,
) -> Result<()> {
    let wrong = |error: rusqlite::Error| unreadable(file, &error);
    let connection = open(file).map_err(wrong)?;
    let names: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
    let sql = format!("SELECT {} FROM \"{table}\" ORDER BY {order}", names.join(", "));
    let mut statement = connection.prepare(&sql).map_err(wrong)?;
    let mut rows = statement.query([]).map_err(wrong)?;
    while let Some(row) = rows.next().map_err(wrong)? {
        let mut read = ForeignRow::default();
        for at in 0..columns.len() {
            read.cells.push(match row.get_ref(at).map_err(wrong)? {
                ValueRef::Null => None,
                ValueRef::Integer(number) => Some(number.to_string()),
                ValueRef::Real(number) => Some(number.to_string()),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                    let text = String::from_utf8_lossy(bytes).into_owned();
                    if text.as_bytes() != bytes {
                        read.raw.insert(at, bytes.to_owned());
                    }
                    Some(text)
                }
            });
        }
        each(read)?;
    }
    Ok(())
}
