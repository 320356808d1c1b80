//! What an error is known by: the line of an output that tells most, without what differs from run to run.

use idetic_core::quoting::beginning;

use super::without_particulars;
use crate::fuzzy;

/// From this ratio on two lines tell the same.
const SAME_RATIO: f64 = 88.0;
/// The shorter of the two has at least this share of the words of the longer.
const SAME_LENGTH: f64 = 0.6;
/// Fewest words that say what it is.
const LEAST_WORDS: usize = 2;
/// Lines of an output that are looked at, from either end.
const LINES: usize = 60;
/// Lines of another output that are compared.
const COMPARED: usize = 12;
/// Most of a line that is told.
const LINE_CHARS: usize = 160;
/// What lines that tell an error contain, and what may stand in all of them and says nothing of one. One word in a line.
const TELLING: &str = include_str!("../../data/failures/telling.txt");
const EVERYWHERE: &str = include_str!("../../data/failures/everywhere.txt");

/// The line that an error is known by.
#[derive(Debug)]
pub struct Signature(String);

impl Signature {
    /// What the output of something that failed is known by, if anything.
    pub fn of(output: &str) -> Option<Self> {
        let best = telling(output).into_iter().max_by_key(|line| line.says);
        best.filter(|line| line.says >= LEAST_WORDS).map(|line| Self(line.bare))
    }

    /// Whether two outputs tell the same error: what each is known by stands in the other.
    pub fn is_shared(&self, own: &str, other: &str) -> bool {
        self.is_in(other) && Self::of(other).is_some_and(|others| others.is_in(own))
    }

    /// Whether another output tells this error, among others.
    pub fn is_in(&self, output: &str) -> bool {
        let mut lines = telling(output);
        lines.retain(|line| line.says >= LEAST_WORDS);
        lines.sort_by_key(|line| std::cmp::Reverse(line.says));
        lines.iter().take(COMPARED).any(|line| is_same(&self.0, &line.bare))
    }
}

/// The line of an output that tells most of its error.
pub fn main_line(output: &str) -> String {
    let best = telling(output).into_iter().max_by_key(|line| line.says).map(|line| line.written);
    let last = || output.lines().map(str::trim).rfind(|line| !line.is_empty());
    beginning(best.or_else(last).unwrap_or_default(), LINE_CHARS)
}

/// A line that tells an error.
struct Telling<'a> {
    written: &'a str,
    /// Without what differs from run to run.
    bare: String,
    /// How many different words of it say what it is.
    says: usize,
}

fn telling(output: &str) -> Vec<Telling<'_>> {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let behind = lines.len().saturating_sub(LINES).max(LINES.min(lines.len()));
    let near = lines[..LINES.min(lines.len())].iter().chain(&lines[behind..]);
    let mut told = Vec::new();
    let mut follows = false;
    for line in near {
        let small = line.to_lowercase();
        let tells = TELLING.lines().any(|word| small.contains(word));
        // What somebody panicked about stands in the next line.
        if (tells || follows) && !small.starts_with("exit code") {
            let bare = without_particulars(line);
            let mut words: Vec<&str> = bare
                .split_whitespace()
                .filter(|word| !EVERYWHERE.lines().any(|everywhere| everywhere == *word))
                .collect();
            words.sort_unstable();
            words.dedup();
            let says = words.len();
            told.push(Telling { written: line, bare, says });
        }
        follows = small.contains("panicked at") || small.ends_with("error:");
    }
    told
}

fn is_same(one: &str, other: &str) -> bool {
    let (a, b) = (one.split_whitespace().count(), other.split_whitespace().count());
    let (short, long) = (a.min(b), a.max(b));
    short as f64 >= SAME_LENGTH * long as f64 && fuzzy::token_set_ratio_processed(one, other) >= SAME_RATIO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_error_is_known_again_in_another_run() {
        let first = "running 34 tests\nSnapshot: help\nthread 'help_output' panicked at tests/cli.rs:12:5:\nsnapshot assertion for \
                     'help' failed in line 12\n\ntest result: FAILED. 33 passed; 1 failed";
        let again = "thread 'stats_help' panicked at tests/cli.rs:27:5:\nsnapshot assertion for 'stats_help' failed in line 27\n\
                     test result: FAILED. 41 passed; 1 failed";
        assert!(Signature::of(again).expect("an error").is_in(first));
        let other = "thread 'main' panicked at src/a.rs:3:5:\nbyte index 64 is not a char boundary\n\
                     test result: FAILED. 33 passed; 1 failed";
        assert!(!Signature::of(other).expect("an error").is_in(first), "how a run ends is the same for every error");
        assert_eq!(main_line(other), "byte index 64 is not a char boundary");
    }

    #[test]
    fn what_says_nothing_of_an_error_is_known_by_nothing() {
        for output in ["", "Exit code 1", "Killed: 9", "BUILD FAILED in 3s", "test result: FAILED. 33 passed; 1 failed"]
        {
            assert!(Signature::of(output).is_none(), "{output}");
        }
    }

    #[test]
    fn every_word_stands_once_in_lower_case() {
        for list in [TELLING, EVERYWHERE] {
            let mut words: Vec<&str> = list.lines().collect();
            assert!(words.iter().all(|word| !word.is_empty() && *word == word.to_lowercase()));
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), count);
        }
    }
}
