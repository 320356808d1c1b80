//! `export memories`: what is remembered, one JSON object a line, without hashes and history.

use clap::Args;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::to_raw_value;

use super::plain;
use crate::operation::operation;
use crate::{OwnerContext, RawLine};

operation! {
    name: "export memories",
    about: "Write what is remembered as plain JSONL: events in their newest version, facts and notes",
    example: "idetic export memories > memories.jsonl",
    rights: Read, reader: Owner, interfaces: [Cli], destructive: false,
    answers: Many, args: ExportMemories, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExportMemories {
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut OwnerContext, args: ExportMemories) -> Result<()> {
    let (space, horizon) = cx.space()?.as_of(args.as_of.as_ref())?;
    // Lines and a bar would be mixed up in a terminal.
    plain::each(&space, horizon, &mut |_, _| {}, &mut |memory| {
        let line = to_raw_value(&memory).map_err(|error| Error::unavailable(error.to_string()))?;
        cx.answer(RawLine(line))
    })
}
