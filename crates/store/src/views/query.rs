//! Questions of people in SQL: read-only, in a connection of their own, with a limit on everything.
//!
//! What may be read are the tables that the caller defines, and nothing below them: each is a view over a view under a
//! secret name, and the tables of the database are open to that inner view alone. A query that gives one of its own parts
//! the name of a table thereby gains nothing.

mod fence;
mod functions;
mod refused;

use std::sync::Arc;

use rusqlite::functions::FunctionFlags;
use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef};
use rusqlite::{Connection, Statement, ToSql, params_from_iter};

use super::sql::quote;
use crate::Result;
pub use refused::Refused;

/// One cell of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Datum {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    /// A number.
    Real(f64),
    /// A text; bytes are shown as hexadecimal digits.
    Text(String),
}

/// A table that may be asked.
#[derive(Debug, Clone)]
pub struct Offered {
    /// Its name.
    pub name: &'static str,
    /// What it holds: a `SELECT` over the tables of the views and the given functions. Ours, never from outside.
    pub select: String,
}

/// A function that the definitions of tables use, and, where it is open, queries too.
#[derive(Clone)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arguments: i32,
    /// Whether queries may call it themselves.
    pub open: bool,
    /// What it gives; an error ends the query.
    pub call: Call,
}

/// What a function does.
pub type Call = Arc<dyn Fn(&[Datum]) -> Result<Datum> + Send + Sync>;

/// What is asked.
pub struct Query<'a> {
    /// The views must cover this seq.
    pub at: u64,
    /// The statement.
    pub sql: &'a str,
    /// What its named parameters stand for.
    pub parameters: &'a [(String, Datum)],
    /// What they stand for where that says nothing; what the statement does not have is passed over.
    pub defaults: &'a [(String, Datum)],
    /// What may be read.
    pub tables: &'a [Offered],
    /// What the definitions need.
    pub functions: &'a [Function],
    /// Rows that no table of the database has: a table for the definitions to read.
    pub given: &'a [Given],
    /// A name that nobody can guess.
    pub secret: [u8; 16],
    /// Most rows, and most bytes of them.
    pub most: ResultLimits,
    /// Whether the time is over.
    pub is_over: Arc<dyn Fn() -> bool + Send + Sync>,
}

/// Rows that are handed in.
#[derive(Debug, Clone)]
pub struct Given {
    /// The name under which the definitions know it.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [&'static str],
    /// Its rows.
    pub rows: Vec<Vec<Datum>>,
}

/// How much an answer may be.
#[derive(Debug, Clone, Copy)]
pub struct ResultLimits {
    /// Rows.
    pub rows: usize,
    /// Bytes in all their cells.
    pub bytes: usize,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<Datum>>,
    /// Whether there are more.
    pub cut: bool,
}

impl Query<'_> {
    /// Asks on a connection that is thrown away afterwards.
    pub(super) fn run(&self, mut connection: Connection) -> Result<std::result::Result<Answer, Refused>> {
        let secret: String = self.secret.iter().map(|byte| format!("{byte:02x}")).collect();
        fence::prepare(&connection)?;
        self.define(&connection, &secret)?;
        let named = fence::raise(&mut connection, secret, self)?;
        let refused = |error| match named.too_many() {
            Some(what) => Refused::TooLarge(what),
            None => Refused::of(&error, (self.is_over)()),
        };
        Ok(self.ask(&connection).map_err(refused).and_then(|answer| answer))
    }

    fn define(&self, connection: &Connection, secret: &str) -> Result<()> {
        for function in self.functions {
            let call = Arc::clone(&function.call);
            let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
            connection.create_scalar_function(function.name, function.arguments, flags, move |context| {
                let arguments: Vec<Datum> = (0..context.len()).map(|at| Datum::of(context.get_raw(at))).collect();
                call(&arguments).map_err(|error| rusqlite::Error::UserFunctionError(error.into()))
            })?;
        }
        for given in self.given {
            let columns: Vec<String> = given.columns.iter().map(|c| quote(c)).collect();
            let name = quote(&format!("{secret} {}", given.name));
            connection.execute(&format!("CREATE TEMP TABLE {name} ({})", columns.join(", ")), [])?;
            let marks = vec!["?"; columns.len()].join(", ");
            let mut insert = connection.prepare(&format!("INSERT INTO {name} VALUES ({marks})"))?;
            for row in &given.rows {
                insert.execute(params_from_iter(row))?;
            }
        }
        for table in self.tables {
            let inner = quote(&format!("{secret} {}", table.name));
            let select = table.select.replace("{secret}", secret);
            connection.execute(&format!("CREATE TEMP VIEW {inner} AS {select}"), [])?;
            connection.execute(&format!("CREATE TEMP VIEW {} AS SELECT * FROM {inner}", quote(table.name)), [])?;
        }
        Ok(())
    }

    fn ask(&self, connection: &Connection) -> rusqlite::Result<std::result::Result<Answer, Refused>> {
        let mut statement = connection.prepare(self.sql)?;
        if !statement.readonly() || statement.column_count() == 0 {
            return Ok(Err(Refused::NotAllowed("only one SELECT is allowed".to_owned())));
        }
        if let Err(refused) = self.bind(&mut statement)? {
            return Ok(Err(refused));
        }
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut answer = Answer { columns, rows: Vec::new(), cut: false };
        let (width, mut bytes) = (answer.columns.len(), 0);
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next()? {
            // A program without a jump was never stopped.
            if (self.is_over)() {
                return Ok(Err(Refused::OutOfTime));
            }
            let cells = (0..width).map(|at| row.get_ref(at).map(Datum::of)).collect::<rusqlite::Result<Vec<_>>>()?;
            bytes += cells.iter().map(Datum::bytes).sum::<usize>();
            if answer.rows.len() >= self.most.rows || bytes > self.most.bytes {
                answer.cut = true;
                break;
            }
            answer.rows.push(cells);
        }
        Ok(Ok(answer))
    }

    /// Gives every parameter of the statement its value.
    fn bind(&self, statement: &mut Statement) -> rusqlite::Result<std::result::Result<(), Refused>> {
        let mut wanted = Vec::new();
        for at in 1..=statement.parameter_count() {
            let Some(name) = statement.parameter_name(at).and_then(|name| name.get(1..)) else {
                return Ok(Err(Refused::Wrong("parameters have names, such as :days".to_owned())));
            };
            wanted.push(name.to_owned());
        }
        for (at, name) in wanted.iter().enumerate() {
            match self.parameters.iter().chain(self.defaults).find(|(given, _)| given == name) {
                Some((_, value)) => statement.raw_bind_parameter(at + 1, value)?,
                None => return Ok(Err(Refused::MissingParameter(name.clone()))),
            }
        }
        let unknown = self.parameters.iter().find(|(given, _)| !wanted.contains(given));
        Ok(match unknown {
            Some((given, _)) => Err(Refused::UnknownParameter { given: given.clone(), known: wanted }),
            None => Ok(()),
        })
    }
}

impl Datum {
    fn of(value: ValueRef) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(number) => Self::Int(number),
            ValueRef::Real(number) => Self::Real(number),
            ValueRef::Text(text) => Self::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(bytes) => Self::Text(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        }
    }

    /// What it costs to keep.
    fn bytes(&self) -> usize {
        size_of::<Self>() + if let Self::Text(text) = self { text.len() } else { 0 }
    }
}

impl From<Option<String>> for Datum {
    fn from(text: Option<String>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl ToSql for Datum {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(SqlValue::Null),
            Self::Int(number) => ToSqlOutput::Owned(SqlValue::Integer(*number)),
            Self::Real(number) => ToSqlOutput::Owned(SqlValue::Real(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}
