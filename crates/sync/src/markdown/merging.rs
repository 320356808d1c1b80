//! Two branches of an event log joined for git.

use std::fs;
use std::path::Path;

use idetic_formats::markdown::changelog::event_id;
use idetic_formats::markdown::merge::{Conflict, Side};
use idetic_formats::markdown::{Merged, merge};
use idetic_memory::folder::{Folder, io};
use idetic_memory::{Error, Result};

/// Joins the files and writes the result to ours; says what was done. What a person should look at is told.
pub fn merge_files(base: &Path, ours: &Path, theirs: &Path, notice: &mut dyn FnMut(&str)) -> Result<String> {
    let Merged { text, renumbered, conflicts } = merge(&read(base)?, &read(ours)?, &read(theirs)?);
    for conflict in &conflicts {
        notice(&told(conflict));
    }
    let folder = ours.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = ours.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Folder::open(folder)?.put(&name, &text)?;
    for one in &renumbered {
        notice(&format!("{} is {} now", event_id(one.old), event_id(one.new)));
    }
    Ok(match renumbered.len() {
        1 => "merged; 1 event was renumbered".to_owned(),
        count => format!("merged; {count} events were renumbered"),
    })
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(io("read", path))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::invalid(format!("{}: byte {at} is not UTF-8", path.display())).hint("fix the file and merge again")
    })
}

fn told(conflict: &Conflict) -> String {
    let side = |side: &Side| if *side == Side::Ours { "this branch" } else { "the other branch" };
    match conflict {
        Conflict::Text { .. } => {
            "both branches changed the same text: both versions are kept, one after the other".to_owned()
        }
        Conflict::Edited { number, side: who } => {
            format!("{} was edited on {}: `idetic md validate` says more", event_id(*number), side(who))
        }
        Conflict::EditedTwice { number, other } => {
            format!("{} was edited on both branches: the other version is {}", event_id(*number), event_id(*other))
        }
        Conflict::Deleted { number, side: who } => {
            format!("{} was deleted on {}: it was restored", event_id(*number), side(who))
        }
        Conflict::Stray { text } => {
            let start: String = text.chars().take(60).collect();
            format!("text between events of the other branch was moved after the last event: {start}")
        }
    }
}
