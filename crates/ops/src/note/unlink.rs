//! `note unlink`: take the link from a note to another away.

use clap::Args;
use idetic_formats::amem::links::note_id;
use idetic_formats::amem::note::{Change, New, Note, Value};
use idetic_memory::{Base, Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "note unlink",
    about: "Remove the link from a note to another",
    example: "idetic note unlink backend-timeout-fix trace-context-pattern",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Unlink, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Unlink {
    /// The note to remove the link from
    #[arg(value_name = "NOTE")]
    note: String,
    /// The note it links to
    #[arg(value_name = "OTHER")]
    other: String,
    /// Who changes it
    #[arg(long, value_name = "WHO")]
    #[serde(default)]
    author: Option<String>,
}

fn run(cx: &mut OwnerContext, args: Unlink) -> Result<()> {
    let other = note_id(&args.other);
    let mut in_text = false;
    let saved = cx.change_note(&args.note, Base::Whatever, args.author, &mut |note, row| {
        if !note.links.contains(&other) {
            return Err(Error::not_found(format!("note '{}' does not link to '{other}'", row.note))
                .hint(format!("`idetic note show {}` shows its links", row.note)));
        }
        let mut changes = Vec::new();
        for key in ["linked_to", "links", "related"] {
            let links = match note.get(key) {
                Some(Value::List(links)) => links.clone(),
                Some(Value::Text(links)) => links.split(',').map(|link| link.trim().to_owned()).collect(),
                _ => continue,
            };
            let left: Vec<String> = links.iter().filter(|link| note_id(link) != other).cloned().collect();
            if left.len() < links.len() {
                changes.push(Change::Set(key.to_owned(), New::List(left)));
            }
        }
        in_text = Note::read(&row.note, &note.edit(&changes)).0.links.contains(&other);
        Ok(changes)
    })?;
    if in_text {
        (cx.notice)(&format!(
            "the text of '{}' itself names [[{other}]]: that link stays until it is edited",
            args.note
        ));
    }
    cx.answer(saved)
}
