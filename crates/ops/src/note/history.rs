//! `note history`: every version of a note, the latest first.

use clap::Args;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, NoteVersion, Result, note_text};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "note history",
    about: "List every version of a note, the latest first",
    example: "idetic note history backend-timeout-fix --diff",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: History, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct History {
    /// The note
    #[arg(value_name = "ID")]
    note: String,
    /// Show what each version changed
    #[arg(long)]
    #[serde(default)]
    diff: bool,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut OwnerContext, args: History) -> Result<()> {
    let space = cx.space()?;
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    let versions = space.note_versions(&args.note, horizon)?;
    if versions.is_empty() {
        space.check_note_id(&args.note, space.horizon(None)?)?;
        return Err(Error::not_found(format!("there never was a note '{}'", args.note))
            .hint("`idetic note list` lists those there are"));
    }
    let mut newer: Option<(NoteVersion, String)> = None;
    for row in versions {
        let event = space.event(row.seq)?;
        let text = if row.deleted { String::new() } else { note_text(&event) };
        if let Some((mut version, newer_text)) = newer.take() {
            version.diff = args.diff.then(|| difference(&text, &newer_text));
            cx.answer(version)?;
        }
        let version = NoteVersion {
            note: row.note,
            id: row.event,
            seq: row.seq,
            recorded_at: event.header.recorded_at,
            origin: event.origin().to_owned(),
            // A deletion keeps the row of what it deletes: who deleted stands in the event.
            author: event.fields.and_then(|fields| fields.author),
            deleted: row.deleted,
            title: row.title,
            status: row.status,
            confidence: row.confidence,
            diff: None,
        };
        newer = Some((version, text));
    }
    if let Some((mut first, text)) = newer {
        first.diff = args.diff.then(|| difference("", &text));
        cx.answer(first)?;
    }
    Ok(())
}

/// The lines that went and came, behind `-` and `+`; what begins and ends the same is left out.
fn difference(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[same..], &new[same..]);
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - same], &new[..new.len() - same]);
    // Lines in between that are in both are not shown: who wants more compares the versions themselves.
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| format!("-{line}"));
    let come = new.iter().filter(|line| !old.contains(line)).map(|line| format!("+{line}"));
    gone.chain(come).collect()
}
