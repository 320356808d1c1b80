//! Signs in words: that they name something definite, come back, are dated, or hold only for now.

use super::super::doubt::has;
use super::super::token::Token;
use super::super::value::is_number;
use super::super::vocabulary::{DAYS, MONTHS, TOOLS};
use super::super::words::Words;
use super::words::*;

/// Whether words point outside of what is said, or hold only for now. "This repo" is where one is.
pub fn is_loose(words: &[Token]) -> bool {
    words.iter().enumerate().any(|(at, t)| {
        let here = t.lower == "this" && words.get(at + 1).is_some_and(|next| WORKPLACES.contains(&next.lower));
        let line = t.lower == "line"
            && words.get(at + 1).is_some_and(|next| Words("length|lengths|manager|endings").contains(&next.lower));
        // "Is now on Wednesdays", "twice a day".
        let since = t.lower == "now" && at > 0 && matches!(words[at - 1].lower.as_str(), "is" | "are");
        let often = t.lower == "twice" && words.get(at + 1).is_some_and(|next| next.lower == "a");
        LOOSE.contains(t.lower.as_str()) && !here && !line && !since && !often
    })
}

pub fn behind_adverbs(words: &[Token], from: usize) -> usize {
    from + words[from.min(words.len())..].iter().take_while(|t| ADVERBS.contains(&t.lower)).count()
}

/// Whether words name something definite: a name, a number, a moment, a path.
pub fn names(words: &[Token]) -> bool {
    numbers(words) || words.iter().any(|t| t.word && t.capital && t.lower != "i" || is_tool(t))
}

pub fn is_tool(word: &Token) -> bool {
    TOOLS.contains(word.lower.as_str()) && (word.capital || !TOOLS_OR_WORDS.contains(&word.lower))
}

pub fn numbers(words: &[Token]) -> bool {
    words.iter().any(|t| {
        let lower = t.lower.as_str();
        lower.contains(|c: char| c.is_ascii_digit())
            || DAYS.contains(lower)
            || MONTHS.contains(lower) && t.capital
            || is_number(lower) && lower != "one"
            || is_identifier(t)
    })
}

/// A path, an address, a name as machines have it: "db/migrate", "fw-tfstate_2", "a@b.example".
pub fn is_identifier(word: &Token) -> bool {
    let lower = word.lower.trim_end_matches('.');
    let odd =
        lower.contains(['/', '_', '@', '`']) || lower.contains('.') && !lower.ends_with('.') || lower.contains("--");
    odd && lower.len() > 3 && lower.contains(char::is_alphabetic) && !matches!(lower, "and/or" | "e.g" | "i.e")
}

/// Whether something comes back: "every Wednesday", "on Mondays", "twice a week", "400 a month".
pub fn recurs(words: &[Token]) -> bool {
    let again = Words("every|each|daily|weekly|monthly|yearly|annually|weekdays|weekends|nightly|hourly");
    let units = [
        "in the mornings",
        "in the afternoons",
        "in the evenings",
        "at the weekend",
        "at weekends",
        "on weekends",
        "every other",
        "a day",
        "a week",
        "a month",
        "a year",
        "an hour",
        "per day",
        "per week",
        "per month",
        "per year",
        "per hour",
    ];
    words.iter().any(|t| again.contains(&t.lower) || t.lower.ends_with("days") && DAYS.contains(&t.lower))
        || units.iter().any(|unit| has(words, unit))
}

/// Whether it comes back on days of its own, and not only "every day", as much does that everybody knows.
pub fn recurs_on(words: &[Token]) -> bool {
    recurs(words)
        && words.iter().any(|t| {
            DAYS.contains(&t.lower)
                || Words("nightly|weekly|monthly|quarterly|weekdays|weekends|month|quarter|year").contains(&t.lower)
        })
}

/// Whether it tells how things stand at the moment: "in ten minutes", "at 98%", "at 3000 messages", "5 more".
pub fn is_passing(said: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let number = |at: usize| is_number(word(at)) || word(at).starts_with(|c: char| c.is_ascii_digit());
    let units = Words("minute|minutes|min|mins|hour|hours|day|days|week|weeks|second|seconds");
    (0..said.len()).any(|at| match word(at) {
        "in" => number(at + 1) && units.contains(word(at + 2)),
        "at" if word(at + 2) == "percent" => true,
        "at" => {
            let next = word(at + 1);
            let large = next.len() > 2 && next.bytes().all(|b| b.is_ascii_digit() || b == b',') && said.len() > at + 2;
            at > 0
                && matches!(word(at - 1), "is" | "are" | "'s")
                && (next.ends_with('%') || large && !said[at + 2].capital)
        }
        "more" => at > 0 && number(at - 1),
        _ => false,
    })
}

/// Whether a year or a month says when: "in 2020", "in January".
pub fn is_dated(words: &[Token]) -> bool {
    words.windows(2).any(|pair| {
        let year = pair[1].lower.len() == 4 && pair[1].lower.bytes().all(|b| b.is_ascii_digit());
        matches!(pair[0].lower.as_str(), "in" | "since" | "on")
            && (year || MONTHS.contains(&pair[1].lower) && pair[1].capital)
    })
}
