//! `note show`: a note, whole, as its file has it.

use clap::Args;
use idetic_memory::as_of::AsOf;
use idetic_memory::{NoteLine, NoteShown, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "note show",
    about: "Show a whole note, with its confidence after what was tried",
    example: "idetic note show backend-timeout-fix",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Show, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Show {
    /// The note
    #[arg(value_name = "ID")]
    note: String,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut OwnerContext, args: Show) -> Result<()> {
    let space = cx.space()?;
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    let row = space.living_note(&args.note, horizon)?;
    let text = space.note_text(&row)?;
    let mut linked_from: Vec<String> = space
        .living_notes(horizon)?
        .into_iter()
        .filter(|other| other.links.contains(&row.note))
        .map(|other| other.note)
        .collect();
    linked_from.sort_unstable();
    let tried = space.tried(&row.note, horizon)?;
    let origin = space.event(row.seq)?.origin().to_owned();
    cx.answer(NoteShown { line: NoteLine::of(row, tried), linked_from, origin, text })
}
