//! `query`: questions in SQL against documented tables, kept by name or given as they are.

use clap::Args;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, Result};
use idetic_sql::{Asked, Saved, ask, folders};
use idetic_store::Datum;
use idetic_sync::amem::bound_folder;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "query",
    about: "Query with SQL: a saved query by its name, or one SELECT; read-only, with a limit on time and rows",
    example: "idetic query recent-failures days=30",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: RunQuery, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct RunQuery {
    /// The name of a saved query; without one and without --sql they are listed
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The values of the query's parameters
    #[arg(value_name = "KEY=VALUE")]
    parameters: Vec<String>,
    /// A statement: one SELECT over events, event_tags, traces, loops, facts, episodes, conversations, notes, links, tags, outcomes, nodes, edges, changelog, profiles, capabilities
    #[arg(long, value_name = "SELECT")]
    sql: Option<String>,
    /// List the saved queries
    #[arg(long)]
    list: bool,
    /// Include what the subconscious of agents keeps to itself
    #[arg(long)]
    all: bool,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    /// Maximum number of rows; 0 for as many as fit into memory
    #[arg(long, value_name = "N", default_value_t = ROWS)]
    limit: usize,
    /// Maximum number of seconds
    #[arg(long, value_name = "SECONDS", default_value_t = SECONDS)]
    timeout: u32,
    /// Print as comma-separated values
    #[arg(long)]
    csv: bool,
}

/// Rows that are shown when nobody says how many.
const ROWS: usize = 1000;
/// Seconds that a query may take when nobody says how many.
const SECONDS: u32 = 10;

impl Default for RunQuery {
    fn default() -> Self {
        let (name, sql, as_of) = Default::default();
        let (parameters, list, all, csv) = Default::default();
        Self { name, parameters, sql, list, all, as_of, limit: ROWS, timeout: SECONDS, csv }
    }
}

fn run(cx: &mut OwnerContext, mut args: RunQuery) -> Result<()> {
    if args.timeout == 0 || args.timeout > cx.query_seconds_max {
        return Err(Error::invalid(format!("a timeout of {} s is out of range", args.timeout))
            .hint(format!("use 1 to {} seconds", cx.query_seconds_max)));
    }
    if args.sql.is_some() {
        // Whatever stands behind the statement is a parameter.
        args.parameters.splice(0..0, args.name.take());
    }
    let space = cx.space()?;
    let folders = folders(&cx.home().folder, bound_folder(&space));
    let saved = match (&args.name, &args.sql) {
        (None, Some(sql)) => Saved { name: String::new(), sql: sql.clone(), from: String::new() },
        (Some(name), None) if !args.list => Saved::find(name, &folders)?,
        _ => return Saved::all(&folders)?.iter().try_for_each(|saved| cx.answer(saved.line())),
    };
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    let (parameters, defaults) = (given(&args.parameters)?, saved.defaults());
    are_numbers(&parameters, &defaults)?;
    let asked = Asked {
        sql: &saved.sql,
        parameters,
        defaults,
        all: args.all,
        limit: (args.limit > 0).then_some(args.limit),
        timeout_seconds: args.timeout.into(),
        of_the_past: args.as_of.is_some(),
    };
    let named = |error: Error| if saved.name.is_empty() { error } else { error.at(&saved.name) };
    let mut rows = ask(&space, horizon, &asked, &cx.env).map_err(named)?;
    rows.csv = args.csv;
    let (cut, count) = (rows.cut, rows.rows.len());
    cx.answer(rows)?;
    if cut {
        (cx.notice)(&format!("there are more than these {count} rows: --limit N shows more of them"));
    }
    Ok(())
}

/// Where a number stands when nothing is given, nothing but a number can be given.
fn are_numbers(given: &[(String, Datum)], defaults: &[(String, Datum)]) -> Result<()> {
    for (name, default) in defaults {
        let (Datum::Text(default), Some((_, Datum::Text(said)))) = (default, given.iter().find(|(own, _)| own == name))
        else {
            continue;
        };
        if is_number(default) && !is_number(said) {
            return Err(Error::invalid(format!("{name}={}: that is not a number", said.escape_debug()))
                .hint(format!("write a number, as in {name}={default}")));
        }
    }
    Ok(())
}

fn is_number(text: &str) -> bool {
    text.trim().parse().is_ok_and(f64::is_finite)
}

/// Reads `key=value`.
fn given(said: &[String]) -> Result<Vec<(String, Datum)>> {
    let mut parameters: Vec<(String, Datum)> = Vec::with_capacity(said.len());
    for said in said {
        let Some((name, value)) = said.split_once('=') else {
            return Err(Error::invalid(format!("'{}' is not a parameter", said.escape_debug())).hint("write KEY=VALUE"));
        };
        let name = name.trim_start_matches([':', '@', '$']).to_owned();
        if parameters.iter().any(|(own, _)| *own == name) {
            return Err(Error::invalid(format!("the parameter {name} is given twice")).hint("give it once"));
        }
        parameters.push((name, Datum::Text(value.to_owned())));
    }
    Ok(parameters)
}
