//! `fact conflicts`: pairs of facts that possibly contradict each other.

use clap::Args;
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::MemoryArgs;
use crate::operation::operation;

operation! {
    name: "fact conflicts",
    about: "List facts that possibly contradict each other: both are kept until somebody decides",
    example: "idetic fact conflicts",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Conflicts, run: run, new_space: |_| Ok(()),
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Conflicts {
    /// As the memory was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: Conflicts) -> Result<()> {
    let viewpoint = args.whose.reading(cx)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let pairs = viewpoint.all_conflicts(horizon)?;
    pairs.into_iter().try_for_each(|pair| cx.answer(pair))
}
