//! `history`: every version of a memory.

use clap::Args;
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::MemoryArgs;
use crate::operation::operation;

operation! {
    name: "history",
    about: "Show every version of a memory, the oldest first; any of their ids names it",
    example: "idetic history 018f3a2e",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: History, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct History {
    /// The memory, by the id or number of any of its versions
    #[arg(value_name = "ID")]
    #[serde(alias = "event")]
    id: String,
    /// As the space was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: History) -> Result<()> {
    let viewpoint = args.whose.reading(cx)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let event = viewpoint.get(args.id.strip_prefix('#').unwrap_or(&args.id), horizon)?;
    let versions = viewpoint.versions(&event, horizon)?;
    viewpoint.show(versions, horizon)?.into_iter().try_for_each(|shown| cx.answer(shown))
}
