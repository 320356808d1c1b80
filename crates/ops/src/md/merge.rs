//! `md merge`: two branches of an event log joined, as git asks for it.

use clap::Args;
use idetic_memory::Result;
use idetic_sync::markdown::merge_files;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::md::In;
use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "md merge",
    about: "Merge two branches of CHANGELOG.md as a git merge driver: nothing is lost, later events get new numbers",
    example: "idetic md merge BASE OURS THEIRS",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdMerge, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdMerge {
    /// The file as it was when the branches diverged
    #[arg(value_name = "BASE")]
    base: std::path::PathBuf,
    /// The file of this branch; the result is written there
    #[arg(value_name = "OURS")]
    ours: std::path::PathBuf,
    /// The file of the other branch
    #[arg(value_name = "THEIRS")]
    theirs: std::path::PathBuf,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdMerge) -> Result<()> {
    let done = merge_files(&args.base, &args.ours, &args.theirs, cx.notice)?;
    cx.answer(Done { done, events: 0, head: None })
}
