//! Why a query has no answer, from what SQLite says of it.

use rusqlite::{Error, ErrorCode};

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It asks for more than reading the tables it may read.
    NotAllowed(String),
    /// There is no such table.
    NoTable(String),
    /// There is no such column.
    NoColumn(String),
    /// A parameter has no value.
    MissingParameter(String),
    /// A value is given for a parameter that the query does not have.
    UnknownParameter {
        /// Which.
        given: String,
        /// Those it has.
        known: Vec<String>,
    },
    /// Its time was over.
    OutOfTime,
    /// A text on the way was longer than any may be, or the statement too large.
    TooLarge(String),
    /// The log could not give an event that it needs.
    Unreadable(crate::Error),
    /// It is no valid SQL.
    Wrong(String),
}

impl Refused {
    pub(super) fn of(error: &Error, is_over: bool) -> Self {
        if is_over {
            return Self::OutOfTime;
        }
        let message = match error {
            Error::MultipleStatement => return Self::NotAllowed("only one SELECT is allowed".to_owned()),
            Error::SqliteFailure(_, Some(message)) | Error::SqlInputError { msg: message, .. } => message.clone(),
            Error::UserFunctionError(inner) => match inner.downcast_ref::<crate::Error>() {
                Some(inner) => return Self::Unreadable(inner.clone()),
                None => inner.to_string(),
            },
            error => error.to_string(),
        };
        let named = |opening: &str| message.strip_prefix(opening).map(str::to_owned);
        match error.sqlite_error_code() {
            Some(ErrorCode::AuthorizationForStatementDenied) if message == "not authorized" => {
                return Self::NotAllowed("only one SELECT is allowed".to_owned());
            }
            Some(ErrorCode::AuthorizationForStatementDenied) => return Self::NotAllowed(message),
            Some(ErrorCode::TooBig) => return Self::TooLarge(message),
            // So SQLite says that the program of a statement is longer than it may be.
            Some(ErrorCode::OutOfMemory) => return Self::TooLarge("the statement is too long".to_owned()),
            _ => {}
        }
        let denied = ["prohibited", "not authorized", "cannot modify"];
        if denied.iter().any(|word| message.contains(word)) {
            return Self::NotAllowed(message);
        }
        if message.contains("too big") {
            return Self::TooLarge(message);
        }
        if let Some(table) = named("no such table: ") {
            return Self::NoTable(table);
        }
        named("no such column: ").map_or(Self::Wrong(message), Self::NoColumn)
    }
}
