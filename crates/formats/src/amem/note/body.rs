//! The text of a note: its first heading, and the notes it names in double brackets.

use crate::amem::links::note_id;

/// Longest name in double brackets.
const LINK_MAX_BYTES: usize = 200;

/// The first heading of the first level.
pub(super) fn title(body: &str) -> Option<String> {
    let heading = prose(body).find_map(|line| line.strip_prefix("# ").map(str::trim));
    heading.filter(|title| !title.is_empty()).map(str::to_owned)
}

/// The notes named in `[[…]]`, in order, code left out.
pub(super) fn wikilinks(body: &str) -> impl Iterator<Item = String> {
    prose(body).flat_map(|line| {
        // Every second part between backticks is code; after the last one that has no partner it is text again.
        let parts: Vec<&str> = line.split('`').collect();
        let whole = parts.len() % 2 == 1;
        let texts = parts.into_iter().enumerate().filter(move |(at, _)| !whole || at % 2 == 0);
        texts.flat_map(|(_, text)| links_in(text)).collect::<Vec<_>>()
    })
}

fn links_in(text: &str) -> impl Iterator<Item = String> {
    text.split("[[").skip(1).filter_map(|part| {
        let (target, _) = part.split_once("]]")?;
        let id = note_id(target);
        (!id.is_empty() && id.len() <= LINK_MAX_BYTES).then_some(id)
    })
}

/// The lines that are not inside a fence of code.
fn prose(body: &str) -> impl Iterator<Item = &str> {
    let mut fence: Option<&str> = None;
    body.lines().filter(move |line| {
        let mark = line.trim_start();
        let opens = ["```", "~~~"].into_iter().find(|f| mark.starts_with(f));
        match (fence, opens) {
            (None, Some(opened)) => {
                fence = Some(opened);
                false
            }
            (Some(open), Some(closes)) if open == closes => {
                fence = None;
                false
            }
            (open, _) => open.is_none(),
        }
    })
}
