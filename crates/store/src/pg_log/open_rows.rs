//! A transaction that writes: the space's row is locked, what is added is gathered and sent with the commit.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use idetic_core::chain::Fault;
use idetic_core::record::IdKey;
use idetic_core::{Hash, SpaceId, Stored, Tip};
use tokio_postgres::types::Type;

use super::archives::Archives;
use super::cells::{Place, bigint, column, hash, number};
use super::connection::{Connection, Parameter, begin_writing};
use super::rows;
use crate::commit::Rows;
use crate::{Error, Result};

/// Events and bytes that are gathered before they are sent.
const EVENTS_MAX: usize = 1024;
const BYTES_MAX: usize = 8 << 20;
/// How long it may take to remove many rows, where the server allows it.
const REMOVAL: Duration = Duration::from_secs(3600);
/// Hashes that are fetched at a time.
const HASH_PAGE: u64 = 1024;

/// Locks the row of a space until the end of the transaction. A server that does not wait for its disk is told to.
const LOCK: &str = "SELECT CASE WHEN current_setting('synchronous_commit') = 'off' \
     THEN set_config('synchronous_commit', 'on', true) END FROM idetic.spaces WHERE space = $1 FOR UPDATE";
const KEYS: &str = "SELECT key, seq FROM idetic.keys WHERE space = $1 AND key = ANY($2)";
const ADD_EVENTS: &str = "INSERT INTO idetic.events \
     (space, seq, version, id, recorded_at, kind, commitment, hash, sealed) SELECT $1, * FROM \
     unnest($2::bigint[], $3::smallint[], $4::text[], $5::bigint[], $6::text[], $7::bytea[], $8::bytea[], $9::bytea[])";
const ADD_KEYS: &str = "INSERT INTO idetic.keys (space, key, seq) SELECT $1, * FROM unnest($2::bytea[], $3::bigint[])";
const MOVE_TIP: &str = "UPDATE idetic.spaces SET id = $2, seq = $3, hash = $4, recorded_at = $5 WHERE space = $1";

/// The rows of a log in a transaction that is open.
pub struct OpenRows<'a> {
    connection: &'a Connection,
    archives: &'a Archives,
    space: &'a str,
    /// Where the log stood when the row was locked.
    pub before: Place,
    /// Where it stands with what was added since.
    now: Place,
    added: Added,
    /// The ids that were looked for, and those that were found.
    asked: HashSet<IdKey>,
    known: HashMap<IdKey, u64>,
    hashes: BTreeMap<u64, Hash>,
}

/// Events that are not sent yet, column by column.
#[derive(Default)]
struct Added {
    seqs: Vec<i64>,
    versions: Vec<i16>,
    ids: Vec<String>,
    times: Vec<i64>,
    kinds: Vec<String>,
    commitments: Vec<Vec<u8>>,
    hashes: Vec<Vec<u8>>,
    sealed: Vec<Option<Vec<u8>>>,
    keys: Vec<Vec<u8>>,
    key_seqs: Vec<i64>,
    bytes: usize,
}

impl Added {
    fn events<'b>(&'b self, space: &'b &str) -> [Parameter<'b>; 9] {
        [
            (space, Type::TEXT),
            (&self.seqs, Type::INT8_ARRAY),
            (&self.versions, Type::INT2_ARRAY),
            (&self.ids, Type::TEXT_ARRAY),
            (&self.times, Type::INT8_ARRAY),
            (&self.kinds, Type::TEXT_ARRAY),
            (&self.commitments, Type::BYTEA_ARRAY),
            (&self.hashes, Type::BYTEA_ARRAY),
            (&self.sealed, Type::BYTEA_ARRAY),
        ]
    }

    fn keys<'b>(&'b self, space: &'b &str) -> [Parameter<'b>; 3] {
        [(space, Type::TEXT), (&self.keys, Type::BYTEA_ARRAY), (&self.key_seqs, Type::INT8_ARRAY)]
    }
}

impl<'a> OpenRows<'a> {
    /// Begins, waits for the space's row and looks for ids, in one flight; `None` where there is no such space.
    pub fn begin(
        connection: &'a Connection,
        archives: &'a Archives,
        space: &'a str,
        asked: HashSet<IdKey>,
    ) -> Result<Option<Self>> {
        let (begin, client) = (begin_writing(), connection.client());
        let of_space = [(&space as _, Type::TEXT)];
        let keys: Vec<&[u8]> = asked.iter().map(|key| key.0.as_slice()).collect();
        let wanted = [(&space as _, Type::TEXT), (&keys as _, Type::BYTEA_ARRAY)];
        // Each statement sees what was committed before it began, so these see the log as the lock found it.
        let (_, _, found, known) = connection.run(async {
            tokio::try_join!(
                biased;
                client.batch_execute(&begin),
                client.query_typed(LOCK, &of_space),
                client.query_typed(rows::PLACE, &of_space),
                async { if keys.is_empty() { Ok(Vec::new()) } else { client.query_typed(KEYS, &wanted).await } },
            )
        })?;
        let Some(before) = rows::place(&found)? else { return Ok(None) };
        let mut found = HashMap::new();
        for row in &known {
            let key: &[u8] = column(row, 0)?;
            if let Ok(key) = key.try_into() {
                found.insert(IdKey(key), number(row, 1)?);
            }
        }
        let (added, hashes) = Default::default();
        Ok(Some(Self { connection, archives, space, before, now: before, added, asked, known: found, hashes }))
    }

    /// The connection, for statements of one's own.
    pub fn connection(&self) -> &'a Connection {
        self.connection
    }

    /// Removes every event.
    pub fn clear(&mut self) -> Result<()> {
        for table in ["events", "keys", "archives", "vectors"] {
            let sql = format!("DELETE FROM idetic.{table} WHERE space = $1");
            self.connection.execute_within(REMOVAL, &sql, &[(&self.space, Type::TEXT)])?;
        }
        let sql = "UPDATE idetic.spaces SET archived = 0 WHERE space = $1";
        self.connection.execute(sql, &[(&self.space, Type::TEXT)])?;
        self.now = Place { tip: Tip::empty(self.before.tip.space), archived: 0, ..self.before };
        Ok(())
    }

    /// Removes the space, and everything that is kept with it.
    pub fn remove(&mut self) -> Result<()> {
        self.clear()?;
        for table in ["calls", "shared_files", "snapshots", "spaces"] {
            let sql = format!("DELETE FROM idetic.{table} WHERE space = $1");
            self.connection.execute_within(REMOVAL, &sql, &[(&self.space, Type::TEXT)])?;
        }
        Ok(())
    }

    /// Sends what was added.
    fn send(&mut self) -> Result<()> {
        let (added, client) = (std::mem::take(&mut self.added), self.connection.client());
        if added.seqs.is_empty() {
            return Ok(());
        }
        let (events, keys) = (added.events(&self.space), added.keys(&self.space));
        self.connection.run(async {
            tokio::try_join!(
                biased;
                client.execute_typed(ADD_EVENTS, &events),
                async { if added.keys.is_empty() { Ok(0) } else { client.execute_typed(ADD_KEYS, &keys).await } },
            )
        })?;
        Ok(())
    }

    /// Sends the rest, moves the tip and commits, in one flight. When a statement is refused the commit is one, too.
    pub fn commit(self, after: &Tip) -> Result<()> {
        let (added, client) = (&self.added, self.connection.client());
        let (events, keys) = (added.events(&self.space), added.keys(&self.space));
        let (seq, id, hash) = (bigint(after.seq), after.space.0.as_slice(), after.hash.0.as_slice());
        let tip: [Parameter; 5] = [
            (&self.space, Type::TEXT),
            (&id, Type::BYTEA),
            (&seq, Type::INT8),
            (&hash, Type::BYTEA),
            (&after.recorded_at.0, Type::INT8),
        ];
        self.connection.run(async {
            tokio::try_join!(
                biased;
                async { if added.seqs.is_empty() { Ok(0) } else { client.execute_typed(ADD_EVENTS, &events).await } },
                async { if added.keys.is_empty() { Ok(0) } else { client.execute_typed(ADD_KEYS, &keys).await } },
                async {
                    if *after == self.before.tip { Ok(0) } else { client.execute_typed(MOVE_TIP, &tip).await }
                },
                client.batch_execute("COMMIT"),
            )
        })?;
        Ok(())
    }
}

impl Rows for OpenRows<'_> {
    fn find(&mut self, key: IdKey) -> Result<Option<u64>> {
        if let Some(seq) = self.known.get(&key) {
            return Ok(Some(*seq));
        }
        if self.asked.contains(&key) {
            return Ok(None);
        }
        let wanted: [&[u8]; 1] = [&key.0];
        let found =
            self.connection.query(KEYS, &[(&self.space, Type::TEXT), (&wanted.as_slice(), Type::BYTEA_ARRAY)])?;
        found.first().map(|row| number(row, 1)).transpose()
    }

    fn find_unguarded(&mut self, _: IdKey) -> Result<Option<u64>> {
        // The primary key of the ids sees to it, also for those of archived events.
        Ok(None)
    }

    fn event(&mut self, seq: u64) -> Result<Option<Stored>> {
        // It may be one that an earlier batch of the same group has added.
        if seq > self.before.tip.seq {
            self.send()?;
        }
        Ok(rows::read_within(self.connection, self.archives, self.space, &self.now, seq, 1)?.pop())
    }

    fn hash_of(&mut self, seq: u64) -> Result<Hash> {
        if seq == 0 || seq <= self.now.archived || seq > self.before.tip.seq {
            return Ok(rows::tip_at(self.connection, self.archives, self.space, &self.now, seq)?.hash);
        }
        if !self.hashes.contains_key(&seq) {
            let sql = "SELECT seq, hash FROM idetic.events WHERE space = $1 AND seq >= $2 AND seq < $3";
            let page = [
                (&self.space as _, Type::TEXT),
                (&bigint(seq) as _, Type::INT8),
                (&bigint(seq + HASH_PAGE) as _, Type::INT8),
            ];
            self.hashes.clear();
            for row in self.connection.query(sql, &page)? {
                self.hashes.insert(number(&row, 0)?, hash(&row, 1)?);
            }
        }
        self.hashes.get(&seq).copied().ok_or(Error::Damaged { seq, fault: Fault::Number })
    }

    fn add(&mut self, event: &Stored, key: Option<IdKey>) -> Result<()> {
        let header = &event.header;
        if header.id.contains('\0') || header.kind.contains('\0') {
            // PostgreSQL's text cannot hold it, and no event that was ever accepted has it.
            return Err(Error::Damaged { seq: header.seq, fault: Fault::Header });
        }
        let sealed = event.secret.as_ref().map(|secret| [&secret.salt, secret.body.as_bytes()].concat());
        let added = &mut self.added;
        added.bytes += sealed.as_ref().map_or(0, Vec::len);
        added.seqs.push(bigint(header.seq));
        added.versions.push(i16::from(header.version));
        added.ids.push(header.id.clone());
        added.times.push(header.recorded_at.0);
        added.kinds.push(header.kind.clone());
        added.commitments.push(header.commitment.0.to_vec());
        added.hashes.push(event.hash.0.to_vec());
        added.sealed.push(sealed);
        if let Some(key) = key {
            added.keys.push(key.0.to_vec());
            added.key_seqs.push(bigint(header.seq));
            self.known.insert(key, header.seq);
        }
        self.now.tip = event.tip();
        if added.seqs.len() >= EVENTS_MAX || added.bytes >= BYTES_MAX { self.send() } else { Ok(()) }
    }

    fn adopt_space(&mut self, space: SpaceId) -> Result<Tip> {
        self.now.tip = Tip::empty(space);
        Ok(self.now.tip)
    }
}
