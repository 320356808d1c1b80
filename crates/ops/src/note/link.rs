//! `note link`: let a note lead to another.

use clap::Args;
use idetic_formats::amem::links::note_id;
use idetic_formats::amem::names;
use idetic_formats::amem::note::{Change, New, Value};
use idetic_memory::{Base, Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "note link",
    about: "Link a note to another",
    example: "idetic note link backend-timeout-fix trace-context-pattern",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Link, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Link {
    /// The note to link from
    #[arg(value_name = "NOTE")]
    note: String,
    /// The note to link to
    #[arg(value_name = "OTHER")]
    other: String,
    /// Who changes it
    #[arg(long, value_name = "WHO")]
    #[serde(default)]
    author: Option<String>,
}

fn run(cx: &mut OwnerContext, args: Link) -> Result<()> {
    let other = note_id(&args.other);
    names::check_existing_id(&other)?;
    if other == args.note {
        return Err(Error::invalid("a note cannot link to itself").hint("name two notes"));
    }
    let space = cx.space()?;
    let head = space.horizon(None)?;
    space.check_note_id(&other, head)?;
    let rows = space.living_notes(head)?;
    let saved = cx.change_note(&args.note, Base::Whatever, args.author, &mut |note, _| {
        if note.links.contains(&other) {
            return Ok(Vec::new());
        }
        let mut links = match note.get("linked_to") {
            Some(Value::List(links)) => links.clone(),
            Some(Value::Text(link)) if !link.is_empty() => vec![link.clone()],
            _ => Vec::new(),
        };
        links.push(other.clone());
        Ok(vec![Change::Set("linked_to".to_owned(), New::List(links))])
    })?;
    cx.check_links(std::slice::from_ref(&other), &rows);
    cx.answer(saved)
}
