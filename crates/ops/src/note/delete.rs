//! `note delete`: a note is taken away; its history stays.

use clap::Args;
use idetic_memory::{Base, Error, NoteSaved, Result, note_deletion};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "note delete",
    about: "Delete a note; its history stays in the log",
    example: "idetic note delete backend-timeout-fix",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Delete, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Delete {
    /// The note
    #[arg(value_name = "ID")]
    note: String,
    /// Who deletes it
    #[arg(long, value_name = "WHO")]
    #[serde(default)]
    author: Option<String>,
}

fn run(cx: &mut OwnerContext, args: Delete) -> Result<()> {
    let space = cx.space()?;
    let author = cx.author(args.author)?;
    let id = args.note;
    space.check_note_id(&id, space.horizon(None)?)?;
    let written = space.write_note(&id, Base::Whatever, &cx.grant.writer(), &mut |row| match row {
        Some(row) if !row.deleted => note_deletion(&id, author.as_deref(), &row.event).map(Some),
        _ => Err(Error::not_found(format!("there is no note '{id}'")).hint("`idetic note list` lists them")),
    })?;
    let ack = written.ok_or_else(|| Error::unavailable("the note was not deleted").hint("try again"))?;
    cx.answer(NoteSaved { seq: Some(ack.seq), id: ack.id, note: id, done: "deleted" })
}
