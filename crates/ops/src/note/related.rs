//! `note related`: the notes around a note, by how many links away they are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use clap::Args;
use idetic_memory::as_of::AsOf;
use idetic_memory::{NoteRelated, NoteRow, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "note related",
    about: "List the notes linked to a note in either direction, the nearest first",
    example: "idetic note related backend-timeout-fix --depth 2",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Related, run: run,
}

const DEFAULT_DEPTH: usize = 2;

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Related {
    /// The note
    #[arg(value_name = "ID")]
    note: String,
    /// How many links away at most [default: 2]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    depth: Option<usize>,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut OwnerContext, args: Related) -> Result<()> {
    let space = cx.space()?;
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    let row = space.living_note(&args.note, horizon)?;
    let rows = space.living_notes(horizon)?;
    around(&row.note, &rows, args.depth.unwrap_or(DEFAULT_DEPTH)).into_iter().try_for_each(|near| cx.answer(near))
}

/// The notes around one, breadth first, those of the same distance by name. Links that lead nowhere are listed too.
fn around(start: &str, rows: &[NoteRow], depth: usize) -> Vec<NoteRelated> {
    let titles: HashMap<&str, &str> = rows.iter().map(|row| (row.note.as_str(), row.title.as_str())).collect();
    let mut next_to: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for row in rows {
        for link in &row.links {
            next_to.entry(&row.note).or_default().insert(link);
            next_to.entry(link).or_default().insert(&row.note);
        }
    }
    let (mut found, mut seen) = (Vec::new(), BTreeSet::from([start]));
    let mut edge = BTreeSet::from([start]);
    for distance in 1..=depth {
        let mut reached: BTreeMap<&str, &str> = BTreeMap::new();
        for via in edge {
            for near in next_to.get(via).into_iter().flatten().filter(|near| !seen.contains(**near)) {
                reached.entry(near).or_insert(via);
            }
        }
        for (note, via) in &reached {
            let title = titles.get(note).map(|title| (*title).to_owned());
            let (dangling, via) = (title.is_none(), (*via).to_owned());
            found.push(NoteRelated { note: (*note).to_owned(), distance, via, title, dangling });
        }
        seen.extend(reached.keys());
        edge = reached.into_keys().collect();
        if edge.is_empty() {
            break;
        }
    }
    found
}
