//! What the user said that perhaps still holds: unless a later session came back to it.

use std::collections::HashSet;

use idetic_core::{Event, Time};
use idetic_core::views::TIMELINE;
use idetic_core::words::Trust;
use idetic_extract::ending::is_for_once;
use idetic_memory::Result;
use idetic_memory::standing::StandingDirective;
use idetic_search::words::tokens;
use idetic_store::{Filter, Select};

use super::{Line, Start};

/// Most that is told, the latest first.
const PERHAPS: usize = 12;
/// The latest prompts among which one that comes back to it is looked for.
const PROMPTS: usize = 200;
/// A word names something if it stands in so many prompts at most, and is so long.
const NAMED_IN_MAX: usize = 2;
const NAME_CHARS: usize = 4;

pub fn perhaps(start: &Start, stands: &[StandingDirective], horizon: u64) -> Result<Vec<Line>> {
    let unsure: Vec<&StandingDirective> = stands.iter().rev().filter(|standing| !standing.is_sure).collect();
    if unsure.is_empty() {
        return Ok(Vec::new());
    }
    let prompts = Select::from(&TIMELINE, horizon)
        .filter(Filter::Is("kind", "user_input".into()))
        .filter(Filter::Is("trust", Trust::User.word().into()));
    let prompts: Vec<(Event, HashSet<String>)> = start
        .of_project(prompts, PROMPTS)?
        .into_iter()
        .map(|prompt| {
            let words = names(&prompt.whole_text());
            (prompt, words)
        })
        .collect();
    // How often a word was said up to then: what comes back to it says it again.
    let named_in = |word: &String, until: Time| {
        prompts.iter().filter(|(prompt, said)| prompt.ts() <= until && said.contains(word)).count()
    };
    let session = |event: &Event| event.fields.as_ref().and_then(|fields| fields.conversation_id.clone());
    let is_open = |standing: &&&StandingDirective| {
        let own =
            prompts.iter().find(|(prompt, _)| prompt.header.id == standing.id).and_then(|(prompt, _)| session(prompt));
        let words = names(&standing.text);
        let is_rare = |word: &&String| (1..=NAMED_IN_MAX).contains(&named_in(word, standing.ts));
        let names: Vec<&String> = words.iter().filter(is_rare).collect();
        // What was said for that once is over with the next session.
        let is_once = is_for_once(&standing.text);
        !prompts.iter().any(|(prompt, said)| {
            prompt.ts() > standing.ts
                && own.is_some()
                && session(prompt) != own
                && (is_once || names.iter().any(|name| said.contains(*name)))
        })
    };
    Ok(unsure.iter().filter(is_open).take(PERHAPS).map(|standing| start.stated(standing, true)).collect())
}

fn names(text: &str) -> HashSet<String> {
    tokens(text).into_iter().filter(|word| word.chars().count() >= NAME_CHARS).collect()
}
