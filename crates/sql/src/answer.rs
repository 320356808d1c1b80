//! The answer to a query, and a kept query in a list.

use idetic_store::{Answer, Datum};
use serde::ser::{SerializeMap, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

/// The rows that a query found.
#[derive(Debug, Clone)]
pub struct Rows {
    /// The names of the columns, each once.
    pub columns: Vec<String>,
    /// The rows, with a cell for each column.
    pub rows: Vec<Vec<Datum>>,
    /// Whether there are more.
    pub cut: bool,
    /// Whether they are to be shown as comma-separated values.
    pub csv: bool,
}

impl From<Answer> for Rows {
    fn from(answer: Answer) -> Self {
        let mut columns: Vec<String> = Vec::with_capacity(answer.columns.len());
        for name in answer.columns {
            // As keys of an object they must differ.
            let twin = (2..).map(|n| format!("{name}_{n}")).find(|other| !columns.contains(other));
            columns.push(if columns.contains(&name) { twin.unwrap_or(name) } else { name });
        }
        Self { columns, rows: answer.rows, cut: answer.cut, csv: false }
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut whole = serializer.serialize_struct("Rows", 3)?;
        whole.serialize_field("columns", &self.columns)?;
        whole.serialize_field("rows", &Objects(self))?;
        whole.serialize_field("cut", &self.cut)?;
        whole.end()
    }
}

/// The rows as objects.
struct Objects<'a>(&'a Rows);

impl Serialize for Objects<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.rows.len()))?;
        for row in &self.0.rows {
            list.serialize_element(&Object(&self.0.columns, row))?;
        }
        list.end()
    }
}

struct Object<'a>(&'a [String], &'a [Datum]);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, cell) in self.0.iter().zip(self.1) {
            match cell {
                Datum::Null => map.serialize_entry(name, &())?,
                Datum::Int(number) => map.serialize_entry(name, number)?,
                Datum::Real(number) => map.serialize_entry(name, number)?,
                Datum::Text(text) => map.serialize_entry(name, text)?,
            }
        }
        map.end()
    }
}

/// A query in a list of them.
#[derive(Debug, Clone, Serialize)]
pub struct QueryLine {
    /// Its name.
    pub name: String,
    /// What it finds.
    pub about: String,
    /// Its parameters, with the values they have when none are given.
    pub parameters: Vec<String>,
    /// Where it is kept.
    pub from: String,
}
