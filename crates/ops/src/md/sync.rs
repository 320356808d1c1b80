//! `md sync`: the files of a project and the log, both ways.

use clap::Args;
use idetic_memory::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::{In, answer};
use crate::operation::operation;

operation! {
    name: "md sync",
    about: "Import what was added to CHANGELOG.md, write what was appended elsewhere, derive graph, context and tasks",
    example: "idetic md sync",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdSync, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdSync {
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdSync) -> Result<()> {
    let mut project = args.place.open(cx)?;
    let _alone = project.lock()?;
    project.must_have_begun()?;
    project.sync()?;
    answer(cx, project.into_report())
}
