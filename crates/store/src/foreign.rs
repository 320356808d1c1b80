//! Reads tables of other programs' SQLite files, and never writes to them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use idetic_core::Invalid;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row};
use serde_json::{Map, Value, json};

use crate::{Error, Result};

/// A row.
#[derive(Debug, Clone, Default)]
pub struct ForeignRow {
    /// Each column as text, or nothing; what is not UTF-8 is replaced in it.
    pub cells: Vec<Option<String>>,
    /// The bytes of the cells that are not UTF-8, by the number of the column.
    pub raw: BTreeMap<usize, Vec<u8>>,
}

/// A row with the names of its columns; bytes as a list of numbers where they are no text.
pub type NamedRow = Map<String, Value>;

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
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    match unused(file) {
        Some(uri) => Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI),
        None => Connection::open_with_flags(file, flags),
    }
}

/// The address of a database that nobody has open though it writes ahead: to open it in the usual way would leave files beside it,
/// and fail in a folder that cannot be written to.
fn unused(file: &Path) -> Option<String> {
    let mut header = [0; 20];
    File::open(file).and_then(|mut opened| opened.read_exact(&mut header)).ok()?;
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    // The header says there how the database is read: 2 where it is written ahead.
    if header[19] != 2 || PathBuf::from(log).exists() {
        return None;
    }
    let path = std::path::absolute(file).ok()?;
    let escaped = path.to_str()?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Some(format!("file:{escaped}?immutable=1"))
}

/// What cannot be reached now may be later; what is damaged, or of another kind, stays so.
fn unreadable(file: &Path, error: &rusqlite::Error) -> Error {
    use ErrorCode::{CannotOpen, DatabaseBusy, DatabaseLocked, PermissionDenied, SystemIoFailure};
    let message = format!("cannot read {}: {error}", file.display());
    match error.sqlite_error_code() {
        Some(CannotOpen | DatabaseBusy | DatabaseLocked | PermissionDenied | SystemIoFailure) => {
            Error::Unavailable(message)
        }
        _ => damaged(message),
    }
}

fn damaged(message: String) -> Error {
    Invalid::new(message)
        .hint("the file is damaged, or was written by another program or version: export it again")
        .into()
}

/// Names of columns that are no text are not ours to read, and those who ask for them take them for text.
fn check_names(file: &Path, connection: &Connection) -> Result<()> {
    let wrong = |error: rusqlite::Error| unreadable(file, &error);
    let mut statement = connection.prepare("SELECT sql FROM sqlite_schema").map_err(wrong)?;
    let mut rows = statement.query([]).map_err(wrong)?;
    while let Some(row) = rows.next().map_err(wrong)? {
        if let ValueRef::Text(bytes) = row.get_ref(0).map_err(wrong)?
            && std::str::from_utf8(bytes).is_err()
        {
            return Err(damaged(format!("cannot read {}: the names of its columns are not UTF-8", file.display())));
        }
    }
    Ok(())
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

/// Calls `each` with what a query gives. It is ours, never from a file.
pub fn read_query(file: &Path, sql: &str, each: &mut dyn FnMut(NamedRow) -> Result<()>) -> Result<()> {
    let wrong = |error: rusqlite::Error| unreadable(file, &error);
    let connection = open(file).map_err(wrong)?;
    check_names(file, &connection)?;
    let mut statement = connection.prepare(sql).map_err(wrong)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([]).map_err(wrong)?;
    while let Some(row) = rows.next().map_err(wrong)? {
        let cell = |(at, name): (usize, &String)| Ok((name.clone(), value(row, at)?));
        each(names.iter().enumerate().map(cell).collect::<rusqlite::Result<_>>().map_err(wrong)?)?;
    }
    Ok(())
}

/// How many rows a table has.
pub fn count_rows(file: &Path, table: &str) -> Result<u64> {
    let counted = open(file).and_then(|connection| {
        connection.query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |row| row.get::<_, u64>(0))
    });
    counted.map_err(|error| unreadable(file, &error))
}

fn value(row: &Row, at: usize) -> rusqlite::Result<Value> {
    Ok(match row.get_ref(at)? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => json!(number),
        ValueRef::Real(number) => json!(number),
        ValueRef::Text(bytes) => json!(String::from_utf8_lossy(bytes)),
        ValueRef::Blob(bytes) => std::str::from_utf8(bytes).map_or_else(|_| json!(bytes), |text| json!(text)),
    })
}
