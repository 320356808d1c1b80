//! `episode list`: the episodes, the latest first.

use clap::Args;
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::{MemoryArgs, listed};
use crate::operation::operation;

operation! {
    name: "episode list",
    about: "List the episodes, the latest first",
    example: "idetic episode list -n 20",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: List, run: run, new_space: |_| Ok(()),
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct List {
    /// How many, at most 10000 [default: 100]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// As the memory was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: List) -> Result<()> {
    let viewpoint = args.whose.reading(cx)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let most = listed(args.limit);
    viewpoint.list_episodes(horizon, most)?.into_iter().try_for_each(|episode| cx.answer(episode))
}
