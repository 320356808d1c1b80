//! Events as rows of `log.db`: reading them back with every check, and adding them.

use idetic_core::chain::{Fault, Header, Secret};
use idetic_core::record::IdKey;
use idetic_core::{Hash, SpaceId, Stored, Time, Tip};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use super::archives::Archives;
use super::schema;
use crate::commit::Rows;
use crate::{Error, Result};

const COLUMNS: &str = "seq, version, id, recorded_at, kind, commitment, hash, sealed";

/// The end of the log.
pub fn tip(connection: &Connection) -> Result<Tip> {
    let sql = "SELECT space.id, seq, hash, recorded_at FROM space \
         LEFT JOIN events ON seq = (SELECT max(seq) FROM events)";
    let tip = connection.prepare_cached(sql)?.query_row([], |row| {
        let space = SpaceId(row.get(0)?);
        let Some(seq) = row.get(1)? else { return Ok(Tip::empty(space)) };
        Ok(Tip { space, seq, hash: Hash(row.get(2)?), recorded_at: Time(row.get(3)?) })
    })?;
    Ok(tip)
}

fn space(connection: &Connection) -> Result<SpaceId> {
    let id = connection.prepare_cached("SELECT id FROM space")?.query_row([], |row| row.get(0))?;
    Ok(SpaceId(id))
}

/// The hash of one event; an event that should be there and is not is damage.
pub fn hash_of(connection: &Connection, archives: &Archives, seq: u64) -> Result<Hash> {
    Ok(tip_at(connection, archives, space(connection)?, seq)?.hash)
}

/// The tip as it was after one event, wherever that is kept.
fn tip_at(connection: &Connection, archives: &Archives, space: SpaceId, seq: u64) -> Result<Tip> {
    if seq == 0 {
        return Ok(Tip::empty(space));
    }
    let kept = connection
        .prepare_cached("SELECT hash, recorded_at FROM events WHERE seq = ?1")?
        .query_row([seq], |row| Ok(Tip { space, seq, hash: Hash(row.get(0)?), recorded_at: Time(row.get(1)?) }))
        .optional()?;
    match kept {
        Some(tip) => Ok(tip),
        None => archives.tip_at(connection, space, seq)?.ok_or(Error::Damaged { seq, fault: Fault::Number }),
    }
}

/// Finds events by the ids of their callers.
pub struct Find<'a> {
    kept: CachedStatement<'a>,
    archived: Option<CachedStatement<'a>>,
}

impl<'a> Find<'a> {
    pub fn prepare(connection: &'a Connection) -> Result<Self> {
        let archived = match schema::has_archives(connection)? {
            true => Some(connection.prepare_cached("SELECT seq FROM archived_keys WHERE key = ?1")?),
            false => None,
        };
        Ok(Self { kept: connection.prepare_cached("SELECT seq FROM events WHERE key = ?1")?, archived })
    }

    pub fn seq(&mut self, key: IdKey) -> Result<Option<u64>> {
        let kept = self.kept.query_row([key.0.as_slice()], |row| row.get(0)).optional()?;
        if kept.is_some() { Ok(kept) } else { self.archived(key) }
    }

    /// The same among the archived events alone.
    fn archived(&mut self, key: IdKey) -> Result<Option<u64>> {
        match &mut self.archived {
            Some(archived) => Ok(archived.query_row([key.0.as_slice()], |row| row.get(0)).optional()?),
            None => Ok(None),
        }
    }
}

/// Consecutive events in one snapshot, each checked against the one before it.
pub fn read(connection: &Connection, archives: &Archives, from: u64, limit: usize) -> Result<Vec<Stored>> {
    read_within(&*connection.unchecked_transaction()?, archives, from, limit)
}

/// The same inside a transaction that is open already.
pub fn read_within(snapshot: &Connection, archives: &Archives, from: u64, limit: usize) -> Result<Vec<Stored>> {
    let end = tip(snapshot)?;
    if from == 0 || from > end.seq || limit == 0 {
        return Ok(Vec::new());
    }
    let count = u64::try_from(limit).unwrap_or(u64::MAX).min(end.seq - from + 1);
    let first: u64 = snapshot.prepare_cached("SELECT min(seq) FROM events")?.query_row([], |row| row.get(0))?;
    // Not made as long as it will be: a damaged number at the end would ask for all the memory there is.
    let mut events = if from < first { archives.read(snapshot, end.space, from, count)? } else { Vec::new() };
    let mut before = match events.last() {
        Some(last) => last.tip(),
        None => tip_at(snapshot, archives, end.space, from - 1)?,
    };
    let count = count - events.len() as u64;
    if count == 0 {
        return Ok(events);
    }
    let mut statement =
        snapshot.prepare_cached(&format!("SELECT {COLUMNS} FROM events WHERE seq >= ?1 ORDER BY seq LIMIT ?2"))?;
    let mut rows = statement.query(params![before.seq + 1, count])?;
    let archived = events.len() as u64;
    while let Some(row) = rows.next()? {
        let seq = before.seq + 1;
        let event = stored(row, &before).map_err(|fault| Error::Damaged { seq, fault })?;
        before = before.follow(&event).map_err(|fault| Error::Damaged { seq, fault })?;
        events.push(event);
    }
    if (events.len() as u64) < archived + count {
        return Err(Error::Damaged { seq: before.seq + 1, fault: Fault::Number });
    }
    Ok(events)
}

/// A row that does not even have the form of an event was altered, wherever the change fell.
fn stored(row: &Row, before: &Tip) -> std::result::Result<Stored, Fault> {
    let header = |row: &Row| -> rusqlite::Result<Header> {
        Ok(Header {
            version: row.get(1)?,
            space: before.space,
            seq: row.get(0)?,
            id: row.get(2)?,
            recorded_at: Time(row.get(3)?),
            kind: row.get(4)?,
            prev_hash: before.hash,
            commitment: Hash(row.get(5)?),
        })
    };
    let header = header(row).map_err(|_| Fault::Header)?;
    let hash = Hash(row.get(6).map_err(|_| Fault::Header)?);
    let sealed: Option<Vec<u8>> = row.get(7).map_err(|_| Fault::Body)?;
    let secret = sealed.map(unseal).transpose()?;
    Ok(Stored { header, hash, secret })
}

/// Salt and body lie in one cell, so that neither can be erased without the other.
fn unseal(mut sealed: Vec<u8>) -> std::result::Result<Secret, Fault> {
    let salt = sealed.first_chunk::<32>().copied().ok_or(Fault::Body)?;
    sealed.drain(..32);
    Ok(Secret { salt, body: String::from_utf8(sealed).map_err(|_| Fault::Body)? })
}

/// How many events in the database have no body any more.
pub fn count_erased(connection: &Connection) -> Result<u64> {
    Ok(connection.query_row("SELECT count(*) FROM events WHERE sealed IS NULL", [], |row| row.get(0))?)
}

/// Adds sealed events.
struct Insert<'a> {
    find: Find<'a>,
    statement: CachedStatement<'a>,
    /// Salt and body of the event being added, in one piece.
    sealed: Vec<u8>,
}

impl<'a> Insert<'a> {
    fn prepare(connection: &'a Connection) -> Result<Self> {
        let sql = "INSERT INTO events (seq, version, id, key, recorded_at, kind, commitment, hash, sealed) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let find = Find::prepare(connection)?;
        Ok(Self { find, statement: connection.prepare_cached(sql)?, sealed: Vec::new() })
    }

    fn add(&mut self, event: &Stored, key: Option<IdKey>) -> Result<()> {
        let header = &event.header;
        self.sealed.clear();
        for part in event.secret.iter().flat_map(|s| [s.salt.as_slice(), s.body.as_bytes()]) {
            self.sealed.extend_from_slice(part);
        }
        self.statement.execute(params![
            header.seq,
            header.version,
            header.id,
            key.as_ref().map(|k| k.0.as_slice()),
            header.recorded_at.0,
            header.kind,
            header.commitment.0.as_slice(),
            event.hash.0.as_slice(),
            event.secret.as_ref().map(|_| self.sealed.as_slice()),
        ])?;
        Ok(())
    }
}

/// The rows in a transaction that is open.
pub struct OpenRows<'a> {
    connection: &'a Connection,
    archives: &'a Archives,
    insert: Insert<'a>,
}

impl<'a> OpenRows<'a> {
    pub fn over(connection: &'a Connection, archives: &'a Archives) -> Result<Self> {
        Ok(Self { connection, archives, insert: Insert::prepare(connection)? })
    }
}

impl Rows for OpenRows<'_> {
    fn find(&mut self, key: IdKey) -> Result<Option<u64>> {
        self.insert.find.seq(key)
    }

    fn find_unguarded(&mut self, key: IdKey) -> Result<Option<u64>> {
        // Among those in the database the index sees to it.
        self.insert.find.archived(key)
    }

    fn event(&mut self, seq: u64) -> Result<Option<Stored>> {
        Ok(read_within(self.connection, self.archives, seq, 1)?.pop())
    }

    fn hash_of(&mut self, seq: u64) -> Result<Hash> {
        hash_of(self.connection, self.archives, seq)
    }

    fn add(&mut self, event: &Stored, key: Option<IdKey>) -> Result<()> {
        self.insert.add(event, key)
    }

    fn adopt_space(&mut self, space: SpaceId) -> Result<Tip> {
        self.connection.execute("UPDATE space SET id = ?1", [space.0.as_slice()])?;
        Ok(Tip::empty(space))
    }
}

/// Removes every event.
pub fn clear(connection: &Connection) -> Result<()> {
    connection.execute("DELETE FROM events", [])?;
    if schema::has_archives(connection)? {
        connection.execute("DELETE FROM archived_keys", [])?;
        connection.execute("DELETE FROM archives", [])?;
    }
    Ok(())
}
