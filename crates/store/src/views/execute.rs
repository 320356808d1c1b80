//! Folding: reads events, asks each view for its changes, and carries them out with the position in one transaction.

use std::collections::HashMap;

use idetic_core::chain::Fault;
use idetic_core::views::{Change, Shape, Table, Value, View};
use idetic_core::{Event, Hash, Stored};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params, params_from_iter};

use super::sql;
use crate::log::Log;
use crate::{Error, Result};

/// How far one view has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The view.
    pub view: &'static str,
    /// The last event folded.
    pub seq: u64,
    /// Its hash; meaningless at 0.
    pub hash: Hash,
}

const POSITIONS: &str = "CREATE TABLE IF NOT EXISTS positions (view TEXT PRIMARY KEY, version INTEGER NOT NULL, \
     seq INTEGER NOT NULL, hash BLOB NOT NULL) WITHOUT ROWID";

/// The position of the view that is furthest behind.
pub fn position(connection: &Connection, views: &'static [View]) -> Result<u64> {
    Ok(positions(connection, views)?.iter().map(|p| p.seq).min().unwrap_or(0))
}

/// The position of each view; one that is not there, or of another version, stands at 0.
pub fn positions(connection: &Connection, views: &'static [View]) -> Result<Vec<Position>> {
    let none = |view: &View| Position { view: view.name, seq: 0, hash: Hash([0; 32]) };
    let exists: bool = connection
        .prepare_cached("SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'positions'")?
        .query_row([], |row| row.get(0))?;
    if !exists {
        return Ok(views.iter().map(none).collect());
    }
    let mut statement =
        connection.prepare_cached("SELECT seq, hash FROM positions WHERE view = ?1 AND version = ?2")?;
    let mut found = Vec::with_capacity(views.len());
    for view in views {
        let at =
            statement.query_row(params![view.name, view.version], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        found.push(at.map_or_else(|| none(view), |(seq, hash)| Position { view: view.name, seq, hash: Hash(hash) }));
    }
    Ok(found)
}

/// Folds at most `limit` events behind the position furthest back, not beyond `up_to`; gives where it came to.
pub fn fold(connection: &Connection, log: &dyn Log, views: &'static [View], up_to: u64, limit: usize) -> Result<u64> {
    prepare(connection, views)?;
    let mut positions = positions(connection, views)?;
    let from = positions.iter().map(|p| p.seq).min().unwrap_or(0);
    if from >= up_to {
        return Ok(from);
    }
    let events = behind(log, from, limit)?;
    let upper = positions.iter().map(|p| p.seq).filter(|&seq| seq > from).min().unwrap_or(u64::MAX);
    let tables = views.iter().flat_map(|v| v.tables);
    let statements = tables.map(|t| (t.name, Statements::of(t))).collect();
    let mut folding = Folding { connection, statements, sums: HashMap::new() };
    for position in &mut positions {
        check_position(position, &events)?;
    }
    let mut reached = from;
    for stored in events.iter().filter(|e| e.header.seq > from && e.header.seq <= upper.min(up_to)) {
        let seq = stored.header.seq;
        let event = Event::read(stored).map_err(|_| Error::Damaged { seq, fault: Fault::Body })?;
        for (view, position) in views.iter().zip(&mut positions).filter(|(_, p)| p.seq + 1 == seq) {
            folding.apply(view, &event)?;
            (position.seq, position.hash) = (seq, stored.hash);
        }
        reached = seq;
    }
    if reached == from {
        return Err(Error::Shortened { have: from, had: up_to });
    }
    folding.write_sums()?;
    for (view, position) in views.iter().zip(&positions) {
        connection.prepare_cached("UPDATE positions SET seq = ?2, hash = ?3 WHERE view = ?1")?.execute(params![
            view.name,
            position.seq,
            position.hash.0.as_slice()
        ])?;
    }
    Ok(reached)
}

/// The event at `from` and those behind it. A log that does not reach `from` was shortened.
fn behind(log: &dyn Log, from: u64, limit: usize) -> Result<Vec<Stored>> {
    let events = log.read(from.max(1), limit + usize::from(from > 0))?;
    match events.first() {
        None if from > 0 => Err(Error::Shortened { have: log.tip()?.seq, had: from }),
        _ => Ok(events),
    }
}

/// Every view stopped at an event that is still there. Most stopped at the end, which is the cheapest to ask for.
pub fn check_positions(positions: &[Position], log: &dyn Log) -> Result<()> {
    let tip = log.tip()?;
    for position in positions.iter().filter(|p| p.seq > 0) {
        if position.seq == tip.seq && position.hash != tip.hash {
            return Err(Error::Replaced { seq: position.seq });
        }
        if position.seq != tip.seq {
            check_position(position, &behind(log, position.seq, 0)?)?;
        }
    }
    Ok(())
}

/// The event a view stopped at must be the one that is there now.
fn check_position(position: &Position, events: &[Stored]) -> Result<()> {
    match events.iter().find(|e| e.header.seq == position.seq) {
        Some(event) if event.hash != position.hash => Err(Error::Replaced { seq: position.seq }),
        _ => Ok(()),
    }
}

/// Creates what is missing and drops what belongs to other versions of the rules.
fn prepare(connection: &Connection, views: &'static [View]) -> Result<()> {
    connection.execute(POSITIONS, [])?;
    for view in views {
        let version: Option<u32> = connection
            .prepare_cached("SELECT version FROM positions WHERE view = ?1")?
            .query_row([view.name], |row| row.get(0))
            .optional()?;
        if version == Some(view.version) {
            continue;
        }
        for table in view.tables {
            connection.execute(&format!("DROP TABLE IF EXISTS {}", sql::quote(table.name)), [])?;
            for statement in sql::create(table) {
                connection.execute(&statement, [])?;
            }
        }
        connection.execute(
            "INSERT OR REPLACE INTO positions VALUES (?1, ?2, 0, zeroblob(32))",
            params![view.name, view.version],
        )?;
    }
    Ok(())
}

/// The SQL of one table, put together once for all the rows of a run.
struct Statements {
    insert: String,
    retire: String,
    live: String,
    add: String,
}

impl Statements {
    fn of(table: &Table) -> Self {
        let key = key_of(table);
        let (insert, add) = (sql::insert(table), sql::add(table, key));
        Self { insert, retire: sql::retire(table, key), live: sql::live(table, key), add }
    }
}

/// What is to be added under a key.
type Sums = (&'static Table, Vec<i64>);

/// One run over some events. Sums are gathered and written once.
struct Folding<'a> {
    connection: &'a Connection,
    statements: HashMap<&'static str, Statements>,
    sums: HashMap<(&'static str, Vec<Value>), Sums>,
}

impl Folding<'_> {
    fn apply(&mut self, view: &View, event: &Event) -> Result<()> {
        let mut failed = None;
        let changes = (view.fold)(event, &mut |table, key| {
            self.live(table, key).unwrap_or_else(|error| {
                failed = Some(error);
                None
            })
        });
        failed.map_or(Ok(()), Err)?;
        changes.into_iter().try_for_each(|change| self.execute(change, event.seq()))
    }

    fn execute(&mut self, change: Change, seq: u64) -> Result<()> {
        match change {
            Change::Insert(table, row) => self.insert(table, &row, seq),
            Change::Put(table, row) => {
                let died = Value::from(seq);
                let parameters = row[..key_of(table)].iter().chain([&died]);
                self.run(&self.statements[table.name].retire, parameters)?;
                self.insert(table, &row, seq)
            }
            Change::Add(table, mut row) => {
                let amounts = row.split_off(key_of(table));
                let amounts = amounts.iter().map(Value::int);
                let (_, sums) = self.sums.entry((table.name, row)).or_insert_with(|| (table, vec![0; amounts.len()]));
                sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum = sum.saturating_add(amount));
                Ok(())
            }
        }
    }

    fn insert(&self, table: &Table, row: &[Value], seq: u64) -> Result<()> {
        self.run(&self.statements[table.name].insert, row.iter().chain([&Value::from(seq)]))
    }

    fn write_sums(&self) -> Result<()> {
        self.sums.iter().try_for_each(|((_, key), (table, sums))| {
            let sums: Vec<Value> = sums.iter().copied().map(Value::Int).collect();
            self.run(&self.statements[table.name].add, key.iter().chain(&sums))
        })
    }

    fn run<'v>(&self, sql: &str, parameters: impl Iterator<Item = &'v Value>) -> Result<()> {
        self.connection.prepare_cached(sql)?.execute(params_from_iter(parameters.map(Cell)))?;
        Ok(())
    }

    fn live(&self, table: &Table, key: &[Value]) -> Result<Option<Vec<Value>>> {
        let mut statement = self.connection.prepare_cached(&self.statements[table.name].live)?;
        let columns = table.columns.len();
        Ok(statement.query_row(params_from_iter(key.iter().map(Cell)), |row| values(row, columns)).optional()?)
    }
}

fn key_of(table: &Table) -> usize {
    match table.shape {
        Shape::Entity { key } | Shape::Tally { key } => key,
        Shape::Event | Shape::Set => table.columns.len(),
    }
}

/// The first cells of a row.
pub fn values(row: &Row, count: usize) -> rusqlite::Result<Vec<Value>> {
    (0..count)
        .map(|at| {
            Ok(match row.get_ref(at)? {
                ValueRef::Integer(number) => Value::Int(number),
                ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
                _ => Value::Null,
            })
        })
        .collect()
}

/// A cell as SQLite takes it.
pub struct Cell<'a>(pub &'a Value);

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}
