//! `amem import`: what an A-MEM folder has becomes events.

use std::path::PathBuf;

use clap::Args;
use idetic_memory::Result;
use idetic_sync::amem::SyncOptions;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{answer, run_folder};
use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "amem import",
    about: "Import an A-MEM folder: events of every shape, notes, profiles; running it again adds only what is new",
    example: "idetic amem import .chora/memory",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: AmemImport, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AmemImport {
    /// The memory folder, or the project it is in
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

fn run(cx: &mut OwnerContext, args: AmemImport) -> Result<()> {
    let wishes = SyncOptions { take_in: true, ..SyncOptions::default() };
    let space = cx.space_or_new()?;
    let report = run_folder(cx, space, &args.folder, wishes)?;
    answer(cx, report)
}
