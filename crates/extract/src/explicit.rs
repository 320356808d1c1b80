//! Sentences that ask to be remembered: they are kept as they are where no pattern reads them.

use super::Statement;
use super::doubt::starts;
use super::subject::Speaker;
use super::tell::retell;
use super::token::Token;
use super::words::Words;

/// How one asks to remember what follows.
const ASKS: Words = Words(include_str!("../data/explicit/asks.txt"));

/// What a sentence worth remembering does not begin with.
const NO_START: Words = Words(include_str!("../data/explicit/no_start.txt"));

/// Fewest and most words of a sentence that is remembered as it is.
const WHOLE_WORDS: std::ops::RangeInclusive<usize> = 3..=40;

/// Where what is to be remembered begins.
pub fn start(words: &[Token]) -> Option<usize> {
    let lead = words.iter().take_while(|t| Words("and|also|ok|so|,|oh|hey|btw").contains(&t.lower)).count();
    let (ask, end) =
        ASKS.iter().filter_map(|ask| Some((ask, starts(words, lead, ask)?))).max_by_key(|(_, end)| *end)?;
    // "Remember my" belongs to what is remembered.
    let begins = ["i", "my", "the", "we", "our"].iter().any(|word| ask.ends_with(&format!(" {word}")));
    let at = if begins { end - 1 } else { end };
    words.get(at).is_some_and(|t| t.word && !NO_START.contains(t.lower.as_str())).then_some(at)
}

/// The whole sentence as a statement.
pub fn whole(text: &str, words: &[Token], speaker: &Speaker<'_>) -> Option<Statement> {
    let last = words.iter().rposition(|t| t.word)?;
    let words = &words[..=last];
    let span = words[0].span.start..words[last].span.end;
    let value = text.get(span.clone())?.to_owned();
    let counted = words.iter().filter(|t| t.word).count();
    if words.iter().any(|t| matches!(t.lower.as_str(), "you" | "your" | "yours" | "yourself")) {
        return None;
    }
    let told = retell(text, words, &speaker.told(), "the team");
    WHOLE_WORDS.contains(&counted).then(|| Statement {
        text: told,
        span,
        subject: String::new(),
        attribute: String::new(),
        value,
        single: false,
        negated: false,
    })
}
