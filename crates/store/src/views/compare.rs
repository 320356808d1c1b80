//! The views as they are kept, row by row against what the log folds into.

use idetic_core::views::{Shape, Table, Value};
use rusqlite::Connection;

use super::execute::{self, values};
use super::{Views, sql};
use crate::lock::LockFile;
use crate::log::Log;
use crate::{Result, database};

/// Where what is kept first differs from what the log says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The view.
    pub view: &'static str,
    /// The table of it.
    pub table: &'static str,
    /// The key of the first row that differs, as it should be, or as it is where it should not be there.
    pub key: String,
}

impl Views {
    /// Folds the log anew beside these views, as far as they have come, and holds each of their rows against it. They are read
    /// as they lie there, whether or not they are what was written.
    pub fn compare(&self, log: &dyn Log, progress: &mut dyn FnMut(u64, u64)) -> Result<Vec<Difference>> {
        if self.file.as_os_str().is_empty() || !self.file.exists() {
            return Ok(Vec::new());
        }
        if self.is_private() {
            return self.compare_with(&Self::in_memory(self.views), log, progress);
        }
        // As for a rebuild: one at a time, and what a killed one left behind is overwritten.
        let rebuilding = LockFile::open(&self.file.with_extension("rebuild.lock"))?;
        let _alone = rebuilding.hold()?;
        let beside = self.file.with_extension("verify");
        database::remove(&beside)?;
        let compared = self.compare_with(&Self::apart_in(beside.clone(), self.views), log, progress);
        database::remove(&beside)?;
        compared
    }

    fn compare_with(&self, anew: &Self, log: &dyn Log, progress: &mut dyn FnMut(u64, u64)) -> Result<Vec<Difference>> {
        let kept = {
            let _held = self.hold()?;
            let kept = database::open_read_only(&self.file, self.is_private())?;
            // One snapshot: what others fold meanwhile is not seen.
            kept.execute_batch("BEGIN")?;
            execute::positions(&kept, self.views)?;
            kept
        };
        let positions = execute::positions(&kept, self.views)?;
        let mut ends: Vec<u64> = positions.iter().map(|position| position.seq).filter(|seq| *seq > 0).collect();
        ends.sort_unstable();
        ends.dedup();
        let last = ends.last().copied().unwrap_or(0);
        let mut differences = Vec::new();
        // A view that came later stands elsewhere than the others: each is compared where it stands.
        for end in ends {
            anew.catch_up(log, end, &mut |seq| progress(seq, last))?;
            anew.with_connection(|anew| {
                let there = self.views.iter().zip(&positions).filter(|(_, position)| position.seq == end);
                for (view, table) in there.flat_map(|(view, _)| view.tables.iter().map(move |table| (view, table))) {
                    if let Some(key) = first_difference(&kept, anew, table)? {
                        differences.push(Difference { view: view.name, table: table.name, key });
                    }
                }
                Ok(())
            })?;
        }
        Ok(differences)
    }
}

/// The key of the first row that is not the same in both.
fn first_difference(kept: &Connection, anew: &Connection, table: &Table) -> Result<Option<String>> {
    let (select, width) = rows_in_order(table);
    let (mut kept, mut anew) = (kept.prepare(&select)?, anew.prepare(&select)?);
    let (mut kept, mut anew) = (kept.query([])?, anew.query([])?);
    loop {
        let is = kept.next()?.map(|row| values(row, width)).transpose()?;
        let should = anew.next()?.map(|row| values(row, width)).transpose()?;
        match (is, should) {
            (None, None) => return Ok(None),
            (is, should) if is == should => {}
            (is, should) => return Ok(should.or(is).map(|row| key(table, &row))),
        }
    }
}

/// Every row with every column in the order of its key, and how many columns that are.
fn rows_in_order(table: &Table) -> (String, usize) {
    let columns: Vec<String> = table.columns.iter().map(|name| sql::quote(name)).collect();
    let life: &[&str] = if matches!(table.shape, Shape::Tally { .. }) { &[] } else { &["born", "died"] };
    let key = match table.shape {
        Shape::Event => "born".to_owned(),
        Shape::Set => format!("{}, born", columns.join(", ")),
        Shape::Entity { key } => format!("{}, born, died", columns[..key].join(", ")),
        Shape::Tally { key } => columns[..key].join(", "),
    };
    let all: Vec<&str> = columns.iter().map(String::as_str).chain(life.iter().copied()).collect();
    (format!("SELECT {} FROM {} ORDER BY {key}", all.join(", "), sql::quote(table.name)), all.len())
}

/// What names a row: its key, and the event it comes from.
fn key(table: &Table, row: &[Value]) -> String {
    let count = match table.shape {
        Shape::Event => 0,
        Shape::Set => table.columns.len(),
        Shape::Entity { key } | Shape::Tally { key } => key,
    };
    let shown = |value: &Value| match value {
        Value::Null => "nothing".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Text(text) => format!("'{}'", text.chars().take(KEY_SHOWN_CHARS).collect::<String>().escape_debug()),
    };
    let mut parts: Vec<String> =
        table.columns.iter().zip(row).take(count).map(|(name, value)| format!("{name} {}", shown(value))).collect();
    if let Some(born) = row.get(table.columns.len()) {
        parts.push(format!("event {}", shown(born)));
    }
    parts.join(", ")
}

/// Characters shown of a text in a key: enough to find it, and one line.
const KEY_SHOWN_CHARS: usize = 80;
