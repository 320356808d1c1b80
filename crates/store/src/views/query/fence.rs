//! The fence around a query: what SQLite may do for it, and how much of everything.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;

use super::functions::{LENGTH_BYTES, PATTERN_BYTES};
use super::{Query, functions};
use crate::Result;

/// Steps of SQLite's machine between two looks at the time: each of them may be a function that takes milliseconds.
const STEPS_BETWEEN_LOOKS: i32 = 50;
/// Pages kept in memory, in kibibytes; what a query sorts or gathers beyond it goes to a file that vanishes with it.
const CACHE_KIBIBYTES: i32 = 8 << 10;
/// Functions that one statement may name: between two jumps of its program SQLite looks at no clock.
const FUNCTIONS_MAX: usize = 100;
/// Those of JSON among them: each may read a long text several times.
const JSON_FUNCTIONS_MAX: usize = 24;

/// How much of everything one statement may be.
const LIMITS: [(Limit, i32); 11] = [
    (Limit::SQLITE_LIMIT_LENGTH, LENGTH_BYTES as i32),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 64 << 10),
    (Limit::SQLITE_LIMIT_COLUMN, 128),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
    // Each may copy or compare a long text, and between two jumps nobody looks at the clock.
    (Limit::SQLITE_LIMIT_VDBE_OP, 6_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 32),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_BYTES as i32),
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
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
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
/// What is returned tells afterwards whether the statement named too much.
pub fn raise(connection: &mut Connection, secret: String, query: &Query) -> Result<Arc<Named>> {
    connection.pragma_update(None, "query_only", true)?;
    for (limit, most) in LIMITS {
        connection.set_limit(limit, most)?;
    }
    functions::define(connection, &query.is_over)?;
    let is_over = Arc::clone(&query.is_over);
    connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || is_over()))?;
    let named = Arc::new(Named::default());
    let fence = Fence {
        secret,
        tables: query.tables.iter().map(|table| table.name).collect(),
        open: query.functions.iter().filter(|f| f.open).map(|f| f.name).collect(),
        named: Arc::clone(&named),
        is_over: Arc::clone(&query.is_over),
    };
    connection.authorizer(Some(
        move |asked: AuthContext<'_>| {
            if fence.lets(&asked) { Authorization::Allow } else { Authorization::Deny }
        },
    ))?;
    Ok(named)
}

/// The functions that a statement names.
#[derive(Default)]
pub struct Named {
    all: AtomicUsize,
    of_json: AtomicUsize,
}

impl Named {
    /// Counts one more, if it may be.
    fn another(&self, function: &str) -> bool {
        let is_json = function.starts_with('-') || function.get(..4).is_some_and(|o| o.eq_ignore_ascii_case("json"));
        self.all.fetch_add(1, Ordering::Relaxed);
        self.of_json.fetch_add(usize::from(is_json), Ordering::Relaxed);
        self.too_many().is_none()
    }

    /// What there are too many of, if anything.
    pub fn too_many(&self) -> Option<String> {
        let is_over = |count: &AtomicUsize, most: usize| count.load(Ordering::Relaxed) > most;
        match () {
            () if is_over(&self.all, FUNCTIONS_MAX) => Some(format!("more than {FUNCTIONS_MAX} functions")),
            () if is_over(&self.of_json, JSON_FUNCTIONS_MAX) => {
                Some(format!("more than {JSON_FUNCTIONS_MAX} functions of JSON"))
            }
            () => None,
        }
    }
}

struct Fence {
    secret: String,
    tables: Vec<&'static str>,
    open: Vec<&'static str>,
    named: Arc<Named>,
    is_over: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Fence {
    fn lets(&self, asked: &AuthContext) -> bool {
        // Parts of a statement that name each other grow beyond any measure before anything is computed.
        if (self.is_over)() {
            return false;
        }
        let is_ours = asked.accessor.is_some_and(|by| by.starts_with(&self.secret));
        match asked.action {
            AuthAction::Select | AuthAction::Recursive => true,
            AuthAction::Read { table_name, column_name } => {
                is_ours || self.may_read(table_name, column_name, asked.database_name)
            }
            AuthAction::Function { function_name } => {
                is_ours || (self.may_call(function_name) && self.named.another(function_name))
            }
            _ => false,
        }
    }

    fn may_call(&self, function: &str) -> bool {
        FUNCTIONS.iter().chain(&self.open).any(|own| own.eq_ignore_ascii_case(function))
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
