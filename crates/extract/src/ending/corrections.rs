//! What later prompts correct of what was said before them, and what of a text is still said then.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::super::cut::own_sentences;
use super::super::doubt::starts;
use super::super::token::{Token, is_pause, tokens};
use super::super::words::Words;
use super::{BEFORE_ASKING, FAULTING, NOT, PASSING, TENTATIVE};
use super::{
    asks, begins_to_ask, begins_with, clauses, clauses_whole, has_phrase, has_word, is_for_once, joined, names, parts,
    plain_words, says_change, stems, without,
};

/// How a sentence begins that corrects what was said just before; a comma stands for any mark of a pause. One phrase in a line.
const CORRECTING: Words = Words(include_str!("../../data/ending/correcting.txt"));
/// What stands in so many texts that it makes none of them one about the same, one word in a line.
const IN_COMMON: &str = include_str!("../../data/ending/in_common.txt");
/// How one begins to throw something out.
const THROWING: Words = Words("throw|kick|rip");
/// How one begins to say what is to be used.
const USING: Words = Words("use|take|try|pick|prefer|go with|switch to|let's use");
/// What ends the words that a correction begins with.
const ENDS: Words = Words("but|because|since|so|(|)");
/// So many names in common make two texts ones about the same; or all the names of a clause, or this share of a text's.
const COMMON_NAMES: usize = 2;
const OF_CLAUSE: f64 = 1.0;
const OF_TEXT: f64 = 0.5;
/// What says that what it names is out, wherever it stands, one phrase in a line.
const TAKING_OUT: &str = include_str!("../../data/ending/taking_out.txt");

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
    /// Whether it says that what it names is out, or perhaps what that was instead of.
    takes_out: bool,
    /// Whether it names what comes instead.
    names_new: bool,
    /// Whether it says to use that: "use pytest instead".
    uses_new: bool,
    /// The numbers that it finds fault with: "48 is too long".
    numbers: HashSet<String>,
}

impl Correction {
    /// Whether it wants the very thing that a text names.
    fn wants(&self, own: &Subject) -> bool {
        self.uses_new && self.names == own.names
    }
}

/// What a text can be compared by.
struct Subject {
    names: HashSet<String>,
    numbers: HashSet<String>,
}

impl Subject {
    fn of(text: &str) -> Self {
        Self { names: compared(text), numbers: numbers(text) }
    }
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

    /// Whether it corrects a text; `share` of its names are enough.
    fn correct(&self, own: &Subject, share: f64) -> bool {
        self.0.iter().any(|correction| {
            let Correction { names, is_change, numbers, .. } = correction;
            let common = names.intersection(&own.names).count();
            let is_same = common >= COMMON_NAMES || common > 0 && common as f64 >= share * own.names.len() as f64;
            let is_meant = common == names.len() || *is_change && (common >= COMMON_NAMES || common * 2 >= names.len());
            is_same && is_meant && !correction.wants(own) || common > 0 && !numbers.is_disjoint(&own.numbers)
        })
    }

    /// Whether it takes out everything that it names of what a clause names.
    fn take_out(&self, clause: &Subject) -> bool {
        let takes_out = |it: &Correction| it.takes_out && it.names.is_subset(&clause.names) && !it.wants(clause);
        self.0.iter().any(takes_out)
    }
}

/// What a sentence corrects, if it does.
fn correction(part: &str) -> Option<Correction> {
    let takes_out = takes_out(part) || throws_out(part);
    let names_new = has_word(part, "instead");
    let uses_new = names_new && clauses(part).any(|clause| begins_with(clause, BEFORE_ASKING, USING.iter()));
    let numbers = clauses_whole(part).filter(|clause| is_too_much(clause)).flat_map(numbers).collect();
    let correction = |names, is_change| Correction { names, is_change, takes_out, names_new, uses_new, numbers };
    if says_change(part) {
        return Some(correction(compared(part), true));
    }
    let words = tokens(part, 0..part.len());
    if let Some(behind) = behind_opener(&words) {
        let end = behind.iter().position(|word| is_pause(word) || ENDS.contains(&word.lower)).unwrap_or(behind.len());
        let span = behind.first()?.span.start..behind[..end].last()?.span.end;
        return Some(correction(compared(&part[span]), false));
    }
    (has_phrase(part, FAULTING) || throws_out(part)).then(|| correction(compared(part), false))
}

/// Whether a sentence says that something is out. Who says "don't forget" says the opposite.
fn takes_out(part: &str) -> bool {
    let text = joined(part);
    let is_denied = |phrase: &str| NOT.iter().any(|not| text.contains(&format!(" {not} {phrase} ")));
    TAKING_OUT.lines().any(|phrase| text.contains(&format!(" {phrase} ")) && !is_denied(phrase))
}

/// "48 is too long".
pub fn is_too_much(text: &str) -> bool {
    let text = joined(text);
    FAULTING.lines().any(|phrase| phrase.starts_with("too ") && text.contains(&format!(" {phrase} ")))
}

/// "Throw Prawn out".
fn throws_out(part: &str) -> bool {
    let words: Vec<String> = plain_words(part).filter(|word| !word.is_empty()).collect();
    words.first().is_some_and(|word| THROWING.contains(word)) && words.iter().any(|word| word == "out")
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

/// The numbers of a text, without the units that stand behind them.
fn numbers(text: &str) -> HashSet<String> {
    let digits = |word: &str| word.chars().take_while(char::is_ascii_digit).collect::<String>();
    text.split(|c: char| !c.is_alphanumeric()).map(digits).filter(|number| !number.is_empty()).collect()
}

/// A text without the clauses that told how something stood just then, and without those that later prompts of its session
/// correct.
pub fn still_said(text: &str, later: &[&Corrections]) -> String {
    let is_over = |clause: &str| {
        let own = Subject::of(clause);
        let is_corrected = |prompt: &&Corrections| prompt.correct(&own, OF_CLAUSE) || prompt.take_out(&own);
        is_tentative(clause) || has_phrase(clause, PASSING) || later.iter().any(is_corrected)
    };
    without(clauses_whole(text), is_over)
}

/// A text without what it only proposes: "add retries?".
pub fn without_proposals(text: &str) -> String {
    let proposes = |clause: &str| clause.trim_end().ends_with('?') && !begins_to_ask(clause);
    without(clauses_whole(text), |clause| is_tentative(clause) || proposes(clause))
}

fn is_tentative(clause: &str) -> bool {
    clause.trim_end().ends_with('?') && has_phrase(clause, TENTATIVE)
}

/// Whether a later prompt says that something that a text names is out.
pub fn is_named_out(text: &str, later: &[&Corrections]) -> bool {
    let own = compared(text);
    let is_out = |it: &Correction| it.takes_out && !it.names_new && it.names.is_subset(&own);
    later.iter().any(|prompt| prompt.0.iter().any(is_out))
}

/// Whether a later prompt corrects what a text is about.
pub fn is_corrected(text: &str, later: &[&Corrections]) -> bool {
    let own = Subject::of(text);
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
    fn what_is_taken_out_is_over_in_its_session() {
        let still = |text: &str, prompt: &str| still_said(text, &[&Corrections::of(prompt)]);
        let goal = "a cli with click, cookiecutter for templates";
        assert_eq!(still(goal, "ugly. drop cookiecutter, stdlib only"), "a cli with click");
        assert_eq!(still("List alerts, keep the filter in the store", "filter in the url instead"), "List alerts");
        let tests = "Set up CI with pytest, then the linter";
        assert_eq!(still(tests, "why nose? use pytest instead"), tests);
        assert_eq!(still(goal, "cookiecutter is too slow"), goal, "what only finds fault takes nothing out");
        assert_eq!(still(goal, "drop the cookiecutter tests"), goal, "they are something else");
        assert!(corrected("Proposals expire after 48h.", "they expire after 24h now, 48 is too long"));
        assert!(!corrected("Proposals expire after 48h.", "24h is too short for the invoices"));
        assert!(!corrected("Backups are kept 48h.", "they expire after 24h now, 48 is too long"));
        assert!(is_named_out("Use Prawn for the PDF", &[&Corrections::of("Throw Prawn out.")]));
        assert!(!is_named_out("Run pytest in parallel", &[&Corrections::of("use pytest instead")]));
        assert!(!corrected("Proposals expire after 24h.", "proposals: make it 24"));
        assert_eq!(still(goal, "and don't forget cookiecutter"), goal);
        assert_eq!(without_proposals("Fix the port. add retries? can you test it?"), "Fix the port. can you test it?");
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
