//! The fence around a query: what SQLite may do for it, and how much of everything.

use std::sync::Arc;

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;

use super::Query;
use crate::Result;

/// Steps of SQLite's machine between two looks at the time: well under a millisecond.
const STEPS_BETWEEN_LOOKS: i32 = 10_000;
/// Pages kept in memory, in kibibytes; what a query sorts or gathers beyond it goes to a file that vanishes with it.
const CACHE_KIBIBYTES: i32 = 8 << 10;
/// The longest text or row that may come up on the way.
const LENGTH_BYTES: i32 = 16 << 20;

/// How much of everything one statement may be.
const LIMITS: [(Limit, i32); 11] = [
    (Limit::SQLITE_LIMIT_LENGTH, LENGTH_BYTES),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 256 << 10),
    (Limit::SQLITE_LIMIT_COLUMN, 256),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
    (Limit::SQLITE_LIMIT_VDBE_OP, 250_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 32),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 100),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// Functions that compute and do nothing else. Not among them: what loads code, reads files or the schema, or makes
/// bytes from nothing.
const FUNCTIONS: &[&str] = &[
    "abs",
    "avg",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "count",
    "cume_dist",
    "date",
    "datetime",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "if",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_object",
    "json_quote",
    "json_type",
    "json_valid",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "max",
    "median",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "percentile",
    "pow",
    "power",
    "printf",
    "quote",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "time",
    "timediff",
    "total",
    "trim",
    "trunc",
    "typeof",
    "unicode",
    "unixepoch",
    "unlikely",
    "upper",
    "->",
    "->>",
];

/// Table-valued functions that compute.
const TABLE_FUNCTIONS: &[&str] = &["json_each", "json_tree"];

/// Says where what is gathered on the way goes. To be called before anything is defined: SQLite then begins anew.
pub fn prepare(connection: &Connection) -> Result<()> {
    connection.pragma_update(None, "temp_store", 1)?;
    Ok(connection.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?)
}

/// How the names of SQLite's own tables begin.
const SYSTEM_TABLES: &[&str] = &["sqlite_", "pragma_", "dbstat", "fts", "rtree"];

/// Puts the fence up around a connection whose tables are defined.
pub fn raise(connection: &mut Connection, secret: String, query: &Query) -> Result<()> {
    connection.pragma_update(None, "query_only", true)?;
    for (limit, most) in LIMITS {
        connection.set_limit(limit, most)?;
    }
    let is_over = Arc::clone(&query.is_over);
    connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || is_over()))?;
    let fence = Fence {
        secret,
        tables: query.tables.iter().map(|table| table.name).collect(),
        open: query.functions.iter().filter(|f| f.open).map(|f| f.name).collect(),
    };
    connection.authorizer(Some(
        move |asked: AuthContext<'_>| {
            if fence.lets(&asked) { Authorization::Allow } else { Authorization::Deny }
        },
    ))?;
    Ok(())
}

struct Fence {
    secret: String,
    tables: Vec<&'static str>,
    open: Vec<&'static str>,
}

impl Fence {
    fn lets(&self, asked: &AuthContext) -> bool {
        let is_ours = asked.accessor.is_some_and(|by| by.starts_with(&self.secret));
        match asked.action {
            AuthAction::Select | AuthAction::Recursive => true,
            AuthAction::Read { table_name, column_name } => {
                is_ours || self.may_read(table_name, column_name, asked.database_name)
            }
            AuthAction::Function { function_name } => {
                is_ours || FUNCTIONS.iter().chain(&self.open).any(|f| f.eq_ignore_ascii_case(function_name))
            }
            _ => false,
        }
    }

    fn may_read(&self, table: &str, column: &str, database: Option<&str>) -> bool {
        let is = |name: &str| name.eq_ignore_ascii_case(table);
        let offered = table.starts_with(&self.secret) || self.tables.iter().any(|name| is(name));
        // Where no column is used, SQLite tells the name alone, be it that of a part of the query itself; how many rows a
        // table has may be known.
        let is_counted =
            column.is_empty() && !SYSTEM_TABLES.iter().any(|opening| table.to_ascii_lowercase().starts_with(opening));
        (offered && matches!(database, None | Some("temp")))
            || is_counted
            || TABLE_FUNCTIONS.iter().any(|name| is(name))
    }
}
