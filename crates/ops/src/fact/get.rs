//! `fact get`: one fact, with everything it cites.

use clap::Args;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Fact, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::MemoryArgs;
use crate::operation::operation;

operation! {
    name: "fact get",
    about: "Show a fact: what it says, when it is true, what it cites and possibly contradicts",
    example: "idetic fact get 0199…",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Get, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Get {
    /// The fact's id, or that of an event that states it
    #[arg(value_name = "FACT")]
    #[serde(alias = "id", alias = "fact_id")]
    fact: String,
    /// As the memory was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: Get) -> Result<()> {
    let viewpoint = args.whose.reading(cx)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let row = viewpoint.living_fact(&args.fact, horizon)?;
    let conflicts = viewpoint.conflicts_of(&row, horizon)?;
    let fact: Fact = viewpoint.shown_fact(&row, horizon)?;
    cx.answer(Fact { conflicts, ..fact })
}
