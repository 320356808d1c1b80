//! What the value of a pattern looks like: where it ends, whether it is one, and which of its words belong to it.

use super::kind::Kind;
use super::patterns::is_verb;
use super::token::Token;
use super::vocabulary::{DAYS, MONTHS, NUMBERS};
use super::words::Words;

mod shape;

pub use shape::{Value, can_be_liked, fits};

use Kind::*;

/// What "and" does in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum And {
    /// It parts several values.
    Parts,
    /// It belongs to the one value.
    Joins,
    /// It ends the value.
    Ends,
}

/// Words that end any value.
const ENDS: Words = Words(include_str!("../data/value/ends.txt"));

/// Words that end a value of one kind, and what "and" does in it.
fn ends_of(kind: Kind) -> (&'static [&'static str], And) {
    match kind {
        Place | PlaceOrYear => (&["with", "for", "at", "on"], And::Joins),
        Org | Employer => (
            &["for", "on", "with", "full-time", "part-time", "remotely", "working", "doing", "studying", "researching"],
            And::Joins,
        ),
        Name => (&["in", "at", "on", "for", "with", "from", "the"], And::Ends),
        Trait => (&["in", "at", "on", "for", "with"], And::Ends),
        Job => (
            &[
                "based",
                "working",
                "living",
                "specialising",
                "specializing",
                "at",
                "in",
                "for",
                "with",
                "on",
                "from",
                "by",
                "mostly",
            ],
            And::Ends,
        ),
        Sort => (&["in", "at", "for", "from"], And::Ends),
        Having => (&["at", "for", "on", "from"], And::Parts),
        Product => (&["with", "running", "from", "to", "on", "for"], And::Ends),
        Allergy | Worn => (&["for", "at", "in", "on", "to"], And::Parts),
        Medicine => (&["for", "at", "in", "on", "to", "twice", "daily", "once", "each"], And::Parts),
        Role => (&["of", "at", "for", "in", "on"], And::Ends),
        Language => (&["at", "with", "in", "to", "on", "fluently", "natively", "well", "for", "only"], And::Parts),
        Names => (&["in", "at", "on", "for", "with", "from", "the"], And::Parts),
        Doing | Sport => (&["in", "at", "on", "for", "with", "most", "twice", "once", "three", "a"], And::Parts),
        Means | Hours | Commute => (&["in", "at", "on", "for", "with", "from", "to", "most", "and"], And::Ends),
        Game => (&["in", "at", "on", "with", "for"], And::Parts),
        Liking | Favourite => (&["more", "most", "better", "much", "lots", "too"], And::Parts),
        Food => (&["at", "with", "anyway"], And::Parts),
        Preference => (&["over", "than", "rather", "more"], And::Parts),
        Tool | KnownTool | Proper => {
            (&["for", "at", "with", "in", "on", "to", "everywhere", "from", "over"], And::Parts)
        }
        Study => (&["at", "in", "with", "for"], And::Parts),
        Versioned => (&["to", "for", "on", "in", "over", "with"], And::Parts),
        Plain | Field | TheThing | Team | Home => (&["for", "at", "with"], And::Joins),
        Port => (&["in", "on", "for", "at", "with"], And::Ends),
        Clock | ClockOrPath => (&["on", "for", "with", "in"], And::Ends),
        Date | Day => (&["in", "for", "at"], And::Joins),
        Setting => (&["for", "with"], And::Joins),
        Owned | Shop | Counted => (&["for", "with"], And::Ends),
        _ => (&["for", "with"], And::Ends),
    }
}

/// Most words of a value.
const VALUE_MAX_WORDS: usize = 12;

/// The values that begin at a token: pairs of the first token and the one behind the last; and where reading goes on.
pub fn values(words: &[Token], at: usize, kind: Kind) -> (Vec<(usize, usize)>, usize) {
    let (ends, and) = ends_of(kind);
    let start = if words.get(at).is_some_and(is_quote) { at + 1 } else { at };
    let mut parts = vec![(start, start)];
    let mut next = start;
    while let Some(word) = words.get(next).filter(|_| next - start < VALUE_MAX_WORDS) {
        let lower = word.lower.as_str();
        if lower == "," {
            if kind == Address && words.get(next + 1).is_some_and(|t| t.capital || starts_with_digit(t)) {
                next += 1;
                continue;
            }
            if and == And::Ends || !is_list(words, next) {
                break;
            }
            if and == And::Parts {
                close(&mut parts, next);
                parts.push((next + 1, next + 1));
            }
            next += 1;
            continue;
        }
        if matches!(lower, "and" | "&" | "plus") || lower == "or" && kind == Food {
            if and == And::Ends || begins_clause(words, next + 1) {
                break;
            }
            if and == And::Parts {
                close(&mut parts, next);
                parts.push((next + 1, next + 1));
            }
            next += 1;
            continue;
        }
        let first = parts.last().is_some_and(|part| part.0 == next);
        // "That" may begin a value, and "an only child" is one.
        let kept = first && lower == "that"
            || lower == "only" && (first || matches!(words[next - 1].lower.as_str(), "a" | "an"));
        if !word.word || ENDS.contains(lower) && !kept || (!first && ends.contains(&lower)) {
            // "Jira for tickets and Slack for chat": what a part is for is passed over, and the next part is read.
            if let Some(behind) = (and == And::Parts && lower == "for").then(|| behind_purpose(words, next)).flatten() {
                close(&mut parts, next);
                parts.push((behind, behind));
                next = behind;
                continue;
            }
            break;
        }
        let following = words.get(next + 1);
        let timed = lower == "in" && following.is_some_and(is_time);
        let shared =
            matches!(lower, "with" | "for" | "at" | "in" | "to") && following.is_some_and(|t| is_possessive(&t.lower));
        if !first && (timed || shared) {
            break;
        }
        // "Tea to coffee": the second is what is not preferred.
        if kind == Preference && lower == "to" && !first {
            break;
        }
        next += 1;
    }
    // "Tasmania four years ago": how long ago is no part of it.
    if words.get(next).is_some_and(|t| t.lower == "ago") {
        let count = (start + 1..next)
            .rfind(|&at| is_number(&words[at].lower) || matches!(words[at].lower.as_str(), "a" | "an"));
        close(&mut parts, count.unwrap_or(next));
    }
    // "A doctor's nightmare" is no doctor, and "to leave that blank" is not to leave.
    if words.get(next).is_some_and(|t| Words("'s|you|he|she|they|that|today|tonight|is|are|was").contains(&t.lower)) {
        return (Vec::new(), next);
    }
    if words.get(next).is_none_or(|t| t.lower != "ago") {
        close(&mut parts, next);
    }
    parts.retain(|part| part.0 < part.1);
    (parts, next)
}

/// Where the next part begins behind "for tickets and", if it does.
fn behind_purpose(words: &[Token], at: usize) -> Option<usize> {
    let and = (at + 2..at + 4).find(|&place| words.get(place).is_some_and(|t| t.lower == "and"))?;
    let next = words.get(and + 1)?;
    (next.capital && !begins_clause(words, and + 1)).then_some(and + 1)
}

fn close(parts: &mut [(usize, usize)], end: usize) {
    if let Some(last) = parts.last_mut() {
        last.1 = end.max(last.0);
    }
}

/// Whether a comma is one of a list that ends in "and X": short items without a verb of their own.
fn is_list(words: &[Token], comma: usize) -> bool {
    let mut length = 0;
    for (at, word) in words.iter().enumerate().skip(comma + 1).take(VALUE_MAX_WORDS) {
        match word.lower.as_str() {
            "and" | "&" => {
                return (1..=3).contains(&length) && !begins_clause(words, at + 1)
                    || length == 0 && !begins_clause(words, at + 1);
            }
            "," => {
                if !(1..=3).contains(&length)
                    || begins_clause(words, at + 1) && words.get(at + 1).is_none_or(|t| t.lower != "and")
                {
                    return false;
                }
                length = 0;
            }
            lower if !word.word || ENDS.contains(lower) || lower == "my" || lower == "our" => return false,
            _ if length == 0 && begins_clause(words, at) => return false,
            _ => length += 1,
        }
        if length > 3 {
            return false;
        }
    }
    false
}

/// Whether a clause of its own begins here: a subject, or a verb that goes on with the last one.
pub fn begins_clause(words: &[Token], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let lower = word.lower.as_str();
    let subject = Words(
        "\
        i|we|my|our|he|she|they|it|you|his|her|their|this|that|there|now|then|also|currently|the|so|just|am|is|are|\
        have|has|do|does|can|will|would|no|in|never|always|please|everything",
    );
    if subject.contains(lower) {
        // "the sea and the mountains" is a list; "the port is" is a clause.
        return lower != "the" || (at + 1..at + 6).any(|next| words.get(next).is_some_and(|t| is_verb(&t.lower)));
    }
    let named =
        word.capital && words.get(at + 1).is_some_and(|t| t.lower == "is" || t.lower == "'s" || is_verb(&t.lower));
    // "Rust and Go": a word with a capital letter is a name here.
    named || is_verb(lower) && !word.capital
}

/// A month, a year or a part of one: "in June", "in 2019".
fn is_time(word: &Token) -> bool {
    let year = word.lower.len() == 4 && word.lower.bytes().all(|b| b.is_ascii_digit());
    year || MONTHS.contains(word.lower.as_str())
        || matches!(word.lower.as_str(), "spring" | "summer" | "autumn" | "winter" | "early" | "late")
}

fn is_possessive(word: &str) -> bool {
    matches!(word, "my" | "our" | "his" | "her" | "their" | "your")
}

/// Whether a token opens or closes a quotation.
pub fn is_quote(word: &Token) -> bool {
    matches!(word.lower.as_str(), "\"" | "“" | "”" | "„" | "'" | "‘" | "’" | "«" | "»")
}

fn starts_with_digit(word: &Token) -> bool {
    word.lower.starts_with(|c: char| c.is_ascii_digit())
}

/// A number in digits or in words.
pub fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || word.split('-').all(|part| NUMBERS.contains(part))
}

/// A word of a date: a day, a month, a number.
pub fn is_date_word(word: &str) -> bool {
    DAYS.contains(word)
        || MONTHS.contains(word)
        || word.starts_with(|c: char| c.is_ascii_digit())
        || Words("the|of|every|each|and|other|utc|morning|evening|first|last|mornings|evenings|afternoon|afternoons|nights|month")
            .contains(word)
}
