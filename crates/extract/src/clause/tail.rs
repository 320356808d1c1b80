//! What a clause says behind the value of a pattern: when, where, with whom.

use super::super::kind::Kind;
use super::super::patterns::Pattern;
use super::super::plain::LOOSE;
use super::super::tell::retell;
use super::super::token::Token;
use super::super::words::Words;
use super::Reader;
use super::passing::MOMENTS;
use crate::doubt::has;

/// Words that it begins with.
const BEGINS: Words = Words(include_str!("../../data/clause/tail/begins.txt"));

/// Words that end it: another clause begins.
const ENDS: Words = Words(include_str!("../../data/clause/tail/ends.txt"));

/// Words that point elsewhere.
const ELSEWHERE: Words = Words(include_str!("../../data/clause/tail/elsewhere.txt"));

/// Most words of it.
const TAIL_MAX_WORDS: usize = 10;

impl Reader<'_> {
    /// The rest of a clause as it is told, and where it ends; none where it says more than that.
    pub(super) fn tail(&self, at: usize, pattern: &Pattern) -> Option<(String, usize)> {
        // "Maintained by Chiara and Bram".
        let joined =
            (at + 1..at + 4).take_while(|&place| self.words.get(place).is_some_and(|t| t.capital && t.word)).last();
        if let Some(last) =
            joined.filter(|&last| self.words[at].lower == "and" && self.words.get(last + 1).is_none_or(|t| !t.word))
        {
            return Some((self.slice(at, last + 1).to_owned(), last + 1));
        }
        let first = self.words.get(at).filter(|t| BEGINS.contains(&t.lower))?;
        let stops = |t: &Token| !t.word || ENDS.contains(&t.lower) && !t.capital;
        let end = (at..self.words.len()).find(|&place| stops(&self.words[place])).unwrap_or(self.words.len());
        let said = &self.words[at..end];
        // "Since the last commit" says when it began, and not for how long it holds.
        let vague = first.lower == "since"
            && !said[1..].iter().any(|t| t.capital || t.lower.starts_with(|c: char| c.is_ascii_digit()));
        let loose = said.iter().any(|t| LOOSE.contains(&t.lower) || ELSEWHERE.contains(&t.lower))
            || MOMENTS.iter().any(|moment| has(said, moment));
        let full =
            (2..=TAIL_MAX_WORDS).contains(&said.len()) || matches!(first.lower.as_str(), "daily" | "weekly" | "alone");
        // What it is used for does not tell one use from another, and a number might be another the next time.
        let numbered = said.iter().any(|t| t.lower.contains(|c: char| c.is_ascii_digit()));
        let timed = matches!(pattern.kind, Kind::Day | Kind::Date | Kind::Clock | Kind::ClockOrPath);
        let differs = numbered && !timed && !matches!(first.lower.as_str(), "since" | "in")
            || pattern.attribute == "uses" && first.lower == "for";
        if vague || loose || differs || !full {
            return None;
        }
        let told = retell(self.text, said, &self.speaker.told(), "the team");
        let mut chars = told.trim_end_matches('.').chars();
        let small: String = chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect();
        Some((small, end))
    }
}
