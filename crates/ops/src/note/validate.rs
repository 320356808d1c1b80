//! `note validate`: what is missing, dangling or odd in the notes.

use std::collections::HashSet;

use clap::Args;
use idetic_formats::amem::note::Note;
use idetic_formats::amem::tags;
use idetic_memory::as_of::AsOf;
use idetic_memory::notes::stem;
use idetic_memory::{Error, Kind, NoteFinding, NoteRow, Result, Space};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "note validate",
    about: "Check the notes: required fields, broken links, tags",
    example: "idetic note validate",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Validate, run: run,
}

/// What the frontmatter of a note must have.
const REQUIRED: [&str; 4] = ["id", "created", "updated", "tags"];

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Validate {
    /// Only this note
    #[arg(value_name = "ID")]
    note: Option<String>,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut OwnerContext, args: Validate) -> Result<()> {
    let space = cx.space()?;
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    let all = space.living_notes(horizon)?;
    let known: HashSet<String> = all.iter().map(|row| row.note.clone()).collect();
    let rows = match &args.note {
        Some(id) => vec![space.living_note(id, horizon)?],
        None => all,
    };
    let (mut wrong, count) = (0, rows.len());
    for row in rows {
        for finding in check(&space, &row, &known)? {
            wrong += usize::from(finding.wrong);
            cx.answer(finding)?;
        }
    }
    match wrong {
        0 => cx.answer(Done { done: format!("{count} notes are as they should be"), events: 0, head: None }),
        wrong => Err(Error::new(Kind::CheckFailed, format!("{wrong} problems in {count} notes"))
            .hint("fix them with `idetic note edit`, or in the file")),
    }
}

fn check(space: &Space, row: &NoteRow, known: &HashSet<String>) -> Result<Vec<NoteFinding>> {
    let text = space.note_text(row)?;
    let (note, problems) = Note::read(stem(row), &text);
    let mut findings = Vec::new();
    let mut find = |wrong: bool, found: String| findings.push(NoteFinding { note: row.note.clone(), wrong, found });
    for problem in problems {
        find(problem.loses, format!("line {}: {}", problem.line, problem.reason));
    }
    for key in REQUIRED.iter().filter(|key| note.get(key).is_none()) {
        find(true, format!("'{key}' is missing in the frontmatter"));
    }
    for link in row.links.iter().chain(&row.replaced_by).filter(|link| !known.contains(*link)) {
        find(true, format!("the link to '{link}' is broken"));
    }
    for tag in note.tags.iter().filter(|tag| tags::normal(tag) != **tag) {
        find(false, format!("tag '{tag}' is known as '{}'", tags::normal(tag)));
    }
    if note.tags.is_empty() && note.get("tags").is_some() {
        find(false, "it has no tags: it is found by its words only".to_owned());
    }
    if row.is_deprecated() && row.replaced_by.is_none() {
        find(false, "it is deprecated and does not say what replaces it".to_owned());
    }
    Ok(findings)
}
