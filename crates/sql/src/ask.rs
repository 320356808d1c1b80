//! One query: what may be asked, within which limits, and why one is refused.

use std::sync::Arc;

use idetic_core::Time;
use idetic_memory::{Env, Error, Result, Space};
use idetic_store::{Datum, Function, Query, Refused, ResultLimits};

use crate::answer::Rows;
use crate::{tables, texts};

/// Most bytes of an answer: it is held in memory to be laid out.
const ANSWER_MAX_BYTES: usize = 32 << 20;

/// A statement and what goes with it.
pub struct Asked<'a> {
    /// The statement.
    pub sql: &'a str,
    /// Its parameters.
    pub parameters: Vec<(String, Datum)>,
    /// What they are where none are given.
    pub defaults: Vec<(String, Datum)>,
    /// Whether what the other side of agents keeps to itself is shown too.
    pub all: bool,
    /// Most rows; none for as many as fit.
    pub limit: Option<usize>,
    /// Seconds it may take.
    pub timeout_seconds: i64,
    /// Whether a moment of the past was named.
    pub of_the_past: bool,
}

/// Asks a space as it stood at a seq.
pub fn ask(space: &Arc<Space>, at: u64, asked: &Asked, env: &Env) -> Result<Rows> {
    let started = env.now();
    let deadline = Time(started.0.saturating_add(asked.timeout_seconds.saturating_mul(1_000_000)));
    let clock = env.clone();
    // In the past it is the past's now.
    let now = if asked.of_the_past && at > 0 { space.event(at)?.header.recorded_at } else { started };
    let (functions, given) = (functions(space, now), tables::given(space, at, asked.sql)?);
    let offered = tables::offered(at, space.expiring_by(at)?, asked.all);
    let query = Query {
        at,
        sql: asked.sql,
        parameters: &asked.parameters,
        defaults: &asked.defaults,
        tables: &offered,
        functions: &functions,
        given: &given,
        secret: env.random(),
        most: ResultLimits { rows: asked.limit.unwrap_or(usize::MAX), bytes: ANSWER_MAX_BYTES },
        is_over: Arc::new(move || clock.now() > deadline),
    };
    let answer = space.fresh(at, |views| views.query(&query))?;
    answer.map(Rows::from).map_err(|why| refused(why, asked))
}

/// What the definitions of the tables call, and `days_ago` for everybody.
fn functions(space: &Arc<Space>, now: Time) -> Vec<Function> {
    let texts = texts::Texts::of(space);
    let iso = |arguments: &[Datum]| match arguments {
        [Datum::Int(micros)] => Ok(Datum::Text(Time(*micros).to_string())),
        _ => Ok(Datum::Null),
    };
    let days_ago = move |arguments: &[Datum]| {
        let days = match arguments {
            [Datum::Int(days)] => i32::try_from(*days).ok().map(f64::from),
            [Datum::Real(days)] => Some(*days),
            [Datum::Text(days)] => days.trim().parse().ok(),
            _ => None,
        };
        let Some(days) = days.filter(|days| days.abs() < 4e6) else { return Ok(Datum::Null) };
        #[expect(clippy::cast_possible_truncation, reason = "bounded just above")]
        let micros = (days * 86_400e6) as i64;
        Ok(Datum::Text(Time(now.0.saturating_sub(micros)).to_string()))
    };
    vec![
        Function { name: "iso", arguments: 1, open: false, call: Arc::new(iso) },
        Function { name: "days_ago", arguments: 1, open: true, call: Arc::new(days_ago) },
        Function { name: "said", arguments: 2, open: false, call: Arc::new(move |arguments| texts.part(arguments)) },
    ]
}

/// What is wrong with a query, and what to do about it.
fn refused(why: Refused, asked: &Asked) -> Error {
    match why {
        Refused::NotAllowed(what) => Error::invalid(format!("a query may only read: {what}"))
            .hint(format!("write one SELECT over {}", tables::names().join(", "))),
        Refused::NoTable(name) => Error::invalid(format!("there is no table '{name}'"))
            .hint(format!("tables: {}", tables::names().join(", "))),
        Refused::NoColumn(name) => {
            Error::invalid(format!("there is no column '{name}'")).hint(tables::columns_named_in(asked.sql))
        }
        Refused::MissingParameter(name) => {
            Error::invalid(format!("the parameter {name} is missing")).hint(format!("add {name}=VALUE"))
        }
        Refused::UnknownParameter { given, known } => {
            let hint = match &known[..] {
                [] => "it takes no parameters".to_owned(),
                known => format!("it takes {}", known.join(", ")),
            };
            Error::invalid(format!("the query has no parameter {given}")).hint(hint)
        }
        Refused::OutOfTime => Error::unavailable(format!("the query took longer than {} s", asked.timeout_seconds))
            .hint("narrow it down, by kind, status or trace_id, or allow more with --timeout SECONDS"),
        Refused::TooLarge(what) => {
            Error::invalid(format!("the query exceeds a limit: {what}")).hint("ask for less at once")
        }
        Refused::Unreadable(error) => error.into(),
        Refused::Wrong(what) => Error::invalid(format!("the query is not valid: {what}"))
            .hint("use the SQL of SQLite; docs/queries.md lists tables and columns"),
    }
}
