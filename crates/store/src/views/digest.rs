//! A hash over every row of a view: equal for the same log, on any machine, however the view was folded.

use idetic_core::Hash;
use idetic_core::views::{Shape, Table, View};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::{execute, sql};
use crate::Result;

/// What a view holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// The view.
    pub view: &'static str,
    /// The version of its rules.
    pub version: u32,
    /// The last event folded.
    pub seq: u64,
    /// How many rows it has.
    pub rows: u64,
    /// The hash of all of them.
    pub hash: Hash,
}

/// The digest of every view, of one moment.
pub fn digest(connection: &Connection, views: &'static [View]) -> Result<Vec<Digest>> {
    let snapshot = connection.unchecked_transaction()?;
    let positions = execute::positions(&snapshot, views)?;
    let mut digests = Vec::with_capacity(views.len());
    for (view, position) in views.iter().zip(positions) {
        let mut hasher = blake3::Hasher::new();
        let mut rows = 0;
        if position.seq > 0 {
            for table in view.tables {
                rows += digest_table(&snapshot, table, &mut hasher)?;
            }
        }
        let hash = Hash(*hasher.finalize().as_bytes());
        digests.push(Digest { view: view.name, version: view.version, seq: position.seq, rows, hash });
    }
    Ok(digests)
}

fn digest_table(connection: &Connection, table: &Table, hasher: &mut blake3::Hasher) -> Result<u64> {
    let columns = table.columns.len() + if matches!(table.shape, Shape::Tally { .. }) { 0 } else { 2 };
    hasher.update(&(table.name.len() as u64).to_le_bytes()).update(table.name.as_bytes());
    let mut statement = connection.prepare(&sql::all(table))?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            match row.get_ref(column)? {
                ValueRef::Integer(number) => hasher.update(&[1]).update(&number.to_le_bytes()),
                ValueRef::Text(text) => hasher.update(&[2]).update(&(text.len() as u64).to_le_bytes()).update(text),
                _ => hasher.update(&[0]),
            };
        }
        count += 1;
    }
    hasher.update(&u64::to_le_bytes(count));
    Ok(count)
}
