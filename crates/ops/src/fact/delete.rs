//! `fact delete`: takes a fact away; its history stays until it is purged.

use clap::Args;
use idetic_memory::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::MemoryArgs;
use crate::operation::operation;

operation! {
    name: "fact delete",
    about: "Delete a fact: it is no longer retrieved; `purge --fact` also erases what it said",
    example: "idetic fact delete 0199… --reason \"was a joke\"",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Delete, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Delete {
    /// The fact's id
    #[arg(value_name = "FACT")]
    #[serde(alias = "id", alias = "fact_id")]
    fact: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    reason: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: Delete) -> Result<()> {
    let viewpoint = args.whose.reading(cx)?;
    let deleted = viewpoint.delete_fact(&args.fact, args.reason.as_deref())?;
    cx.answer(deleted)
}
