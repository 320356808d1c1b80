//! `amem import`: what an A-MEM folder has becomes events.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::amem::{Bound, Wishes, answer};
use crate::operation::operation;
use crate::{Context, Result};

operation! {
    name: "amem import",
    about: "Import an A-MEM folder: events of every shape, notes, profiles; running it again adds only what is new",
    example: "idetic amem import .chora/memory",
    rights: Admin, reader: Owner, faces: [Cli], destructive: false,
    answers: One, args: AmemImport, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AmemImport {
    /// The memory folder, or the project it is in
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

fn run(cx: &mut Context, args: AmemImport) -> Result<()> {
    let wishes = Wishes { take_in: true, ..Wishes::default() };
    let report = Bound::open(cx.space_or_new()?, &args.folder)?.trusted_as_configured(cx)?.run(cx, wishes)?;
    answer(cx, report)
}
