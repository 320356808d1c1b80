//! `episode get`: one episode.

use clap::Args;
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::MemoryArgs;
use crate::operation::operation;

operation! {
    name: "episode get",
    about: "Show an episode",
    example: "idetic episode get 0199…",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Get, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Get {
    /// The episode's id
    #[arg(value_name = "EPISODE")]
    #[serde(alias = "id", alias = "episode_id")]
    episode: String,
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
    let episode = viewpoint.living_episode(&args.episode, horizon)?;
    cx.answer(episode)
}
