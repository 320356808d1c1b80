//! `amem validate`: whether an A-MEM folder is as the specification wants it. Nothing is written anywhere.

use std::path::PathBuf;

use clap::Args;
use idetic_memory::Result;
use idetic_sync::amem::validate;
use schemars::JsonSchema;
use serde::Deserialize;

use super::answer;
use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "amem validate",
    about: "Check an A-MEM folder against the document: events, notes, links, tags; exits 1 on errors; nothing is written",
    example: "idetic amem validate .chora/memory",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: AmemValidate, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AmemValidate {
    /// The memory folder, or the project it is in
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

fn run(cx: &mut OwnerContext, args: AmemValidate) -> Result<()> {
    let report = validate(&args.folder)?;
    answer(cx, report)
}
