//! `amem export`: what the log has becomes an A-MEM folder.

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
    name: "amem export",
    about: "Write the log to an A-MEM folder: events by month and trace, notes, indexes, profiles",
    example: "idetic amem export .chora/memory",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: AmemExport, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AmemExport {
    /// The memory folder, or the project it is in; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Include everything, even what is private or an agent's subconscious: for your own use
    #[arg(long)]
    #[serde(default)]
    all: bool,
}

fn run(cx: &mut OwnerContext, args: AmemExport) -> Result<()> {
    make_folder(&args.folder)?;
    let wishes = SyncOptions { write_out: true, all: args.all, ..SyncOptions::default() };
    let space = cx.space_or_new()?;
    let report = run_folder(cx, space, &args.folder, wishes)?;
    answer(cx, report)
}
