//! What stands of what people told their agents: rules, decisions and what is left to do, each until it is given up.
//!
//! Prompts that hold such a thing carry a tag, so that all of them are found at once however many prompts there are; what it is
//! that stands is read from their text whenever it is asked.

use std::collections::{BTreeSet, HashMap};

use idetic_core::views::TAGS;
use idetic_core::views::TIMELINE;
use idetic_core::words::Trust;
use idetic_core::{Event, Time};
use idetic_extract::{DirectiveKind, directives, replaced};
use idetic_search::{Changes, Lane, id_hash};
use idetic_store::{Filter, Select};

use crate::writer::{PASTED, project_of};
use crate::{Result, Viewpoint};

/// Most prompts that are read; the latest count.
const PROMPTS_MAX: usize = 5000;
/// The kinds of what a person asked to be remembered.
const TOLD: [&str; 3] = ["memory.remembered", "decision", "rule"];
/// Most of each that are read.
const TOLD_MAX: usize = 500;
/// What says that something is done.
const DONE: [&str; 12] = [
    "done", "finished", "fixed", "set", "added", "merged", "shipped", "already", "works", "resolved", "rotated",
    "removed",
];
/// From this share of its words on a sentence that says "done" is about a task.
const SAME_TASK: f64 = 0.6;

/// Something that stands, in its author's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// What it is.
    pub kind: DirectiveKind,
    /// The words.
    pub text: String,
    /// The event that says it.
    pub id: String,
    /// Its number.
    pub seq: u64,
    /// When it was said.
    pub ts: Time,
}

/// The tag of a text that says that something is done.
const DONE_TAG: &str = "done";
/// Longest sentence that says so, in words.
const DONE_MAX_WORDS: usize = 16;

/// The tags of a text that somebody says: what kinds of things stand in it, and whether something is done.
pub fn tags(text: &str) -> BTreeSet<&'static str> {
    let stands = directives(text).into_iter().map(|found| found.kind.word());
    stands.chain(parts(text).any(says_done).then_some(DONE_TAG)).collect()
}

/// The sentences of a text, about.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split(['.', '!', ';']))
}

/// What stands in a project, the earliest first. `is_here` tells whether a project is the one in question; what is about the
/// person stands in every one.
pub fn standing(viewpoint: &Viewpoint, is_here: &dyn Fn(&str) -> bool, horizon: u64) -> Result<Vec<Standing>> {
    let newest = |select: Select, most: usize| Select { newest_first: true, limit: Some(most), ..select };
    let mut seqs = BTreeSet::new();
    for tag in DirectiveKind::ALL.map(DirectiveKind::word).into_iter().chain([DONE_TAG]) {
        let tagged = Select::from(&TIMELINE, horizon).filter(Filter::Has(&TAGS, tag.into()));
        seqs.extend(viewpoint.seqs(&newest(tagged, PROMPTS_MAX))?);
    }
    for kind in TOLD {
        let told = Select::from(&TIMELINE, horizon).filter(Filter::Is("kind", kind.into()));
        seqs.extend(viewpoint.seqs(&newest(told, TOLD_MAX))?);
    }
    let seqs: Vec<u64> = seqs.into_iter().collect();
    let changes = viewpoint.changes(horizon)?;
    let mut found: Vec<Standing> = Vec::new();
    for event in viewpoint.events(&seqs)? {
        // Only a person's own word stands: what they pasted, and what anybody else says, is data.
        if event.trust() == Trust::User
            && event.origin() != PASTED
            && counts(&event, &changes)
            && viewpoint.sees_event(&event)
        {
            take(&event, is_here, &mut found);
        }
    }
    Ok(found)
}

/// What an event adds to what stands, and what it ends.
fn take(event: &Event, is_here: &dyn Fn(&str) -> bool, found: &mut Vec<Standing>) {
    let source = event.fields.as_ref().and_then(|fields| fields.source.as_deref());
    let is_here = project_of(source, event.origin()).is_none_or(is_here);
    let text = event.whole_text();
    let told = TOLD.contains(&event.header.kind.as_str());
    let said = directives(&text);
    // What was asked to be remembered stands as it is; a prompt stands by the sentences that say so.
    if told && said.is_empty() && is_here {
        let kind = match event.header.kind.as_str() {
            "rule" => DirectiveKind::Rule,
            "decision" => DirectiveKind::Decision,
            _ => return,
        };
        add(event, kind, text.trim(), found);
        return;
    }
    for directive in said {
        if !(is_here || directive.is_personal) {
            continue;
        }
        let words = text[directive.span].trim();
        if is_here {
            let given_up = replaced(words);
            found.retain(|earlier| !given_up.iter().any(|word| has_word(&earlier.text, word)));
        }
        add(event, directive.kind, words, found);
    }
    if is_here {
        let done: Vec<&str> = parts(&text).filter(|part| says_done(part)).collect();
        found.retain(|earlier| {
            earlier.kind != DirectiveKind::Todo
                || earlier.seq == event.seq()
                || !done.iter().any(|part| is_about(part, &earlier.text))
        });
    }
}

fn add(event: &Event, kind: DirectiveKind, words: &str, found: &mut Vec<Standing>) {
    let bare = |text: &str| text.trim_end_matches(['.', '!']).to_lowercase();
    found.retain(|earlier| bare(&earlier.text) != bare(words));
    let (id, seq, ts) = (event.header.id.clone(), event.seq(), event.ts());
    found.push(Standing { kind, text: words.to_owned(), id, seq, ts });
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
        .map(|word| word.trim_matches('.').to_lowercase())
}

fn has_word(text: &str, wanted: &str) -> bool {
    words(text).any(|word| word == wanted)
}

fn says_done(text: &str) -> bool {
    text.split_whitespace().count() <= DONE_MAX_WORDS && words(text).any(|word| DONE.contains(&word.as_str()))
}

/// Whether a sentence speaks of a task: most of the task's words stand in it.
fn is_about(sentence: &str, task: &str) -> bool {
    let of_task: Vec<String> = words(task).filter(|word| word.len() > 3 && !DONE.contains(&word.as_str())).collect();
    let common = of_task.iter().filter(|word| has_word(sentence, word)).count();
    !of_task.is_empty() && common as f64 >= SAME_TASK * of_task.len() as f64
}

/// Whether an event still counts as a document.
pub fn counts(event: &Event, changes: &HashMap<String, Changes>) -> bool {
    let lane = event.fields.as_ref().map(|fields| Lane::of(fields).name());
    let changes = lane.and_then(|lane| changes.get(&lane));
    !changes.is_some_and(|changes| changes.is_retired(id_hash(&event.header.id), event.seq(), event.trust() as u8))
}
