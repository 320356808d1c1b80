//! Events as rows in PostgreSQL: reading them back with every check.

use idetic_core::chain::{Fault, Header, Secret};
use idetic_core::{SpaceId, Stored, Time, Tip};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::archives::Archives;
use super::cells::{COPYING, Place, bigint, column, hash, number};
use super::connection::{Connection, begin_reading};
use crate::{Error, Result};

/// The row of a space. The last event is never archived, so it stands beside.
pub const PLACE: &str = "SELECT s.id, s.seq, s.hash, s.recorded_at, s.archived, e.hash, s.erasure \
     FROM idetic.spaces s \
     LEFT JOIN idetic.events e ON e.space = s.space AND e.seq = s.seq WHERE s.space = $1";
const EVENTS: &str = "SELECT seq, version, id, recorded_at, kind, commitment, hash, sealed FROM idetic.events \
     WHERE space = $1 AND seq >= $2 ORDER BY seq LIMIT $3";

/// Where the log stands, as its row and its last event both say.
pub fn place(rows: &[Row]) -> Result<Option<Place>> {
    let Some(row) = rows.first() else { return Ok(None) };
    let id: &[u8] = column(row, 0)?;
    let id = id.try_into().map_err(|_| Error::Corrupt("a row in PostgreSQL: a space's id has 16 bytes".to_owned()))?;
    let tip = Tip { space: SpaceId(id), seq: number(row, 1)?, hash: hash(row, 2)?, recorded_at: Time(column(row, 3)?) };
    let last: Option<&[u8]> = column(row, 5)?;
    if tip.seq > 0 && last != Some(tip.hash.0.as_slice()) {
        let fault = if last.is_none() { Fault::Number } else { Fault::Link };
        return Err(Error::Damaged { seq: tip.seq, fault });
    }
    let is_copy = column::<i64>(row, 6)? == COPYING;
    let erasure = if is_copy { 0 } else { number(row, 6)? };
    Ok(Some(Place { tip, archived: number(row, 4)?, erasure, is_copy }))
}

/// Where the log of a space stands; `None` where there is no such space.
pub fn current(connection: &Connection, space: &str) -> Result<Option<Place>> {
    place(&connection.query(PLACE, &[(&space, Type::TEXT)])?)
}

/// Consecutive events in one state of the log, each checked against the one before it, and where the log stood then.
pub fn read(
    connection: &Connection,
    archives: &Archives,
    space: &str,
    from: u64,
    limit: usize,
) -> Result<Option<(Place, Vec<Stored>)>> {
    let (begin, client) = (begin_reading(), connection.client());
    // With the event before, which the first one is linked to.
    let first = bigint(from.saturating_sub(1));
    let count = bigint(u64::try_from(limit).unwrap_or(u64::MAX)).saturating_add(1);
    let place_of = [(&space as _, Type::TEXT)];
    let wanted = [(&space as _, Type::TEXT), (&first as _, Type::INT8), (&count as _, Type::INT8)];
    let (_, found, rows, ()) = connection.run(async {
        tokio::try_join!(
            biased;
            client.batch_execute(&begin),
            client.query_typed(PLACE, &place_of),
            client.query_typed(EVENTS, &wanted),
            client.batch_execute("COMMIT"),
        )
    })?;
    let Some(place) = place(&found)? else { return Ok(None) };
    if from == 0 || from > place.tip.seq || limit == 0 {
        return Ok(Some((place, Vec::new())));
    }
    if place.archived == 0 || from > place.archived + 1 {
        let before = if from == 1 { Some(Tip::empty(place.tip.space)) } else { None };
        let count = u64::try_from(limit).unwrap_or(u64::MAX).min(place.tip.seq - from + 1);
        return chain(&rows, before, from, count, &place).map(|events| Some((place, events)));
    }
    // What is archived lies elsewhere, and must be of the same state.
    connection.batch(&begin)?;
    let Some(place) = current(connection, space)? else { return Ok(None) };
    let events = read_within(connection, archives, space, &place, from, limit)?;
    connection.batch("COMMIT")?;
    Ok(Some((place, events)))
}

/// The same inside a transaction that is open already.
pub fn read_within(
    connection: &Connection,
    archives: &Archives,
    space: &str,
    place: &Place,
    from: u64,
    limit: usize,
) -> Result<Vec<Stored>> {
    if from == 0 || from > place.tip.seq || limit == 0 {
        return Ok(Vec::new());
    }
    let count = u64::try_from(limit).unwrap_or(u64::MAX).min(place.tip.seq - from + 1);
    let mut events = match from <= place.archived {
        true => archives.read(connection, space, place, from, count)?,
        false => Vec::new(),
    };
    let left = count - events.len() as u64;
    if left == 0 {
        return Ok(events);
    }
    let next = from + events.len() as u64;
    let before = match events.last() {
        Some(last) => Some(last.tip()),
        None if next == 1 => Some(Tip::empty(place.tip.space)),
        None if next - 1 <= place.archived => Some(archives.tip_at(connection, space, place, next - 1)?),
        None => None,
    };
    let first = if before.is_some() { next } else { next - 1 };
    let wanted = [
        (&space as _, Type::TEXT),
        (&bigint(first) as _, Type::INT8),
        (&bigint(left).saturating_add(1) as _, Type::INT8),
    ];
    let rows = connection.query(EVENTS, &wanted)?;
    events.extend(chain(&rows, before, next, left, place)?);
    Ok(events)
}

/// Rows as events, from a number on. Without what is before them the first row is the event before.
fn chain(rows: &[Row], before: Option<Tip>, from: u64, count: u64, place: &Place) -> Result<Vec<Stored>> {
    let missing = |seq| Error::Damaged { seq, fault: Fault::Number };
    let mut rows = rows.iter();
    let mut before = match before {
        Some(tip) => tip,
        None => {
            let row = rows.next().ok_or(missing(from - 1))?;
            let seq = number(row, 0)?;
            if seq != from - 1 {
                return Err(missing(from - 1));
            }
            let damaged = |_| Error::Damaged { seq, fault: Fault::Header };
            let recorded_at = Time(column(row, 3).map_err(damaged)?);
            Tip { space: place.tip.space, seq, hash: hash(row, 6).map_err(damaged)?, recorded_at }
        }
    };
    let mut events = Vec::new();
    for row in rows.take(usize::try_from(count).unwrap_or(usize::MAX)) {
        let seq = before.seq + 1;
        let event = stored(row, &before).map_err(|fault| Error::Damaged { seq, fault })?;
        before = before.follow(&event).map_err(|fault| Error::Damaged { seq, fault })?;
        events.push(event);
    }
    if (events.len() as u64) < count {
        return Err(missing(before.seq + 1));
    }
    if before.seq == place.tip.seq && before != place.tip {
        return Err(Error::Damaged { seq: before.seq, fault: Fault::Link });
    }
    Ok(events)
}

/// A row that does not even have the form of an event was altered, wherever the change fell.
fn stored(row: &Row, before: &Tip) -> std::result::Result<Stored, Fault> {
    let header = || -> Result<Header> {
        let version: i16 = column(row, 1)?;
        Ok(Header {
            version: u8::try_from(version).map_err(|_| Error::Corrupt("a version".to_owned()))?,
            space: before.space,
            seq: number(row, 0)?,
            id: column(row, 2)?,
            recorded_at: Time(column(row, 3)?),
            kind: column(row, 4)?,
            prev_hash: before.hash,
            commitment: hash(row, 5)?,
        })
    };
    let header = header().map_err(|_| Fault::Header)?;
    let hash = hash(row, 6).map_err(|_| Fault::Header)?;
    let sealed: Option<&[u8]> = column(row, 7).map_err(|_| Fault::Body)?;
    let secret = sealed.map(unseal).transpose()?;
    Ok(Stored { header, hash, secret })
}

/// Salt and body lie in one cell, so that neither can be erased without the other.
fn unseal(sealed: &[u8]) -> std::result::Result<Secret, Fault> {
    let (salt, body) = sealed.split_first_chunk::<32>().ok_or(Fault::Body)?;
    Ok(Secret { salt: *salt, body: String::from_utf8(body.to_vec()).map_err(|_| Fault::Body)? })
}

/// The tip as it was after one event that must be there, wherever that is kept.
pub fn tip_at(connection: &Connection, archives: &Archives, space: &str, place: &Place, seq: u64) -> Result<Tip> {
    if seq == 0 {
        return Ok(Tip::empty(place.tip.space));
    }
    if seq <= place.archived {
        return archives.tip_at(connection, space, place, seq);
    }
    let sql = "SELECT hash, recorded_at FROM idetic.events WHERE space = $1 AND seq = $2";
    let rows = connection.query(sql, &[(&space, Type::TEXT), (&bigint(seq), Type::INT8)])?;
    let row = rows.first().ok_or(Error::Damaged { seq, fault: Fault::Number })?;
    Ok(Tip { space: place.tip.space, seq, hash: hash(row, 0)?, recorded_at: Time(column(row, 1)?) })
}
