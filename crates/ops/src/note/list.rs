//! `note list`: the notes there are.

use clap::Args;
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use idetic_memory::notes::filter::NoteFilter;
use schemars::JsonSchema;
use serde::Deserialize;

use super::writing::{filtered, note_lines};
use crate::OwnerContext;
use crate::arguments::FilterArgument;
use crate::operation::operation;

operation! {
    name: "note list",
    about: "List the notes, those last changed first",
    example: "idetic note list --tag backend --status validated",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: List, run: run, new_space: |_| Ok(()),
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct List {
    /// Only with this tag; if repeated, with all of them
    #[arg(long = "tag", short = 't', value_name = "TAG")]
    tags: Vec<String>,
    /// Any one of the tags is enough
    #[arg(long)]
    any: bool,
    /// Only with this status
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Only written by this author
    #[arg(long, value_name = "WHO")]
    author: Option<String>,
    /// Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    #[arg(long, value_name = "JSON")]
    filter: Option<FilterArgument>,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut OwnerContext, args: List) -> Result<()> {
    let filter = FilterArgument::condition(args.filter.as_ref(), cx.env.now())?;
    let space = cx.space()?;
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    let wanted = NoteFilter::new(&args.tags, args.any, args.status, args.author, None)?;
    let mut rows = filtered(&space, horizon, filter)?;
    rows.retain(|row| wanted.matches(row));
    rows.reverse();
    note_lines(&space, rows, horizon)?.into_iter().try_for_each(|line| cx.answer(line))
}
