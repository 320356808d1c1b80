//! `amem init`: an A-MEM folder with everything the specification lays out, and what the log has.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use idetic_memory::Result;
use idetic_sync::amem::{SyncOptions, following_folder, lay_out, let_follow};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{answer, run_folder};
use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "amem init",
    about: "Create an A-MEM folder: guides for agents, saved queries, and the log's content; existing files are kept",
    example: "idetic amem init .chora/memory --follow",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: AmemInit, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AmemInit {
    /// The memory folder
    #[arg(value_name = "DIR", default_value = ".chora/memory")]
    #[serde(default = "usual")]
    folder: PathBuf,
    /// Keep the folder in step from now on: every append is written to it as well
    #[arg(long)]
    #[serde(default)]
    follow: bool,
}

fn usual() -> PathBuf {
    PathBuf::from(".chora/memory")
}

fn run(cx: &mut OwnerContext, args: AmemInit) -> Result<()> {
    lay_out(&args.folder)?;
    let wishes = SyncOptions { take_in: true, write_out: true, ..SyncOptions::default() };
    let space = cx.space_or_new()?;
    let report = run_folder(cx, Arc::clone(&space), &args.folder, wishes)?;
    if args.follow {
        let_follow(&space, &args.folder)?;
    } else if following_folder(&space).is_none() && cx.config()?.amem.folder.is_empty() {
        (cx.notice)("what is appended from now on is written by `idetic amem sync`; with --follow, at once");
    }
    answer(cx, report)
}
