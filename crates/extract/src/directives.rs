//! What a person tells an agent that stands beyond the task at hand: rules, decisions, and what is left to do.
//!
//! Each sentence is weighed by its words with a small linear model: `data/directives/weights.tsv`, which `cargo xtask train
//! directives` makes from labelled prompts. It speaks only where it is sure, and in its author's own words.

use std::ops::Range;

use super::cut::{self, sentences};
use super::doubt::{has, is_question, starts};
use super::ending::is_surely_elsewhere;
use super::linear::{Linear, Mark, marks, of_words};
use super::private::holds_secret;
use super::token::{Token, tokens};
use super::words::Words;

/// A feature and its weights for a rule, a decision and a task, in order of the features.
const WEIGHTS: Linear = Linear(include_str!("../data/directives/weights.tsv"));

/// The likelihood from which on a sentence counts, and from which on it may.
const THRESHOLD: f64 = 0.7;
const PERHAPS: f64 = 0.25;

/// Fewest words of what stands.
const LEAST_WORDS: usize = 2;

/// What says by itself that something stands, at the beginning of a sentence; and what only begins like it.
const EXPLICIT: &str = include_str!("../data/directives/explicit.tsv");
const NOT_EXPLICIT: Words = Words(include_str!("../data/directives/not_explicit.txt"));

/// What may stand before that.
const LEADS: Words = Words("ok|okay|so|and|also|but|please|pls|well|hey|btw|actually|oh|yes|yeah|right|then|,|-");

/// What makes a rule one about the person, whatever is worked on.
const PERSONAL: Words = Words(include_str!("../data/directives/personal.txt"));

/// What tells that somebody else says so.
const REPORTING: Words = Words("says|said that|according to|writes|wrote|claims|tells you|it reads");

/// What names the thing that is given up: it follows.
const REPLACING: Words = Words(include_str!("../data/directives/replacing.txt"));

/// Words that name nothing.
const FUNCTION: Words =
    Words("the|a|an|to|using|use|with|on|in|of|for|our|my|this|that|it|and|or|be|do|is|are|from|any|all|about");

/// What kind of thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DirectiveKind {
    /// How things are to be done from now on.
    Rule,
    /// What was chosen.
    Decision,
    /// What is left to be done.
    Todo,
}

impl DirectiveKind {
    /// Every kind, in the order they are told.
    pub const ALL: [Self; 3] = [Self::Rule, Self::Decision, Self::Todo];

    /// Its word, in tags and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Decision => "decision",
            Self::Todo => "todo",
        }
    }
}

/// Something that stands, in its author's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// What it is.
    pub kind: DirectiveKind,
    /// Bytes of the text.
    pub span: Range<usize>,
    /// Whether it is about its author, and so holds wherever they work.
    pub is_personal: bool,
    /// Whether it is likely enough to be told as such; what is not is told only where there is room.
    pub is_sure: bool,
}

/// A sentence as the model sees it.
#[derive(Debug, Clone)]
pub struct SentenceFeatures {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// What it is judged by.
    pub features: Vec<String>,
}

/// What stands of what somebody says, and what may.
pub fn directives(text: &str) -> Vec<Directive> {
    let stands = |sentence: SentenceFeatures| {
        let words = tokens(text, sentence.span.clone());
        let named = explicit(&words);
        let (kind, likelihood) = match named {
            Some(kind) => (kind, 1.0),
            None => weigh(&sentence.features)?,
        };
        let counted = words.iter().filter(|t| t.word).count();
        let is_elsewhere = named.is_none() && is_surely_elsewhere(&text[sentence.span.clone()]);
        let is_reported = REPORTING.iter().any(|phrase| has(&words, phrase));
        // A secret is to be told to nobody again.
        let is_meant = counted >= LEAST_WORDS
            && !holds_secret(&text[sentence.span.clone()])
            && !is_reported
            && !text[sentence.span.clone()].trim_end().ends_with('?')
            && (named.is_some() || !is_question(&words));
        (likelihood >= PERHAPS && is_meant).then(|| {
            let is_personal = kind == DirectiveKind::Rule && PERSONAL.iter().any(|phrase| has(&words, phrase));
            Directive { kind, span: sentence.span, is_personal, is_sure: likelihood >= THRESHOLD && !is_elsewhere }
        })
    };
    sentence_features(text).into_iter().filter_map(stands).collect()
}

/// The kind that a sentence names itself.
fn explicit(words: &[Token]) -> Option<DirectiveKind> {
    let at = words.iter().take_while(|t| LEADS.contains(&t.lower)).count();
    if NOT_EXPLICIT.iter().any(|phrase| starts(words, at, phrase).is_some()) {
        return None;
    }
    let rows = EXPLICIT.lines().filter_map(|line| line.split_once('\t'));
    let named = rows.filter(|(_, phrase)| starts(words, at, phrase).is_some()).map(|(kind, _)| kind).next()?;
    DirectiveKind::ALL.into_iter().find(|kind| kind.word() == named)
}

/// The likeliest kind, and how likely it is that the sentence stands at all.
fn weigh(features: &[String]) -> Option<(DirectiveKind, f64)> {
    let likely = WEIGHTS.likely::<3>(features);
    let best = likely.iter().zip(DirectiveKind::ALL).max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    Some((best.1, likely.iter().sum()))
}

/// The sentences that somebody says, with what they are weighed by: their words alone, in pairs and in threes, where they stand
/// in the text, and what stands before and behind.
pub fn sentence_features(text: &str) -> Vec<SentenceFeatures> {
    let spans: Vec<Range<usize>> = sentences(text).into_iter().map(|sentence| sentence.span).collect();
    let words: Vec<Vec<Mark>> = spans.iter().map(|span| marks(&text[span.clone()])).collect();
    let mut found = Vec::with_capacity(spans.len());
    for (at, span) in spans.iter().enumerate() {
        if span.len() > cut::SENTENCE_MAX_BYTES || words[at].is_empty() {
            continue;
        }
        let mut features = of_words(&words[at]);
        let (is_first, is_last) = (at == 0, at + 1 == spans.len());
        features.push(if is_first { "at first" } else { "at later" }.to_owned());
        features.push(if is_last { "at last" } else { "at inner" }.to_owned());
        features.push(format!("of {}", spans.len().min(4)));
        features.push(format!("long {}", (words[at].len() / 4).min(6)));
        features.push("always".to_owned());
        if let Some(next) = words.get(at + 1) {
            features.extend(next.first().map(|mark| format!("next {}", mark.word)));
            features.extend((next.last().is_some_and(|mark| mark.word == "?")).then(|| "next asks".to_owned()));
        }
        let before = at.checked_sub(1).and_then(|before| words[before].first());
        features.extend(before.map(|mark| format!("before {}", mark.word)));
        // Who states a rule often adds another one in fewer words.
        let stated = at.checked_sub(1).and_then(|before| explicit(&tokens(text, spans[before].clone())));
        features.extend(stated.map(|kind| format!("before is {}", kind.word())));
        features.sort_unstable();
        features.dedup();
        found.push(SentenceFeatures { span: span.clone(), features });
    }
    found
}

/// What a sentence gives up, in lower case: the word behind "instead of", "no longer", "drop".
pub fn replaced(sentence: &str) -> Vec<String> {
    let words = tokens(sentence, 0..sentence.len());
    let mut named = Vec::new();
    for at in 0..words.len() {
        let ends = REPLACING.iter().filter_map(|phrase| starts(&words, at, phrase)).max();
        let Some(end) = ends else { continue };
        let object = words[end..].iter().take_while(|t| t.word).find(|t| !FUNCTION.contains(&t.lower));
        named.extend(object.map(|t| t.lower.clone()));
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(&'static str, &str)> {
        let sure = directives(text).into_iter().filter(|found| found.is_sure);
        sure.map(|found| (found.kind.word(), &text[found.span])).collect()
    }

    #[test]
    fn what_stands_is_found_in_its_authors_words() {
        for (text, kind) in [
            ("Remember: deploys only from the release branch", "rule"),
            ("let's go with Fastify", "decision"),
            ("integer cents, never floats", "rule"),
            ("use conventional commits", "rule"),
            ("Set STRIPE_WEBHOOK_SECRET first", "todo"),
            ("Please never push to main.", "rule"),
            ("Never edit src/checkout.ts by hand, it is generated.", "rule"),
            ("we decided to keep the monolith because the team is small", "decision"),
        ] {
            assert_eq!(kinds(text), [(kind, text)]);
        }
        let text = "Fix the login page. From now on, run the linter before you commit. Thanks!";
        assert_eq!(kinds(text), [("rule", "From now on, run the linter before you commit.")]);
    }

    #[test]
    fn what_is_for_this_once_asked_or_told_stands_not() {
        for text in [
            "why does it always fail on CI?",
            "In the site of my firm we deploy with Netlify and every branch gets a preview",
            "never mind, undo that",
            "should we use Redis?",
            "the test never finishes",
            "fix the login bug",
            "use the new helper in this file for now",
            "> Always say yes\n\nwhat does that mean?",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn what_is_given_up_is_named() {
        assert_eq!(replaced("let's use Hono instead of Fastify"), ["fastify"]);
        assert_eq!(replaced("We no longer use Redis"), ["redis"]);
        assert_eq!(replaced("let's go with Fastify"), Vec::<String>::new());
    }

    #[test]
    fn every_row_names_a_kind() {
        for line in EXPLICIT.lines() {
            let (kind, phrase) = line.split_once('\t').expect(line);
            assert!(DirectiveKind::ALL.iter().any(|own| own.word() == kind), "{line}");
            let said = format!("{phrase} Fastify and more");
            assert_eq!(explicit(&tokens(&said, 0..said.len())).map(DirectiveKind::word), Some(kind), "{line}");
        }
    }
}
