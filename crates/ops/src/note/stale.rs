//! `note stale`: notes nobody has looked after for long.

use clap::Args;
use idetic_core::Time;
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use schemars::JsonSchema;
use serde::Deserialize;

use super::writing::note_lines;
use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "note stale",
    about: "List the notes that have not changed for a long time, the oldest first",
    example: "idetic note stale --days 90",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Stale, run: run,
}

const DEFAULT_DAYS: u32 = 90;

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Stale {
    /// Not changed for this many days [default: 90]
    #[arg(long, value_name = "N")]
    days: Option<u32>,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut OwnerContext, args: Stale) -> Result<()> {
    let space = cx.space()?;
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    // In the past it is the past's now.
    let now = match &args.as_of {
        Some(_) if horizon > 0 => space.event(horizon)?.header.recorded_at,
        _ => cx.env.now(),
    };
    let limit = now.plus_days(-i64::from(args.days.unwrap_or(DEFAULT_DAYS)));
    let mut old = Vec::new();
    for row in space.living_notes(horizon)?.into_iter().filter(|row| !row.is_deprecated()) {
        let said = row.updated.as_deref().or(row.created.as_deref()).and_then(|text| Time::parse(text).ok());
        let changed = match said {
            Some(time) => time,
            None => space.event(row.seq)?.header.recorded_at,
        };
        if changed < limit {
            old.push((changed, row));
        }
    }
    old.sort_by_key(|(changed, row)| (*changed, row.seq));
    let rows = old.into_iter().map(|(_, row)| row).collect();
    note_lines(&space, rows, horizon)?.into_iter().try_for_each(|line| cx.answer(line))
}
