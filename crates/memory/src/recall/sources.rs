//! What an agent repeats stands behind what it was reminded of.

use std::collections::{HashMap, HashSet};

use idetic_core::views::{RECALLED, TIMELINE};
use idetic_search::words;
use idetic_store::{Filter, Select};

use crate::viewpoint::Viewpoint;
use crate::{RecallHit, Result};

/// Loops that are looked into for one question.
const LOOPS_MAX: usize = 64;
/// A text says something new if more than one in so many of its words is.
const NEW_WORDS: usize = 3;

/// Puts what a loop asked or answered behind the first event the loop was reminded of, if it says nothing that is not in
/// the question or there.
pub(super) fn first(reader: &Viewpoint, question: &str, hits: Vec<RecallHit>, horizon: u64) -> Result<Vec<RecallHit>> {
    let reminded = reminders(reader, &hits, horizon)?;
    let asked: HashSet<String> = words::tokens(question).into_iter().collect();
    let of_source: HashMap<&str, HashSet<String>> = hits
        .iter()
        .filter(|hit| hit.loop_id.is_none())
        .map(|hit| (hit, words::tokens(&hit.text).into_iter().collect::<HashSet<_>>()))
        .filter(|(hit, said)| hit.is_good() || !said.is_disjoint(&asked))
        .map(|(hit, said)| (hit.id.as_str(), said))
        .collect();
    // For each hit that repeats some others, which.
    let sources: Vec<Option<HashSet<String>>> = hits
        .iter()
        .map(|hit| {
            let ids = reminded.get(hit.loop_id.as_deref()?)?;
            let own: Vec<&str> = of_source.keys().copied().filter(|id| ids.contains(*id)).collect();
            let known = |word: &String| asked.contains(word) || own.iter().any(|id| of_source[id].contains(word));
            let adds = own.is_empty() || says_more(&hit.text, known);
            (!adds).then(|| own.into_iter().map(str::to_owned).collect())
        })
        .collect();
    let (mut ordered, mut waiting): (Vec<RecallHit>, Vec<(RecallHit, HashSet<String>)>) = (Vec::new(), Vec::new());
    for (hit, sources) in hits.into_iter().zip(sources) {
        match sources {
            Some(sources) if !ordered.iter().any(|earlier| sources.contains(&earlier.id)) => {
                waiting.push((hit, sources));
            }
            _ => {
                let (id, score) = (hit.id.clone(), hit.score);
                ordered.push(hit);
                let released = waiting.extract_if(.., |(_, sources)| sources.contains(&id));
                ordered.extend(released.map(|(hit, _)| RecallHit { score: hit.score.min(score), ..hit }));
            }
        }
    }
    Ok(ordered)
}

/// What the loops of some hits were reminded of, by loop.
fn reminders(reader: &Viewpoint, hits: &[RecallHit], horizon: u64) -> Result<HashMap<String, HashSet<String>>> {
    let mut loops: Vec<&str> = hits.iter().filter_map(|hit| hit.loop_id.as_deref()).collect();
    loops.sort_unstable();
    loops.dedup();
    let mut reminded = HashMap::new();
    for of in loops.into_iter().take(LOOPS_MAX) {
        let recalled = Select::from(&TIMELINE, horizon)
            .filter(Filter::Is("loop", of.into()))
            .filter(Filter::Is("kind", RECALLED.into()));
        let events = reader.space().events(&reader.seqs(&recalled)?)?;
        let ids = events.into_iter().filter_map(|event| event.fields).flat_map(|fields| [fields.causes, fields.refs]);
        reminded.insert(of.to_owned(), ids.flatten().collect());
    }
    Ok(reminded)
}

/// Whether a text says something that is not known: a number, or more than a few other words.
fn says_more(text: &str, is_known: impl Fn(&String) -> bool) -> bool {
    let words = words::tokens(text);
    let new: Vec<&String> = words.iter().filter(|word| !is_known(word)).collect();
    new.len() * NEW_WORDS > words.len() || new.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()))
}
