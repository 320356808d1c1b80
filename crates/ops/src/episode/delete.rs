//! `episode delete`: takes an episode away; its history stays until it is purged.

use clap::Args;
use idetic_memory::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::MemoryArgs;
use crate::operation::operation;

operation! {
    name: "episode delete",
    about: "Delete an episode: it is no longer retrieved",
    example: "idetic episode delete 0199…",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Delete, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Delete {
    /// The episode's id
    #[arg(value_name = "EPISODE")]
    #[serde(alias = "id", alias = "episode_id")]
    episode: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    reason: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: Delete) -> Result<()> {
    let viewpoint = args.whose.reading(cx)?;
    let deleted = viewpoint.delete_episode(&args.episode, args.reason.as_deref())?;
    cx.answer(deleted)
}
