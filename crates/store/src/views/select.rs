//! Questions to a view: rows of one table as they were at a seq, filtered, ordered by birth.

use std::sync::Arc;

use idetic_core::Time;
use idetic_core::views::{Shape, TIMELINE, Table, Value};
use idetic_search::filter::Condition;
use rusqlite::{Connection, params_from_iter};

use super::alive::alive;
use super::execute::{Cell, values};
use super::matching;
use super::sql::quote;
use crate::Result;

/// One condition.
#[derive(Debug, Clone)]
pub enum Filter {
    /// A column has this value.
    Is(&'static str, Value),
    /// A column has no value.
    IsNull(&'static str),
    /// A column is not below this value.
    AtLeast(&'static str, Value),
    /// A column is not above this value.
    AtMost(&'static str, Value),
    /// A table of shape `Set` has this value for the event.
    Has(&'static Table, Value),
    /// A condition holds of the event whose number stands in a column, or in `born`.
    Matches(&'static str, Arc<Condition>),
    /// The row was born after this seq.
    BornAfter(u64),
    /// The row was born before this seq.
    BornBefore(u64),
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct Select {
    /// The table.
    pub table: &'static Table,
    /// The seq as of which it is asked.
    pub at: u64,
    /// Rows of events that had expired by then are left out; none where that is not asked.
    pub now: Option<Time>,
    /// All of these hold.
    pub filters: Vec<Filter>,
    /// The latest first.
    pub newest_first: bool,
    /// At most so many rows.
    pub limit: Option<usize>,
}

/// One answer: the seq it was born at, and its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The seq of the event it comes from; 0 for sums.
    pub born: u64,
    /// Its columns in the order of the table.
    pub values: Vec<Value>,
}

impl Select {
    /// Every row of a table as of a seq.
    pub fn from(table: &'static Table, at: u64) -> Self {
        Self { table, at, now: None, filters: Vec::new(), newest_first: false, limit: None }
    }

    /// Adds a condition.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filters.push(filter);
        self
    }

    /// The rows, with all their columns.
    pub(super) fn run(&self, connection: &Connection) -> Result<Vec<Row>> {
        let columns: Vec<String> = self.table.columns.iter().map(|c| quote(c)).collect();
        let (sql, parameters) = self.sql(&columns.join(", "));
        let width = columns.len();
        self.query(connection, &sql, &parameters, |row| Ok(Row { born: row.get(width)?, values: values(row, width)? }))
    }

    /// Only the seqs the rows were born at.
    pub(super) fn seqs(&self, connection: &Connection) -> Result<Vec<u64>> {
        let (sql, parameters) = self.sql("NULL");
        self.query(connection, &sql, &parameters, |row| row.get(1))
    }

    /// Statements of filters are each another: kept, they would push out those that are asked again and again.
    fn query<T>(
        &self,
        connection: &Connection,
        sql: &str,
        parameters: &[Value],
        read: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let parameters = params_from_iter(parameters.iter().map(Cell));
        let rows = if self.filters.iter().any(|filter| matches!(filter, Filter::Matches(..))) {
            connection.prepare(sql)?.query_map(parameters, read)?.collect::<rusqlite::Result<_>>()
        } else {
            connection.prepare_cached(sql)?.query_map(parameters, read)?.collect::<rusqlite::Result<_>>()
        };
        Ok(rows?)
    }

    fn sql(&self, columns: &str) -> (String, Vec<Value>) {
        let is_tally = matches!(self.table.shape, Shape::Tally { .. });
        let mut terms = Vec::new();
        let mut parameters: Vec<Value> = Vec::new();
        let mut bind = |value: &Value| {
            parameters.push(value.clone());
            format!("?{}", parameters.len())
        };
        let timeline = quote(TIMELINE.name);
        if !is_tally {
            let (at, now) = (bind(&self.at.into()), self.now.map(|now| bind(&now.0.into())));
            terms.push(alive(self.table, &at, now.as_deref()));
        }
        for filter in &self.filters {
            terms.push(match filter {
                Filter::Is(column, value) => format!("{} = {}", quote(column), bind(value)),
                Filter::IsNull(column) => format!("{} IS NULL", quote(column)),
                Filter::AtLeast(column, value) => format!("{} >= {}", quote(column), bind(value)),
                Filter::AtMost(column, value) => format!("{} <= {}", quote(column), bind(value)),
                Filter::Has(set, value) => {
                    let (set, column) = (quote(set.name), quote(set.columns[0]));
                    format!("born IN (SELECT born FROM {set} WHERE {column} = {})", bind(value))
                }
                Filter::Matches(column, condition) => {
                    let holds = matching::term(condition, &mut |value| bind(&value));
                    if self.table.name == TIMELINE.name {
                        holds
                    } else {
                        let at = bind(&self.at.into());
                        format!("{} IN (SELECT born FROM {timeline} WHERE born <= {at} AND {holds})", quote(column))
                    }
                }
                Filter::BornAfter(seq) => format!("born > {}", bind(&(*seq).into())),
                Filter::BornBefore(seq) => format!("born < {}", bind(&(*seq).into())),
            });
        }
        let born = if is_tally { "0" } else { "born" };
        let mut sql = format!("SELECT {columns}, {born} FROM {}", quote(self.table.name));
        if !terms.is_empty() {
            sql += &format!(" WHERE {}", terms.join(" AND "));
        }
        if !is_tally {
            sql += if self.newest_first { " ORDER BY born DESC" } else { " ORDER BY born" };
        }
        if let Some(limit) = self.limit {
            sql += &format!(" LIMIT {limit}");
        }
        (sql, parameters)
    }
}
