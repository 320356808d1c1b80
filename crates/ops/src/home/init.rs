//! `init`: makes a home.

use std::path::PathBuf;

use clap::Args;
use idetic_memory::{Home, Memory, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "init",
    about: "Create a home: the folder that holds your memory",
    example: "idetic init",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: Init, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Init {
    /// The folder to create; without one, the home that --home or IDETIC_HOME names, or .idetic in the current folder
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

fn run(cx: &mut OwnerContext, args: Init) -> Result<()> {
    let folder = args.dir.unwrap_or_else(|| cx.home().folder.clone());
    let new = Memory::init(&folder)?;
    cx.move_to(Home { folder: folder.clone(), found_by: "init".to_owned(), ..cx.home().clone() });
    cx.space_or_new()?;
    let done = if new { "created a home in" } else { "there is a home already in" };
    cx.answer(Done { done: format!("{done} {}", folder.display()), events: 0, head: None })
}
