//! The list of snapshots in PostgreSQL, each with the key that opens it: an erasure removes the keys in its own transaction, so
//! that nobody can read any more what was taken before, wherever a copy of it lies.

use tokio_postgres::types::Type;

use super::cells::{bigint, column, hash, number};
use super::connection::{Connection, Parameter};
use crate::log::Snapshot;
use crate::{Error, Result};

const LIST: &str = "SELECT n.name, n.seq, n.hash, n.fold, n.key FROM idetic.snapshots n JOIN idetic.spaces s USING (space) \
     WHERE n.space = $1 AND n.erasure = s.erasure ORDER BY n.seq DESC, n.name";
/// The space's row is locked: an erasure waits for the end of this statement, or this statement sees its mark. Where the answer is
/// lost it is run again.
const ADD: &str = "WITH unchanged AS (SELECT space FROM idetic.spaces WHERE space = $1 AND erasure = $3 FOR SHARE) \
     INSERT INTO idetic.snapshots (space, name, erasure, seq, hash, fold, key) \
     SELECT u.space, $2, $3, $4, $5, $6, $7 FROM unchanged u \
     ON CONFLICT (space, name) DO UPDATE SET seq = EXCLUDED.seq";
/// Those of other versions are for machines that are not upgraded yet, or that were already.
const PRUNE: &str = "WITH ranked AS (SELECT name, row_number() OVER (PARTITION BY fold ORDER BY seq DESC, name) AS place \
     FROM idetic.snapshots WHERE space = $1) \
     DELETE FROM idetic.snapshots n USING ranked r, idetic.spaces s \
     WHERE n.space = $1 AND s.space = $1 AND r.name = n.name \
     AND (r.place > $3 OR n.erasure <> s.erasure OR n.fold <> $2 AND n.made_at < now() - interval '30 days') \
     RETURNING n.name";

/// Those of a space that were taken since the last erasure, the newest first.
pub fn list(connection: &Connection, space: &str) -> Result<Vec<Snapshot>> {
    let rows = connection.query(LIST, &[(&space, Type::TEXT)])?;
    let read = |row| {
        let key: &[u8] = column(row, 4)?;
        let wrong = |_| Error::Corrupt("a row in PostgreSQL: a snapshot's key has 32 bytes".to_owned());
        let key = key.try_into().map_err(wrong)?;
        let (name, fold) = (column(row, 0)?, column(row, 3)?);
        Ok(Snapshot { name, seq: number(row, 1)?, hash: hash(row, 2)?, fold, key })
    };
    rows.iter().map(read).collect()
}

/// Lists one, unless something was erased since the mark.
pub fn add(connection: &Connection, space: &str, snapshot: &Snapshot, mark: u64) -> Result<bool> {
    let (hash, key) = (snapshot.hash.0.as_slice(), snapshot.key.as_slice());
    let values: [Parameter; 7] = [
        (&space, Type::TEXT),
        (&snapshot.name, Type::TEXT),
        (&bigint(mark), Type::INT8),
        (&bigint(snapshot.seq), Type::INT8),
        (&hash, Type::BYTEA),
        (&snapshot.fold, Type::TEXT),
        (&key, Type::BYTEA),
    ];
    Ok(connection.execute(ADD, &values)? == 1)
}

/// Strikes off all but the newest of each version, those of versions that nobody used for long, and gives their names.
pub fn prune(connection: &Connection, space: &str, fold: &str, keep: u32) -> Result<Vec<String>> {
    let values: [Parameter; 3] = [(&space, Type::TEXT), (&fold, Type::TEXT), (&i64::from(keep), Type::INT8)];
    connection.query(PRUNE, &values)?.iter().map(|row| column(row, 0)).collect()
}

/// Removes all of them, in the transaction that is open.
pub fn forget(connection: &Connection, space: &str) -> Result<()> {
    connection.execute("DELETE FROM idetic.snapshots WHERE space = $1", &[(&space, Type::TEXT)]).map(|_| ())
}
