//! `amem init`: an A-MEM folder with everything the specification lays out, and what the log has.

use std::path::PathBuf;

use clap::Args;
use idetic_memory::Result;
use idetic_sync::amem::{Wishes, lay_out};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{answer, run_folder};
use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "amem init",
    about: "Create an A-MEM folder: guides for agents, saved queries, and the log's content; existing files are kept",
    example: "idetic amem init .chora/memory",
    rights: Admin, reader: Owner, faces: [Cli], destructive: false,
    answers: One, args: AmemInit, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AmemInit {
    /// The memory folder
    #[arg(value_name = "DIR", default_value = ".chora/memory")]
    #[serde(default = "usual")]
    folder: PathBuf,
}

fn usual() -> PathBuf {
    PathBuf::from(".chora/memory")
}

fn run(cx: &mut OwnerContext, args: AmemInit) -> Result<()> {
    lay_out(&args.folder)?;
    let wishes = Wishes { take_in: true, write_out: true, ..Wishes::default() };
    let space = cx.space_or_new()?;
    let report = run_folder(cx, space, &args.folder, wishes)?;
    answer(cx, report)
}
