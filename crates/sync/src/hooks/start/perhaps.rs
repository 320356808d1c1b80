//! What the user said that perhaps still holds: unless a later session came back to it.

use std::collections::HashSet;

use idetic_core::{Event, Time};
use idetic_extract::ending::{Corrections, is_corrected, is_elsewhere, is_for_once, is_named_out, is_passing_remark};
use idetic_memory::standing::StandingDirective;
use idetic_search::words::tokens;

use super::{Line, Start, corrected_since, has_passed, session_of};

/// Most that is told, the latest first.
const PERHAPS: usize = 12;
/// A word names something if it stands in so many prompts at most, and is so long.
const NAMED_IN_MAX: usize = 2;
const NAME_CHARS: usize = 4;

pub fn perhaps(
    start: &Start,
    stands: &[StandingDirective],
    asked: &[Event],
    corrected: &[(Time, Corrections)],
) -> Vec<Line> {
    let unsure: Vec<&StandingDirective> = stands.iter().rev().filter(|standing| !standing.is_sure).collect();
    if unsure.is_empty() {
        return Vec::new();
    }
    let prompts: Vec<(&Event, HashSet<String>)> =
        asked.iter().map(|prompt| (prompt, names(&prompt.whole_text()))).collect();
    // How often a word was said up to then: what comes back to it says it again.
    let named_in = |word: &String, until: Time| {
        prompts.iter().filter(|(prompt, said)| prompt.ts() <= until && said.contains(word)).count()
    };
    let is_open = |standing: &&&StandingDirective| {
        let own = asked.iter().find(|prompt| prompt.header.id == standing.id).and_then(session_of);
        let words = names(&standing.text);
        let is_rare = |word: &&String| (1..=NAMED_IN_MAX).contains(&named_in(word, standing.ts));
        let names: Vec<&String> = words.iter().filter(is_rare).collect();
        // What was said for that once is over with the next session.
        let is_once = is_for_once(&standing.text);
        let corrected = corrected_since(corrected, standing.ts);
        !has_passed(standing, asked, start.now)
            && !is_passing_remark(&standing.text)
            && !is_elsewhere(&standing.text)
            && !is_corrected(&standing.text, &corrected)
            && !is_named_out(&standing.text, &corrected)
            && !prompts.iter().any(|(prompt, said)| {
                prompt.ts() > standing.ts
                    && own.is_some()
                    && session_of(prompt) != own
                    && (is_once || names.iter().any(|name| said.contains(*name)))
            })
    };
    unsure.iter().filter(is_open).take(PERHAPS).map(|standing| start.stated(standing, true)).collect()
}

/// The words of a text that may name something.
pub fn names(text: &str) -> HashSet<String> {
    tokens(text).into_iter().filter(|word| word.chars().count() >= NAME_CHARS).collect()
}
