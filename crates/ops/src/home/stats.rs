//! `stats`: how many events of each kind, status, source, agent and day, and how long they took.

use std::collections::BTreeMap;

use clap::Args;
use idetic_core::Time;
use idetic_core::views::{BLOCK_EVENTS, COUNTERS, Count, DIMENSIONS, Dimension, TIMELINE, Value, counted};
use idetic_memory::as_of::AsOf;
use idetic_memory::{Result, Space};
use idetic_store::{Filter, Row, Select};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{OwnerContext, StatLine, Stats};

operation! {
    name: "stats",
    about: "Count events by kind, status, source, agent and day, with their mean duration",
    example: "idetic stats --since 7d",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: ShowStats, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct ShowStats {
    /// Only what happened at or after a time: ISO, or an age such as 2h or 7d
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only what happened at or before a time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

/// Timeline rows counted at a time.
const PAGE_ROWS: usize = 10_000;

type Counts = BTreeMap<(Dimension, String), Count>;

fn run(cx: &mut OwnerContext, args: ShowStats) -> Result<()> {
    let space = cx.space()?;
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    let now = cx.env.now();
    let moment = |text: &String| Time::parse_or_age(text, now).map(|t| Value::Int(t.0));
    let since = args.since.as_ref().map(moment).transpose()?.map(|t| Filter::AtLeast("ts", t));
    let until = args.until.as_ref().map(moment).transpose()?.map(|t| Filter::AtMost("ts", t));
    let filters: Vec<Filter> = since.into_iter().chain(until).collect();
    let mut counts = Counts::new();
    // Without a limit in time the whole blocks are summed already, and only the rows behind them are counted.
    let counted_in_blocks = if filters.is_empty() { horizon / BLOCK_EVENTS } else { 0 };
    if counted_in_blocks > 0 {
        add_blocks(&space, horizon, counted_in_blocks, &mut counts)?;
    }
    add_rows(&space, horizon, counted_in_blocks * BLOCK_EVENTS, &filters, &mut counts)?;
    cx.answer(stats(horizon, &counts))
}

fn add_blocks(space: &Space, horizon: u64, blocks: u64, counts: &mut Counts) -> Result<()> {
    let last = Value::from(blocks - 1);
    for row in space.select(&Select::from(&COUNTERS, horizon).filter(Filter::AtMost("block", last)))? {
        let [dimension, value, _, events, timed, duration_ms] = &row.values[..] else { continue };
        let Some((dimension, _)) = DIMENSIONS.into_iter().find(|(d, _)| *d as i64 == dimension.int()) else { continue };
        let count = Count { events: events.int(), timed: timed.int(), duration_ms: duration_ms.int() };
        counts.entry((dimension, value.text().unwrap_or_default().to_owned())).or_default().add(count);
    }
    Ok(())
}

fn add_rows(space: &Space, horizon: u64, mut after: u64, filters: &[Filter], counts: &mut Counts) -> Result<()> {
    loop {
        let page = Select { filters: filters.to_vec(), limit: Some(PAGE_ROWS), ..Select::from(&TIMELINE, horizon) };
        let rows = space.select(&page.filter(Filter::BornAfter(after)))?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = last.born;
        rows.iter().for_each(|row| add_row(row, counts));
    }
}

fn add_row(row: &Row, counts: &mut Counts) {
    let cell = |name: &str| TIMELINE.columns.iter().position(|c| *c == name).map_or(&Value::Null, |at| &row.values[at]);
    let text = |name| cell(name).text();
    let duration = cell("duration_ms");
    let count = Count::one((*duration != Value::Null).then(|| duration.int()));
    let ts = Time(cell("ts").int());
    for key in counted(text("kind").unwrap_or_default(), text("status"), text("source"), text("agent"), ts) {
        counts.entry(key).or_default().add(count);
    }
}

fn stats(as_of: u64, counts: &Counts) -> Stats {
    let by = |dimension: Dimension| {
        let mut lines: Vec<StatLine> = counts
            .iter()
            .filter(|((d, _), _)| *d == dimension)
            .map(|((_, value), count)| StatLine {
                value: value.clone(),
                count: count.events,
                mean_duration_ms: count.mean_ms(),
            })
            .collect();
        if dimension != Dimension::Day {
            lines.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
        }
        lines
    };
    let by_kind = by(Dimension::Kind);
    Stats {
        as_of,
        events: by_kind.iter().map(|line| line.count).sum(),
        by_kind,
        by_status: by(Dimension::Status),
        by_source: by(Dimension::Source),
        by_agent: by(Dimension::Agent),
        by_day: by(Dimension::Day),
    }
}
