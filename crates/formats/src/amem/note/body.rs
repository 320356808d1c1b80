//! The text of a note: its first heading, and the notes it names in double brackets.

use crate::amem::links::note_id;

/// Longest name in double brackets.
const LINK_MAX_BYTES: usize = 200;
/// Shortest run of backticks or tildes that fences code.
const FENCE_MIN_CHARS: usize = 3;

/// The first heading of the first level.
pub(super) fn title(body: &str) -> Option<String> {
    let mut prose = lines(body).filter(|(_, is_code)| !is_code);
    let heading = prose.find_map(|(line, _)| line.strip_prefix("# ").map(str::trim));
    heading.filter(|title| !title.is_empty()).map(str::to_owned)
}

/// The notes named in `[[…]]`, in order, code left out.
pub(super) fn wikilinks(body: &str) -> impl Iterator<Item = String> {
    parts(body).filter(|(_, is_code)| !is_code).flat_map(|(text, _)| links_in(text))
}

/// The parts of a text in order, and whether each is code: fenced, or between backticks on one line.
pub fn parts(body: &str) -> impl Iterator<Item = (&str, bool)> {
    lines(body).flat_map(|(line, is_code)| if is_code { vec![(line, true)] } else { split_code(line) })
}

fn links_in(text: &str) -> impl Iterator<Item = String> {
    text.split("[[").skip(1).filter_map(|part| {
        let (target, _) = part.split_once("]]")?;
        let id = note_id(target);
        (!id.is_empty() && id.len() <= LINK_MAX_BYTES).then_some(id)
    })
}

/// The lines with their ends, and whether each is a fence of code or stands inside one.
fn lines(body: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut fence: Option<&str> = None;
    body.split_inclusive('\n').map(move |line| {
        let before = fence;
        match (fence, fence_of(line, fence.is_none())) {
            (Some(open), Some((mark, ""))) if mark.starts_with(open) => fence = None,
            (None, Some((mark, _))) => fence = Some(mark),
            _ => {}
        }
        (line, before.is_some() || fence.is_some())
    })
}

/// The run of backticks or tildes that opens or closes a block of code, and what stands behind it.
fn fence_of(line: &str, opens: bool) -> Option<(&str, &str)> {
    // A block may stand in a quotation, and begin behind the mark of a list.
    let is_before = |c: char| {
        matches!(c, ' ' | '\t' | '>') || opens && (c.is_ascii_digit() || matches!(c, '-' | '*' | '+' | '.' | ')'))
    };
    let line = line.trim_start_matches(is_before);
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let run = &line[..line.len() - rest.len()];
    // "```code```" on one line is no block.
    (run.len() >= FENCE_MIN_CHARS && !(mark == '`' && rest.contains('`'))).then(|| (run, rest.trim()))
}

/// A line in parts, and whether each is code: it stands between two runs of as many backticks. A run without its like is text.
fn split_code(line: &str) -> Vec<(&str, bool)> {
    let (mut parts, mut begin, mut at) = (Vec::new(), 0, 0);
    while let Some(offset) = line[at..].find('`') {
        let open = at + offset;
        let ticks = ticks(&line[open..]);
        at = open + ticks;
        if let Some(length) = closing(&line[at..], ticks) {
            at += length;
            parts.extend([(&line[begin..open], false), (&line[open..at], true)]);
            begin = at;
        }
    }
    parts.push((&line[begin..], false));
    parts
}

/// How far it is to the end of the next run of so many backticks.
fn closing(text: &str, wanted: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(offset) = text[at..].find('`') {
        let run = ticks(&text[at + offset..]);
        at += offset + run;
        if run == wanted {
            return Some(at);
        }
    }
    None
}

/// How many backticks a text begins with.
fn ticks(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}
