//! A hash over every row of a view: equal for the same log, on any machine, however the view was folded. Events that stand
//! apart are passed over and the others numbered without them, so that a log from which something was erased gives the hash
//! of one that never held it.

use idetic_core::Hash;
use idetic_core::views::{Shape, Table, View};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::execute::Position;
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
    let apart = apart(&snapshot, views, &positions)?;
    let mut digests = Vec::with_capacity(views.len());
    for (view, position) in views.iter().zip(positions) {
        let mut hasher = blake3::Hasher::new();
        let mut rows = 0;
        if position.seq > 0 {
            for table in view.tables.iter().filter(|table| view.apart != Some(**table)) {
                rows += digest_table(&snapshot, table, &apart, &mut hasher)?;
            }
        }
        let hash = Hash(*hasher.finalize().as_bytes());
        digests.push(Digest { view: view.name, version: view.version, seq: position.seq, rows, hash });
    }
    Ok(digests)
}

/// The numbers of the events that stand apart, in order.
fn apart(connection: &Connection, views: &[View], positions: &[Position]) -> Result<Vec<i64>> {
    let mut apart = Vec::new();
    for (view, position) in views.iter().zip(positions) {
        if let Some(table) = view.apart.filter(|_| position.seq > 0) {
            let sql = format!("SELECT born FROM {} ORDER BY born", sql::quote(table.name));
            let mut statement = connection.prepare(&sql)?;
            apart.extend(statement.query_map([], |row| row.get::<_, i64>(0))?.collect::<rusqlite::Result<Vec<_>>>()?);
        }
    }
    Ok(apart)
}

/// A seq among those that do not stand apart.
fn rank(seq: i64, apart: &[i64]) -> i64 {
    seq - apart.partition_point(|other| *other <= seq) as i64
}

fn digest_table(connection: &Connection, table: &Table, apart: &[i64], hasher: &mut blake3::Hasher) -> Result<u64> {
    hasher.update(&(table.name.len() as u64).to_le_bytes()).update(table.name.as_bytes());
    let is_tally = matches!(table.shape, Shape::Tally { .. });
    let place = |column: &&str| table.places.iter().find(|(name, _)| name == column).map(|(_, places)| *places);
    // How many places an event has in each column that holds one; of a row `born` and `died` are the last.
    let mut columns: Vec<Option<i64>> = table.columns.iter().map(place).collect();
    if is_tally {
        columns.retain(Option::is_none);
    } else {
        columns.extend([Some(1), Some(1)]);
    }
    let born = columns.len().saturating_sub(2);
    let mut statement = connection.prepare(&sql::all(table))?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        if !is_tally && apart.binary_search(&row.get(born)?).is_ok() {
            continue;
        }
        for (column, places) in columns.iter().enumerate() {
            match (row.get_ref(column)?, places) {
                (ValueRef::Integer(number), Some(places)) => {
                    let counted = rank(number / places, apart) * places + number % places;
                    hasher.update(&[1]).update(&counted.to_le_bytes())
                }
                (ValueRef::Integer(number), None) => hasher.update(&[1]).update(&number.to_le_bytes()),
                (ValueRef::Text(text), _) => {
                    hasher.update(&[2]).update(&(text.len() as u64).to_le_bytes()).update(text)
                }
                _ => hasher.update(&[0]),
            };
        }
        count += 1;
    }
    hasher.update(&u64::to_le_bytes(count));
    Ok(count)
}
