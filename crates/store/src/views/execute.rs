//! Folding: reads events, asks each view for its changes, and carries them out with the position in one transaction.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use idetic_core::chain::Fault;
use idetic_core::views::{Change, Shape, Table, Value, View};
use idetic_core::{Event, Hash, Stored};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, ToSql, params, params_from_iter};

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
    // Every question begins here, so all of them are read at once, and whether the table is there is asked only where not.
    let mut statement = match connection.prepare_cached("SELECT view, version, seq, hash FROM positions") {
        Err(_) if !have_positions(connection)? => return Ok(views.iter().map(|view| at(view, None)).collect()),
        statement => statement?,
    };
    let mut found: Vec<Position> = views.iter().map(|view| at(view, None)).collect();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, version): (String, u32) = (row.get(0)?, row.get(1)?);
        if let Some(place) = views.iter().position(|view| view.name == name && view.version == version) {
            found[place] = at(&views[place], Some((row.get(2)?, Hash(row.get(3)?))));
        }
    }
    Ok(found)
}

fn at(view: &View, reached: Option<(u64, Hash)>) -> Position {
    let (seq, hash) = reached.unwrap_or((0, Hash([0; 32])));
    Position { view: view.name, seq, hash }
}

fn have_positions(connection: &Connection) -> Result<bool> {
    let asked = "SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'positions'";
    Ok(connection.query_row(asked, [], |row| row.get(0))?)
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
    let mut folding = Folding::new(connection, views)?;
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
    folding.finish()?;
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

/// The tables of views that have seen no event.
pub fn empty(views: &'static [View]) -> Result<Connection> {
    let connection = Connection::open_in_memory()?;
    prepare(&connection, views)?;
    Ok(connection)
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

/// What can be said to one table, prepared once for all the rows of a run.
enum Statements<'c> {
    /// Rows that stay.
    Rows { insert: CachedStatement<'c> },
    /// Rows that are replaced.
    Entities { insert: CachedStatement<'c>, retire: CachedStatement<'c>, live: CachedStatement<'c> },
    /// Sums.
    Sums { add: CachedStatement<'c> },
}

impl<'c> Statements<'c> {
    fn of(connection: &'c Connection, table: &Table) -> rusqlite::Result<Self> {
        let prepare = |sql: String| connection.prepare_cached(&sql);
        Ok(match table.shape {
            Shape::Event | Shape::Set => Self::Rows { insert: prepare(sql::insert(table))? },
            Shape::Entity { key } => Self::Entities {
                insert: prepare(sql::insert_with_end(table))?,
                retire: prepare(sql::retire(table, key))?,
                live: prepare(sql::live(table, key))?,
            },
            Shape::Tally { key } => Self::Sums { add: prepare(sql::add(table, key))? },
        })
    }
}

/// A row by its table and key.
type Key = (&'static str, Vec<Value>);

/// An entity's row that is not written yet: what replaces it in the same run says when it ended.
struct Unwritten {
    row: Vec<Value>,
    born: u64,
}

/// One run over some events. Sums and the last rows of entities are gathered and written at its end.
struct Folding<'c> {
    statements: HashMap<&'static str, Statements<'c>>,
    unwritten: HashMap<Key, Unwritten>,
    sums: HashMap<Key, Vec<i64>>,
}

impl<'c> Folding<'c> {
    fn new(connection: &'c Connection, views: &'static [View]) -> rusqlite::Result<Self> {
        let tables = views.iter().flat_map(|view| view.tables);
        let statements = tables.map(|table| Ok((table.name, Statements::of(connection, table)?)));
        let statements = statements.collect::<rusqlite::Result<_>>()?;
        Ok(Self { statements, unwritten: HashMap::new(), sums: HashMap::new() })
    }

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
            Change::Insert(table, row) => match self.statements.get_mut(table.name) {
                Some(Statements::Rows { insert }) => run(insert, row.iter().chain([&Value::from(seq)])),
                _ => Err(misuse(table)),
            },
            Change::Put(table, row) => {
                let Some(Statements::Entities { insert, retire, .. }) = self.statements.get_mut(table.name) else {
                    return Err(misuse(table));
                };
                let key = (table.name, row[..key_of(table)].to_vec());
                match self.unwritten.entry(key) {
                    Entry::Occupied(mut known) => {
                        let before = known.insert(Unwritten { row, born: seq });
                        write(insert, &before, Some(seq))
                    }
                    Entry::Vacant(unknown) => {
                        run(retire, unknown.key().1.iter().chain([&Value::from(seq)]))?;
                        unknown.insert(Unwritten { row, born: seq });
                        Ok(())
                    }
                }
            }
            Change::Add(table, mut row) => {
                let amounts = row.split_off(key_of(table));
                let amounts = amounts.iter().map(Value::int);
                let sums = self.sums.entry((table.name, row)).or_insert_with(|| vec![0; amounts.len()]);
                sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum = sum.saturating_add(amount));
                Ok(())
            }
        }
    }

    /// The row of an entity as it stands.
    fn live(&mut self, table: &'static Table, key: &[Value]) -> Result<Option<Vec<Value>>> {
        let key = (table.name, key.to_vec());
        if let Some(known) = self.unwritten.get(&key) {
            return Ok(Some(known.row.clone()));
        }
        let Some(Statements::Entities { live, .. }) = self.statements.get_mut(table.name) else {
            return Err(misuse(table));
        };
        let columns = table.columns.len();
        Ok(live.query_row(params_from_iter(key.1.iter().map(Cell)), |row| values(row, columns)).optional()?)
    }

    /// Writes what was gathered.
    fn finish(mut self) -> Result<()> {
        let mut unwritten: Vec<(Key, Unwritten)> = self.unwritten.drain().collect();
        unwritten.sort_unstable_by_key(|(_, row)| row.born);
        for ((table, _), row) in &unwritten {
            if let Some(Statements::Entities { insert, .. }) = self.statements.get_mut(table) {
                write(insert, row, None)?;
            }
        }
        for ((table, key), sums) in &self.sums {
            let sums: Vec<Value> = sums.iter().copied().map(Value::Int).collect();
            if let Some(Statements::Sums { add }) = self.statements.get_mut(table) {
                run(add, key.iter().chain(&sums))?;
            }
        }
        Ok(())
    }
}

/// A view that treats a table as what it is not is a mistake in the view.
fn misuse(table: &Table) -> Error {
    Error::Unavailable(format!("the view's rules do not fit the shape of its table {}", table.name))
}

fn write(insert: &mut CachedStatement<'_>, row: &Unwritten, died: Option<u64>) -> Result<()> {
    run(insert, row.row.iter().chain([&Value::from(row.born), &Value::from(died)]))
}

fn run<'v>(statement: &mut CachedStatement<'_>, parameters: impl Iterator<Item = &'v Value>) -> Result<()> {
    statement.execute(params_from_iter(parameters.map(Cell)))?;
    Ok(())
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
