//! The words a view is written in: tables and changes as data, which the store executes without knowing what they mean.

use crate::Event;

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Nothing.
    Null,
    /// A number, a moment, a seq.
    Int(i64),
    /// A text.
    Text(String),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl Value {
    /// The number, or 0.
    pub fn int(&self) -> i64 {
        match self {
            Self::Int(number) => *number,
            _ => 0,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// How the rows of a table come and go. Every row but a tally's carries `born` and `died`, the seq at which it became
/// true and ceased to be, so that any past state is a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One row for each event, under the event's seq.
    Event,
    /// Any number of values for each event.
    Set,
    /// Rows that are replaced: the first `key` columns name the thing, a new row retires the old.
    Entity {
        /// How many of the columns are the name.
        key: usize,
    },
    /// Sums: the first `key` columns name what is summed, the others are added to.
    Tally {
        /// How many of the columns are the name.
        key: usize,
    },
}

/// One table of a view.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// How its rows come and go.
    pub shape: Shape,
    /// Its columns, without `born` and `died`.
    pub columns: &'static [&'static str],
    /// Which columns are searched by, `born` among them where a row is looked for by its event; the name of a thing and the
    /// values of a set need none.
    pub indexes: &'static [&'static [&'static str]],
    /// Columns that hold a place in the log, with how many such places an event has: 1 for a seq, 0 in sums, where it is a
    /// block of events. They say where something stands and not what, so a digest counts them anew.
    pub places: &'static [(&'static str, i64)],
}

/// One change to a table, at the seq of the event being folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Adds a row that stays (tables of shape `Event` and `Set`).
    Insert(&'static Table, Vec<Value>),
    /// Adds a row in place of the one with the same key (tables of shape `Entity`).
    Put(&'static Table, Vec<Value>),
    /// Adds to the sums under a key (tables of shape `Tally`).
    Add(&'static Table, Vec<Value>),
}

/// The row of an entity as it stands before the event being folded.
pub type Live<'a> = &'a mut dyn FnMut(&'static Table, &[Value]) -> Option<Vec<Value>>;

/// Derived state: what it is called, which version of its rules, its tables, and the rules.
pub struct View {
    /// Its name.
    pub name: &'static str,
    /// Raised when the rules change: a view of another version is dropped and folded anew.
    pub version: u32,
    /// Its tables.
    pub tables: &'static [&'static Table],
    /// Of its tables the one of events that a digest passes over, as if they had never been; one view has it.
    pub apart: Option<&'static Table>,
    /// The rules.
    pub fold: fn(&Event, Live) -> Vec<Change>,
}
