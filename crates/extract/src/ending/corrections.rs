//! What later prompts correct of what was said before them, and what of a text is still said then.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::super::cut::own_sentences;
use super::super::doubt::starts;
use super::super::token::{Token, is_pause, tokens};
use super::super::words::Words;
use super::{FAULTING, PASSING, TENTATIVE};
use super::{asks, clauses_whole, has_phrase, is_for_once, names, parts, says_change, stems};

/// How a sentence begins that corrects what was said just before; a comma stands for any mark of a pause. One phrase in a line.
const CORRECTING: Words = Words(include_str!("../../data/ending/correcting.txt"));
/// What stands in so many texts that it makes none of them one about the same, one word in a line.
const IN_COMMON: &str = include_str!("../../data/ending/in_common.txt");
/// What ends the words that a correction begins with.
const ENDS: Words = Words("but|because|since|so|(|)");
/// So many names in common make two texts ones about the same; or all the names of a clause, or this share of a text's.
const COMMON_NAMES: usize = 2;
const OF_CLAUSE: f64 = 1.0;
const OF_TEXT: f64 = 0.5;

/// What a prompt corrects.
#[derive(Debug, Clone, Default)]
pub struct Corrections(Vec<Correction>);

/// One sentence that corrects something.
#[derive(Debug, Clone)]
struct Correction {
    /// What it names.
    names: HashSet<String>,
    /// Whether it says that something is changed. Else it must name nothing else: who says "drop the Docker volume" still uses
    /// Docker.
    is_change: bool,
}

impl Corrections {
    /// What its author says in a text that corrects something for good.
    pub fn of(text: &str) -> Self {
        let corrected = |part: &str| {
            let found = correction(part).filter(|found| !found.names.is_empty());
            found.filter(|_| !asks(part) && !is_for_once(part))
        };
        Self(own_sentences(text).flat_map(parts).filter_map(corrected).collect())
    }

    /// Whether it corrects nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it corrects what has these names; `share` of them are enough.
    fn correct(&self, own: &HashSet<String>, share: f64) -> bool {
        self.0.iter().any(|Correction { names, is_change }| {
            let common = names.intersection(own).count();
            let is_same = common >= COMMON_NAMES || common > 0 && common as f64 >= share * own.len() as f64;
            let is_meant = common == names.len() || *is_change && (common >= COMMON_NAMES || common * 2 >= names.len());
            is_same && is_meant
        })
    }
}

/// What a sentence corrects, if it does.
fn correction(part: &str) -> Option<Correction> {
    if says_change(part) {
        return Some(Correction { names: compared(part), is_change: true });
    }
    let words = tokens(part, 0..part.len());
    if let Some(behind) = behind_opener(&words) {
        let end = behind.iter().position(|word| is_pause(word) || ENDS.contains(&word.lower)).unwrap_or(behind.len());
        let span = behind.first()?.span.start..behind[..end].last()?.span.end;
        return Some(Correction { names: compared(&part[span]), is_change: false });
    }
    has_phrase(part, FAULTING).then(|| Correction { names: compared(part), is_change: false })
}

/// What stands behind the beginning of a correction.
fn behind_opener(words: &[Token]) -> Option<&[Token]> {
    let same_mark = |word: &Token| match is_pause(word) {
        true => Token { lower: ",".to_owned(), ..word.clone() },
        false => word.clone(),
    };
    let marked: Vec<Token> = words.iter().map(same_mark).collect();
    let end = CORRECTING.iter().filter_map(|phrase| starts(&marked, 0, phrase)).max()?;
    words.get(end..)
}

/// What a text names that it can be compared by.
fn compared(text: &str) -> HashSet<String> {
    static LEFT_OUT: LazyLock<HashSet<String>> = LazyLock::new(|| IN_COMMON.lines().flat_map(stems).collect());
    let mut names = names(text);
    names.retain(|name| !LEFT_OUT.contains(name));
    names
}

/// A text without the clauses that told how something stood just then, and without those that later prompts correct.
pub fn still_said(text: &str, later: &[&Corrections]) -> String {
    let is_over = |clause: &str| {
        let own = compared(clause);
        let is_proposed = clause.trim_end().ends_with('?') && has_phrase(clause, TENTATIVE);
        is_proposed || has_phrase(clause, PASSING) || later.iter().any(|prompt| prompt.correct(&own, OF_CLAUSE))
    };
    let mut kept = String::with_capacity(text.len());
    clauses_whole(text).filter(|clause| !is_over(clause)).for_each(|clause| kept += clause);
    kept.trim().trim_end_matches([',', ':', ';']).to_owned()
}

/// Whether a later prompt corrects what a text is about.
pub fn is_corrected(text: &str, later: &[&Corrections]) -> bool {
    let own = compared(text);
    later.iter().any(|prompt| prompt.correct(&own, OF_TEXT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corrected(text: &str, prompt: &str) -> bool {
        is_corrected(text, &[&Corrections::of(prompt)])
    }

    #[test]
    fn clauses_that_were_changed_or_told_how_it_stood_are_not_said_any_more() {
        let (legend, thanks) = (Corrections::of("no, the legend goes below it instead"), Corrections::of("thanks"));
        assert!(thanks.is_empty());
        let goal = "Chart page, weekly totals, put the legend on the right";
        assert_eq!(still_said(goal, &[&thanks, &legend]), "Chart page, weekly totals");
        assert_eq!(still_said("Move the port: currently 7070, to 7171", &[]), "Move the port: to 7171");
        assert_eq!(still_said("Chart page, weekly totals", &[&thanks]), "Chart page, weekly totals");
        assert_eq!(still_said("Draw it as bars. Or d3 maybe?", &[]), "Draw it as bars.");
        assert!(
            is_corrected("the legend is on the right", &[&legend]) && !is_corrected("totals are weekly", &[&legend])
        );
    }

    #[test]
    fn what_fails_or_is_asked_corrects_nothing() {
        for prompt in [
            "the docker build does not work",
            "Wait for docker to start",
            "the docker version is wrong",
            "skip the docker tests",
            "Drop the docker volume",
            "don't restart docker",
            "Why does docker open too many sockets?",
            "why is docker no longer there",
            "```\nNo, not Docker.\n```",
            "Not Docker this time",
            "The team is too slow",
        ] {
            assert!(!corrected("The team uses Docker.", prompt), "{prompt}");
        }
        for prompt in
            ["no, not Docker", "Podman instead of Docker", "Drop Docker, we use Podman", "Nope, not docker but podman"]
        {
            assert!(corrected("The team uses Docker.", prompt), "{prompt}");
        }
        let broken = Corrections::of("the login still does not work");
        assert_eq!(still_said("Fix the login redirect", &[&broken]), "Fix the login redirect");
        let one = Corrections::of("use the new login form instead");
        assert_eq!(still_said("Fix the login redirect", &[&one]), "Fix the login redirect", "one name of two");
    }
}
