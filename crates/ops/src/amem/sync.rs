//! `amem sync`: an A-MEM folder and the log, both ways.

use std::path::PathBuf;

use clap::Args;
use idetic_memory::Result;
use idetic_sync::amem::{SyncOptions, make_folder};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{answer, run_folder};
use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "amem sync",
    about: "Sync an A-MEM folder and the log, both ways; existing lines are never changed",
    example: "idetic amem sync .chora/memory",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: AmemSync, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AmemSync {
    /// The memory folder, or the project it is in; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Include everything, even what is private or an agent's subconscious: for your own use
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Rewrite event files from the log where old lines were changed or deleted
    #[arg(long)]
    #[serde(default)]
    restore: bool,
}

fn run(cx: &mut OwnerContext, args: AmemSync) -> Result<()> {
    make_folder(&args.folder)?;
    let wishes = SyncOptions { take_in: true, write_out: true, all: args.all, restore: args.restore };
    let space = cx.space_or_new()?;
    let report = run_folder(cx, space, &args.folder, wishes)?;
    answer(cx, report)
}
