//! `get`: one event, literally.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::as_of::AsOf;
use crate::operation::operation;
use crate::{Context, Error, Kind, Result};

operation! {
    name: "get",
    about: "Show one event by its id or its seq",
    example: "idetic get 42",
    rights: Read, reader: Owner, faces: [Cli, Json], destructive: false,
    args: Get, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Get {
    /// The id, or the seq
    #[arg(value_name = "ID|SEQ")]
    event: String,
    /// As the space stood at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    as_of: Option<AsOf>,
}

fn run(cx: &mut Context, args: Get) -> Result<()> {
    let space = cx.space()?;
    let horizon = space.horizon(args.as_of.as_ref())?;
    // A caller may have chosen a number as an id: what is not a seq of this space is looked for by its id.
    let number = args.event.parse::<u64>().ok();
    let event = match number.filter(|seq| (1..=horizon).contains(seq)) {
        Some(seq) => space.event(seq)?,
        None => space.by_id(&args.event, horizon, |_| false).map_err(|e| match (e.kind, number) {
            (Kind::NotFound, Some(_)) => {
                Error::not_found(format!("there is no event {}: the last is {horizon}", args.event))
            }
            _ => e,
        })?,
    };
    cx.answer(event)
}
