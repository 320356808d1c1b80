//! What the columns of a row in PostgreSQL hold, checked as they are read.

use idetic_core::{Hash, Tip};
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use crate::{Error, Result};

/// Where a log stands.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub tip: Tip,
    /// The last archived event.
    pub archived: u64,
    /// The mark of the last erasure.
    pub erasure: u64,
    /// Whether it is a copy that a move has not completed: it is no log yet.
    pub is_copy: bool,
}

/// What stands in the place of the mark of the last erasure while a log is copied: older programs refuse to read it.
pub const COPYING: i64 = -1;

/// A column; one of another type than was written is not what we wrote.
pub fn column<'a, T: FromSql<'a>>(row: &'a Row, at: usize) -> Result<T> {
    row.try_get(at).map_err(|error| Error::Corrupt(format!("a row in PostgreSQL: {error}")))
}

/// A number that is never negative.
pub fn number(row: &Row, at: usize) -> Result<u64> {
    let number: i64 = column(row, at)?;
    u64::try_from(number).map_err(|_| Error::Corrupt(format!("a row in PostgreSQL: {number} is no number of an event")))
}

pub fn hash(row: &Row, at: usize) -> Result<Hash> {
    let bytes: &[u8] = column(row, at)?;
    let hash = bytes.try_into().map_err(|_| Error::Corrupt("a row in PostgreSQL: a hash has 32 bytes".to_owned()))?;
    Ok(Hash(hash))
}

/// As PostgreSQL counts: what is beyond it is beyond every log.
pub fn bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
