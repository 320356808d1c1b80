//! Archives: the beginning of a log as compressed files, each in a row of its own.

use std::sync::{Arc, Mutex, PoisonError};

use idetic_core::chain::Fault;
use idetic_core::{Hash, Stored, Time, Tip};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::cells::{Place, bigint, column, hash, number};
use super::connection::Connection;
use crate::archive_file::{self, Contents};
use crate::log::{Archive, Problem};
use crate::{Error, Result};

const COLUMNS: &str = "first, last, before, before_at, after, recorded_at, sum, erased, octet_length(contents)::bigint";

/// The file of archived events that was read last.
#[derive(Default)]
pub struct Archives {
    kept: Mutex<Option<(Hash, Arc<Contents>)>>,
}

/// A file without what is in it.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub first: u64,
    pub last: u64,
    /// The hash and the time of the event before the first.
    before: (Hash, Time),
    /// The hash and the time of the last event.
    after: (Hash, Time),
    /// BLAKE3 of the file.
    sum: Hash,
    erased: u64,
    bytes: u64,
}

impl Entry {
    fn of(row: &Row) -> Result<Self> {
        Ok(Self {
            first: number(row, 0)?,
            last: number(row, 1)?,
            before: (hash(row, 2)?, Time(column(row, 3)?)),
            after: (hash(row, 4)?, Time(column(row, 5)?)),
            sum: hash(row, 6)?,
            erased: number(row, 7)?,
            bytes: number(row, 8)?,
        })
    }

    fn ends(&self, place: &Place) -> (Tip, Tip) {
        let tip = |seq, (hash, recorded_at)| Tip { space: place.tip.space, seq, hash, recorded_at };
        (tip(self.first.saturating_sub(1), self.before), tip(self.last, self.after))
    }

    /// The file as others are told of it.
    pub fn described(self) -> Archive {
        let file = format!("idetic.archives {}-{}", self.first, self.last);
        Archive { first: self.first, last: self.last, file, bytes: self.bytes, erased: self.erased }
    }
}

impl Archives {
    /// Lets go of what was read.
    pub fn drop_caches(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The tip after an archived event.
    pub fn tip_at(&self, connection: &Connection, space: &str, place: &Place, seq: u64) -> Result<Tip> {
        let entry = entry(connection, space, seq)?;
        if seq == entry.last {
            return Ok(entry.ends(place).1);
        }
        let events = self.read(connection, space, place, seq, 1)?;
        events.first().map(Stored::tip).ok_or(Error::Damaged { seq, fault: Fault::Archive })
    }

    /// Archived events from a number on, up to so many: fewer where the archives end.
    pub fn read(
        &self,
        connection: &Connection,
        space: &str,
        place: &Place,
        from: u64,
        count: u64,
    ) -> Result<Vec<Stored>> {
        let (mut next, end) = (from, from.saturating_add(count).min(place.archived + 1));
        let mut events: Vec<Stored> = Vec::new();
        while next < end {
            let entry = entry(connection, space, next)?;
            let before = entry.ends(place).0;
            if events.last().is_some_and(|last| last.tip() != before)
                || entry.first == 1 && before.hash != Tip::empty(place.tip.space).hash
            {
                return Err(Error::Damaged { seq: next, fault: Fault::Link });
            }
            let contents = self.contents(connection, space, place, &entry)?;
            let (skip, until) = ((next - entry.first) as usize, (end.min(entry.last + 1) - entry.first) as usize);
            if let Some((seq, fault)) = contents.damage.filter(|_| contents.events.len() < until) {
                return Err(Error::Damaged { seq: seq.max(next), fault });
            }
            events.extend_from_slice(&contents.events[skip..until]);
            next = entry.last + 1;
        }
        Ok(events)
    }

    /// What a file holds, from the last reading if that was of the same bytes.
    fn contents(&self, connection: &Connection, space: &str, place: &Place, entry: &Entry) -> Result<Arc<Contents>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, contents)) = kept.as_ref().filter(|(sum, _)| *sum == entry.sum) {
            return Ok(Arc::clone(contents));
        }
        let (before, after) = entry.ends(place);
        let contents = Arc::new(archive_file::decode(&bytes(connection, space, entry)?, before, after));
        if contents.damage.is_none() {
            *kept = Some((entry.sum, Arc::clone(&contents)));
        }
        Ok(contents)
    }
}

/// The file that holds an event that must be archived.
fn entry(connection: &Connection, space: &str, seq: u64) -> Result<Entry> {
    let sql =
        format!("SELECT {COLUMNS} FROM idetic.archives WHERE space = $1 AND first <= $2 ORDER BY first DESC LIMIT 1");
    let rows = connection.query(&sql, &[(&space, Type::TEXT), (&bigint(seq), Type::INT8)])?;
    let entry = rows.first().map(Entry::of).transpose()?;
    entry.filter(|entry| seq <= entry.last).ok_or(Error::Damaged { seq, fault: Fault::Archive })
}

/// Every file, in order.
pub fn entries(connection: &Connection, space: &str) -> Result<Vec<Entry>> {
    let sql = format!("SELECT {COLUMNS} FROM idetic.archives WHERE space = $1 ORDER BY first");
    connection.query(&sql, &[(&space, Type::TEXT)])?.iter().map(Entry::of).collect()
}

fn bytes(connection: &Connection, space: &str, entry: &Entry) -> Result<Vec<u8>> {
    let sql = "SELECT contents FROM idetic.archives WHERE space = $1 AND first = $2";
    let rows = connection.query(sql, &[(&space, Type::TEXT), (&bigint(entry.first), Type::INT8)])?;
    let row = rows.first().ok_or(Error::Damaged { seq: entry.first, fault: Fault::Archive })?;
    column(row, 0)
}

/// Moves events that follow the archived ones into a file, in the transaction that is open.
pub fn add(connection: &Connection, space: &str, before: Tip, events: &[Stored], file: &[u8]) -> Result<()> {
    let Some(last) = events.last() else { return Ok(()) };
    let (first, end) = (bigint(before.seq + 1), bigint(last.header.seq));
    let erased = bigint(events.iter().filter(|event| event.secret.is_none()).count() as u64);
    let sum = Hash::of(file);
    connection.execute(
        "INSERT INTO idetic.archives \
         (space, first, last, before, before_at, after, recorded_at, sum, erased, contents) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        &[
            (&space, Type::TEXT),
            (&first, Type::INT8),
            (&end, Type::INT8),
            (&before.hash.0.as_slice(), Type::BYTEA),
            (&before.recorded_at.0, Type::INT8),
            (&last.hash.0.as_slice(), Type::BYTEA),
            (&last.header.recorded_at.0, Type::INT8),
            (&sum.0.as_slice(), Type::BYTEA),
            (&erased, Type::INT8),
            (&file, Type::BYTEA),
        ],
    )?;
    let range = [(&space as _, Type::TEXT), (&first as _, Type::INT8), (&end as _, Type::INT8)];
    let moved = connection.execute("DELETE FROM idetic.events WHERE space = $1 AND seq BETWEEN $2 AND $3", &range)?;
    if moved != events.len() as u64 {
        return Err(Error::Damaged { seq: before.seq + 1, fault: Fault::Number });
    }
    let place = [(&space as _, Type::TEXT), (&end as _, Type::INT8)];
    connection.execute("UPDATE idetic.spaces SET archived = $2 WHERE space = $1", &place)?;
    Ok(())
}

/// Exchanges files for such that lack the bodies of some events, in the transaction that is open. Gives which they were.
pub fn erase(
    connection: &Connection,
    space: &str,
    place: &Place,
    up_to: u64,
    is_erased: &dyn Fn(u64) -> bool,
) -> Result<Vec<u64>> {
    let mut erased = Vec::new();
    for entry in entries(connection, space)?.into_iter().take_while(|entry| entry.first <= up_to) {
        if !(entry.first..=entry.last.min(up_to)).any(is_erased) {
            continue;
        }
        let (before, after) = entry.ends(place);
        let Contents { mut events, damage } = archive_file::decode(&bytes(connection, space, &entry)?, before, after);
        if let Some((seq, fault)) = damage {
            return Err(Error::Damaged { seq, fault });
        }
        let seen = erased.len();
        for event in &mut events {
            let seq = event.header.seq;
            if event.secret.is_some() && seq <= up_to && is_erased(seq) {
                event.secret = None;
                erased.push(seq);
            }
        }
        if erased.len() == seen {
            continue;
        }
        let file = archive_file::encode(&events)?;
        let gone = bigint(events.iter().filter(|event| event.secret.is_none()).count() as u64);
        connection.execute(
            "UPDATE idetic.archives SET contents = $3, sum = $4, erased = $5 WHERE space = $1 AND first = $2",
            &[
                (&space, Type::TEXT),
                (&bigint(entry.first), Type::INT8),
                (&file, Type::BYTEA),
                (&Hash::of(&file).0.as_slice(), Type::BYTEA),
                (&gone, Type::INT8),
            ],
        )?;
    }
    Ok(erased)
}

/// Every file against its checksum and the one before it.
pub fn check(connection: &Connection, space: &str, place: &Place) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    let mut next = 1;
    for entry in entries(connection, space)? {
        let mut wrong = |what: &str| {
            let message = format!("idetic.archives {}-{} {what}", entry.first, entry.last);
            problems.push(Problem { seq: Some(entry.first), message });
        };
        if entry.first != next {
            wrong("does not follow the one before");
        }
        if Hash::of(&bytes(connection, space, &entry)?) != entry.sum {
            wrong("does not match its checksum");
        }
        next = entry.last + 1;
    }
    if next != place.archived + 1 {
        let message = format!("idetic.archives end at {}, and should at {}", next - 1, place.archived);
        problems.push(Problem { seq: Some(next.min(place.archived + 1)), message });
    }
    Ok(problems)
}
