//! `note outcome`: how it went to do what a note says.

use clap::Args;
use idetic_memory::{Error, NoteLine, Result, note_outcome};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "note outcome",
    about: "Record whether what a note says worked: its confidence rises or falls",
    example: "idetic note outcome backend-timeout-fix --worked --trace t-42",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Outcome, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Outcome {
    /// The note
    #[arg(value_name = "ID")]
    note: String,
    /// It worked
    #[arg(long, conflicts_with = "failed")]
    #[serde(default)]
    worked: bool,
    /// It did not work
    #[arg(long)]
    #[serde(default)]
    failed: bool,
    /// The trace in which it was tried
    #[arg(long, value_name = "TRACE")]
    #[serde(default)]
    trace: Option<String>,
    /// Who tried it
    #[arg(long, value_name = "WHO")]
    #[serde(default)]
    author: Option<String>,
}

fn run(cx: &mut OwnerContext, args: Outcome) -> Result<()> {
    if args.worked == args.failed {
        return Err(Error::invalid("did it work or not?").hint("give one of --worked and --failed"));
    }
    let space = cx.space()?;
    space.living_note(&args.note, space.horizon(None)?)?;
    let author = cx.author(args.author)?;
    let record = note_outcome(&args.note, args.worked, args.trace.as_deref(), author.as_deref())?;
    space.append(vec![cx.sign(record)?], None)?;
    let horizon = space.horizon(None)?;
    let row = space.living_note(&args.note, horizon)?;
    let tried = space.tried(&row.note, horizon)?;
    cx.answer(NoteLine::of(row, tried))
}
