//! What an error is known by: the lines of an output that tell most, without what differs from run to run.

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
/// Lines at the end that are looked at where none has a telling word.
const LAST_LINES: usize = 8;
/// Lines of an output that are compared.
const COMPARED: usize = 12;
/// Most of a line that is told.
const LINE_CHARS: usize = 160;
/// What lines that tell an error contain, and what may stand in all of them and says nothing of one. One word in a line.
const TELLING: &str = include_str!("../../data/failures/telling.txt");
const EVERYWHERE: &str = include_str!("../../data/failures/everywhere.txt");
/// What lines contain that only pass on that something else failed.
const PASSING_ON: &str = include_str!("../../data/failures/passing_on.txt");

/// The lines of an output that tell its error.
#[derive(Debug)]
pub struct ErrorLines {
    /// The one that the error is known by stands first.
    lines: Vec<Telling>,
    /// Whether one of them says by itself that it tells an error.
    is_plain: bool,
}

/// How two errors are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// The same, whatever was called.
    Same,
    /// The same but for the names in it, or in lines that tell of an error only because the same call gave them.
    OfOneCall,
}

impl ErrorLines {
    /// What the output of something that failed is known by, if anything.
    pub fn of(output: &str) -> Option<Self> {
        let says = |mut lines: Vec<Telling>| -> Option<Vec<Telling>> {
            lines.retain(|line| line.says >= LEAST_WORDS);
            Some(lines).filter(|lines| !lines.is_empty())
        };
        let plain = says(telling(output));
        let is_plain = plain.is_some();
        let mut lines = plain.or_else(|| says(last_lines(output)))?;
        // Of two that say as much the later one.
        lines.reverse();
        lines.sort_by_key(|line| (line.is_passed_on, std::cmp::Reverse(line.says)));
        lines.truncate(COMPARED);
        Some(Self { lines, is_plain })
    }

    /// Whether what this error is known by stands in another output.
    pub fn is_in(&self, other: &Self) -> bool {
        other.lines.iter().any(|line| is_same(&self.lines[0].bare, &line.bare))
    }

    /// How this error is like another one, if it is.
    pub fn likeness(&self, other: &Self) -> Option<Likeness> {
        let (own, others) = (self.is_in(other), other.is_in(self));
        // What is only passed on is known by all that stands with it.
        let is_passed_on = self.lines[0].is_passed_on || other.lines[0].is_passed_on;
        let is_shared = if is_passed_on { own && others } else { own || others };
        match (self.is_plain, other.is_plain) {
            (true, true) if is_shared => Some(Likeness::Same),
            (true, true) => self.is_same_but_names(other).then_some(Likeness::OfOneCall),
            (false, false) => is_shared.then_some(Likeness::OfOneCall),
            _ => None,
        }
    }

    fn is_same_but_names(&self, other: &Self) -> bool {
        let tells = |line: &&Telling| !line.is_passed_on && words(&line.unnamed).len() >= LEAST_WORDS;
        self.lines
            .iter()
            .filter(tells)
            .any(|line| other.lines.iter().filter(tells).any(|of_other| is_same(&line.unnamed, &of_other.unnamed)))
    }
}

/// The line of an output that tells most of its error.
pub fn main_line(output: &str) -> String {
    let told = ErrorLines::of(output).and_then(|found| found.lines.into_iter().next()).map(|line| line.written);
    let last = || output.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned);
    beginning(&told.or_else(last).unwrap_or_default(), LINE_CHARS)
}

/// A line that tells an error.
#[derive(Debug)]
struct Telling {
    written: String,
    /// Without what differs from run to run.
    bare: String,
    /// Without the names that are quoted in it, too.
    unnamed: String,
    /// How many different words of it say what it is.
    says: usize,
    /// Whether it only says that something else failed.
    is_passed_on: bool,
}

impl Telling {
    fn of(line: &str) -> Self {
        let (bare, unnamed) = (without_particulars(line), without_particulars(&without_quoted(line)));
        let small = line.to_lowercase();
        let is_passed_on = PASSING_ON.lines().any(|phrase| small.contains(phrase));
        Self { written: line.to_owned(), says: words(&bare).len(), bare, unnamed, is_passed_on }
    }
}

/// The different words of a line that say what it is.
fn words(bare: &str) -> Vec<&str> {
    let mut words: Vec<&str> =
        bare.split_whitespace().filter(|word| !EVERYWHERE.lines().any(|everywhere| everywhere == *word)).collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn telling(output: &str) -> Vec<Telling> {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let behind = lines.len().saturating_sub(LINES).max(LINES.min(lines.len()));
    let near = lines[..LINES.min(lines.len())].iter().chain(&lines[behind..]);
    let mut told = Vec::new();
    let mut follows = false;
    for line in near {
        let small = line.to_lowercase();
        let tells = TELLING.lines().any(|word| small.contains(word));
        // What somebody panicked about stands in the next line.
        if (tells || follows) && !is_exit_code(line) {
            told.push(Telling::of(line));
        }
        follows = small.contains("panicked at") || small.ends_with("error:");
    }
    told
}

/// What an output ends with.
fn last_lines(output: &str) -> Vec<Telling> {
    let lines = output.lines().map(str::trim).filter(|line| !line.is_empty() && !is_exit_code(line));
    let mut last: Vec<&str> = lines.rev().take(LAST_LINES).collect();
    last.reverse();
    last.into_iter().map(Telling::of).collect()
}

fn is_exit_code(line: &str) -> bool {
    line.to_lowercase().starts_with("exit code")
}

/// A line without what stands in quotes.
fn without_quoted(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((open, quote)) = rest.char_indices().find(|(_, c)| matches!(c, '\'' | '"' | '`' | '“')) {
        let behind = &rest[open + quote.len_utf8()..];
        let is_close = |c: char| match quote {
            '`' => matches!(c, '`' | '\''),
            '“' => c == '”',
            _ => c == quote,
        };
        // An apostrophe opens nothing.
        let opens = !rest[..open].ends_with(char::is_alphanumeric);
        let close = behind.find(is_close).filter(|_| opens);
        out.push_str(&rest[..open]);
        out.push(' ');
        rest = close
            .and_then(|close| behind[close..].chars().next().map(|c| &behind[close + c.len_utf8()..]))
            .unwrap_or(behind);
    }
    out + rest
}

fn is_same(one: &str, other: &str) -> bool {
    let (a, b) = (one.split_whitespace().count(), other.split_whitespace().count());
    let (short, long) = (a.min(b), a.max(b));
    short as f64 >= SAME_LENGTH * long as f64 && fuzzy::token_set_ratio_processed(one, other) >= SAME_RATIO
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(one: &str, other: &str) -> Option<Likeness> {
        let (one, other) = (ErrorLines::of(one).expect(one), ErrorLines::of(other).expect(other));
        assert_eq!(one.likeness(&other), other.likeness(&one), "either way");
        one.likeness(&other)
    }

    #[test]
    fn the_same_error_is_known_again_in_another_run() {
        let first = "running 34 tests\nSnapshot: help\nthread 'help_output' panicked at tests/cli.rs:12:5:\nsnapshot assertion for \
                     'help' failed in line 12\n\ntest result: FAILED. 33 passed; 1 failed";
        let again = "thread 'stats_help' panicked at tests/cli.rs:27:5:\nsnapshot assertion for 'stats_help' failed in line 27\n\
                     test result: FAILED. 41 passed; 1 failed";
        assert_eq!(likeness(again, first), Some(Likeness::Same));
        let other = "thread 'main' panicked at src/a.rs:3:5:\nbyte index 64 is not a char boundary\n\
                     test result: FAILED. 33 passed; 1 failed";
        assert_eq!(likeness(other, first), None, "how a run ends is the same for every error");
        assert_eq!(main_line(other), "byte index 64 is not a char boundary");
    }

    #[test]
    fn an_error_is_known_again_among_others_and_by_what_failed_and_not_by_who_passes_it_on() {
        let locked = "Error: cannot open the store, another process holds it\nmake: *** [Makefile:4: import] Error 1";
        let among = "Error: cannot open the store, another process holds it\n\
                     Error: the import of the 12 remaining chapters was never begun because the first one was rejected\n\
                     make: *** [Makefile:9: import] Error 1";
        assert_eq!(likeness(locked, among), Some(Likeness::Same), "a longer line stands beside it");
        let other = "Error: column \"weight\" must be a number\nmake: *** [Makefile:4: import] Error 1";
        assert_eq!(likeness(locked, other), None, "make says the same of every error");
    }

    #[test]
    fn of_one_call_names_may_differ_and_no_line_need_say_that_it_tells_an_error() {
        let one = "src/a.o: in function `main':\nundefined reference to `load_atlas(char const*)'";
        let other = "src/b.o: in function `Menu::draw()':\nundefined reference to `glow(Canvas&, int)'";
        assert_eq!(likeness(one, other), Some(Likeness::OfOneCall));
        let quiet = "==> uploading 14 layers\n==> the mirror wants a newer token";
        assert_eq!(
            likeness(quiet, "==> uploading 3 layers\n==> the mirror wants a newer token"),
            Some(Likeness::OfOneCall)
        );
        assert_eq!(
            without_quoted("can't find 'a b' or `c' in \"d\", it isn't there"),
            "can t find   or   in  , it isn t there"
        );
    }

    #[test]
    fn what_says_nothing_of_an_error_is_known_by_nothing() {
        for output in ["", "Exit code 1", "Killed: 9", "BUILD FAILED in 3s", "test result: FAILED. 33 passed; 1 failed"]
        {
            assert!(ErrorLines::of(output).is_none(), "{output}");
        }
    }

    #[test]
    fn every_word_stands_once_in_lower_case() {
        for list in [TELLING, EVERYWHERE, PASSING_ON] {
            let mut words: Vec<&str> = list.lines().collect();
            assert!(words.iter().all(|word| !word.is_empty() && *word == word.to_lowercase()));
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), count);
        }
    }
}
