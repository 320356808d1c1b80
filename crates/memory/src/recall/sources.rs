//! What an agent repeats stands behind what it was reminded of.

use std::collections::{HashMap, HashSet};

use idetic_core::views::{RECALLED, TIMELINE};
use idetic_core::words::Trust;
use idetic_search::words;
use idetic_store::{Filter, Select};

use crate::scope::lane_of;
use crate::viewpoint::Viewpoint;
use crate::{RecallHit, Result};

/// Loops that are looked into for one question: those of the best hits.
const LOOPS_MAX: usize = 64;
/// A text says something new if more than one in so many of its words is.
const NEW_WORDS: usize = 3;
/// Words that turn what was said into something else.
const CORRECTIONS: [&str; 16] = [
    "not",
    "no",
    "never",
    "none",
    "cannot",
    "without",
    "instead",
    "anymore",
    "longer",
    "wrong",
    "sorry",
    "actually",
    "changed",
    "moved",
    "now",
    "correction",
];

/// A loop: the agent whose it is, and its name.
type Loop = (String, String);

/// Puts before what a loop asked or answered the event it was reminded of that says it all, and more than the question. Of
/// the hits so many are shown.
pub(super) fn first(
    reader: &Viewpoint,
    question: &str,
    hits: Vec<RecallHit>,
    shown: usize,
    horizon: u64,
) -> Result<Vec<RecallHit>> {
    let reminded = reminders(reader, &hits, horizon)?;
    let asked: HashSet<String> = words::tokens(question).into_iter().collect();
    let said: Vec<HashSet<String>> = hits.iter().map(|hit| words::tokens(&hit.text).into_iter().collect()).collect();
    // For each place the hit that goes before it.
    let source_of = |at: usize| {
        let (hit, own) = (&hits[at], &said[at]);
        let ids = reminded.get(hit.of_loop.as_ref()?)?;
        let says_it_all = |place: &usize| {
            let (source, words) = (&hits[*place], &said[*place]);
            source.of_loop.is_none()
                && ids.contains(&source.id)
                && (source.is_good() || !words.is_disjoint(&asked))
                && trust(source).may_change(trust(hit))
                && !words.iter().all(|word| asked.contains(word) || is_users(hit) && own.contains(word))
                && !says_more(&hit.text, own, |word| asked.contains(word) || words.contains(word))
        };
        (0..hits.len()).find(says_it_all)
    };
    let sources: Vec<Option<usize>> = (0..hits.len()).map(source_of).collect();
    // What repeats a hit that is shown anyway goes behind it; another hit is put before what repeats it.
    let mut hits: Vec<Option<RecallHit>> = hits.into_iter().map(Some).collect();
    let (mut ordered, mut waiting): (Vec<RecallHit>, Vec<(usize, RecallHit)>) = (Vec::new(), Vec::new());
    for at in 0..hits.len() {
        let Some(hit) = hits[at].take() else { continue };
        let score = hit.score;
        match sources[at].filter(|source| hits[*source].is_some()) {
            Some(source) if source < shown => waiting.push((source, hit)),
            source => {
                let source = source.and_then(|source| hits[source].take());
                ordered.extend(source.map(|source| RecallHit { score: source.score.max(score), ..source }));
                ordered.push(hit);
                let behind = waiting.extract_if(.., |(source, _)| *source == at);
                ordered.extend(behind.map(|(_, hit)| RecallHit { score: hit.score.min(score), ..hit }));
            }
        }
    }
    ordered.extend(waiting.into_iter().map(|(_, hit)| hit));
    Ok(ordered)
}

/// What the loops of some hits were reminded of, by loop.
fn reminders(reader: &Viewpoint, hits: &[RecallHit], horizon: u64) -> Result<HashMap<Loop, HashSet<String>>> {
    let mut reminded: HashMap<Loop, HashSet<String>> = HashMap::new();
    for of in hits.iter().filter_map(|hit| hit.of_loop.as_ref()) {
        if reminded.contains_key(of) || reminded.len() == LOOPS_MAX {
            continue;
        }
        let recalled = Select::from(&TIMELINE, horizon)
            .filter(Filter::Is("loop", of.1.as_str().into()))
            .filter(Filter::Is("kind", RECALLED.into()));
        let events = reader.space().events(&reader.seqs(&recalled)?)?;
        let own = events.into_iter().filter_map(|event| event.fields).filter(|fields| lane_of(fields).0 == of.0);
        let ids = own.flat_map(|fields| [fields.causes, fields.refs]).flatten().collect();
        reminded.insert(of.clone(), ids);
    }
    Ok(reminded)
}

fn trust(hit: &RecallHit) -> Trust {
    Trust::parse(hit.trust).unwrap_or(Trust::External)
}

/// Whether a person said it: that may correct what it resembles.
fn is_users(hit: &RecallHit) -> bool {
    hit.trust == Trust::User.word()
}

/// Whether a text says something that is not known: a number, a correction, or more than a few other words.
fn says_more(text: &str, said: &HashSet<String>, is_known: impl Fn(&String) -> bool) -> bool {
    let new: Vec<&String> = said.iter().filter(|word| !is_known(word)).collect();
    let corrects = text.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| {
        let word = word.to_lowercase();
        CORRECTIONS.contains(&word.as_str()) || word.ends_with("n't")
    });
    corrects || new.len() * NEW_WORDS > said.len() || new.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()))
}
