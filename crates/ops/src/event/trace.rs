//! `trace`: one workflow step by step, or the recent ones.

use std::collections::HashMap;

use clap::Args;
use idetic_core::views::{TIMELINE, TRACES};
use idetic_core::{Time, Trace};
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, Result, Space};
use idetic_store::{Filter, Select};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{OwnerContext, TraceLine};

operation! {
    name: "trace",
    about: "Show a workflow step by step with its failure and its slowest step, or list the recent ones",
    example: "idetic trace abc123",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: ShowTrace, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowTrace {
    /// The workflow; without one, the recent ones are listed
    #[arg(value_name = "ID")]
    #[serde(default)]
    trace: Option<String>,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    /// How many to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    #[serde(default = "listed")]
    limit: usize,
}

fn listed() -> usize {
    20
}

fn run(cx: &mut OwnerContext, args: ShowTrace) -> Result<()> {
    let space = cx.space()?;
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    let Some(id) = args.trace else { return list(cx, &space, horizon, args.limit) };
    let seqs = space.seqs(&Select::from(&TIMELINE, horizon).filter(Filter::Is("trace", id.as_str().into())))?;
    let trace = Trace::of(&id, space.events(&seqs)?);
    cx.answer(trace.ok_or_else(|| {
        Error::not_found(format!("there is no trace '{id}'")).hint("`idetic trace` lists the recent ones")
    })?)
}

/// The traces by when they ended, the latest first. One that several agents took part in is one line.
fn list(cx: &mut OwnerContext, space: &Space, horizon: u64, limit: usize) -> Result<()> {
    let rows = space.select(&Select { newest_first: true, ..Select::from(&TRACES, horizon) })?;
    let mut order: Vec<String> = Vec::new();
    let mut lines: HashMap<String, TraceLine> = HashMap::new();
    for row in rows {
        let [trace, _, _, events, first_ts, last_ts, failures, ..] = &row.values[..] else { continue };
        let id = trace.text().unwrap_or_default().to_owned();
        let line = lines.entry(id.clone()).or_insert_with(|| {
            order.push(id.clone());
            let (started, ended) = (Time(i64::MAX), Time(i64::MIN));
            TraceLine { trace_id: id, events: 0, failures: 0, started, ended, total_ms: 0 }
        });
        line.events += events.int();
        line.failures += failures.int();
        line.started = line.started.min(Time(first_ts.int()));
        line.ended = line.ended.max(Time(last_ts.int()));
        line.total_ms = line.ended.millis_since(line.started);
    }
    order.sort_by_key(|id| std::cmp::Reverse(lines.get(id).map(|line| line.ended)));
    order.truncate(limit);
    order.into_iter().filter_map(|id| lines.remove(&id)).try_for_each(|line| cx.answer(line))
}
