//! Sentences in the third person: how verbs are bent, and how a patterns's words become a telling.

use super::token::Token;
use super::words::Words;

/// "live" to "lives".
pub fn third(verb: &str) -> String {
    match verb {
        "be" => return "is".to_owned(),
        "have" => return "has".to_owned(),
        "can" => return "can".to_owned(),
        _ => {}
    }
    let vowel_before_y = verb.len() > 1 && "aeiou".contains(&verb[verb.len() - 2..verb.len() - 1]);
    match verb.as_bytes().last() {
        Some(b'y') if !vowel_before_y => format!("{}ies", &verb[..verb.len() - 1]),
        Some(b's' | b'x' | b'z' | b'o') => format!("{verb}es"),
        Some(b'h') if verb.ends_with("ch") || verb.ends_with("sh") => format!("{verb}es"),
        _ => format!("{verb}s"),
    }
}

/// "live" to "living".
pub fn gerund(verb: &str) -> String {
    match verb {
        "run" => "running".to_owned(),
        "get" => "getting".to_owned(),
        _ if verb.ends_with('e') && !verb.ends_with("ee") => format!("{}ing", &verb[..verb.len() - 1]),
        _ => format!("{verb}ing"),
    }
}

/// How a statement denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// It does not.
    None,
    /// "does not live in".
    Plain,
    /// "no longer lives in".
    Ended,
}

/// The words of a phrase, bent for a subject: "live in" to "lives in", "no longer lives in", "do not live in".
pub fn bend(phrase: &str, plural: bool, denial: Denial) -> String {
    let (verb, rest) =
        phrase.split_once(' ').map_or((phrase, String::new()), |(verb, rest)| (verb, format!(" {rest}")));
    let is = if plural { "are" } else { "is" };
    if verb == "be" {
        return match denial {
            Denial::None => format!("{is}{rest}"),
            Denial::Plain => format!("{is} not{rest}"),
            Denial::Ended => format!("{is} no longer{rest}"),
        };
    }
    let finite = if plural { verb.to_owned() } else { third(verb) };
    match denial {
        Denial::None => format!("{finite}{rest}"),
        Denial::Plain => format!("{} not {verb}{rest}", if plural { "do" } else { "does" }),
        Denial::Ended => format!("no longer {finite}{rest}"),
    }
}

/// A sentence with a capital letter and a full stop.
pub fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    // Names such as "pnpm" begin as they are written; "the" and "a" do not.
    let grown = match chars.next() {
        Some(first) if words.starts_with("the ") || words.starts_with("a ") || words.starts_with("an ") => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => words.to_owned(),
    };
    format!("{}.", grown.trim_end_matches('.'))
}

/// Verbs in the past or without a third person, after which "I" only changes its name.
const UNBENT: Words = Words(include_str!("../data/tell/unbent.txt"));

/// Adverbs that stand before a verb, which is bent all the same.
const OFTEN: Words = Words("never|always|usually|only|mostly|also");

/// Whether a verb can be bent.
fn is_bare(word: Option<&Token>) -> bool {
    word.is_some_and(|t| {
        t.word && !t.capital && !UNBENT.contains(&t.lower) && !t.lower.ends_with("ed") && t.lower.is_ascii()
    })
}

/// Any sentence of someone, told in the third person word by word: "I keep my keys here" to "Ann keeps Ann's keys here";
/// `team` is what "we" are called.
pub fn retell(text: &str, words: &[Token], who: &str, team: &str) -> String {
    // Inside of a sentence "The user" is "the user".
    let inside = |name: &str| name.strip_prefix("The ").map_or_else(|| name.to_owned(), |rest| format!("the {rest}"));
    let (who, team) = (&inside(who), inside(team));
    let mut told = String::new();
    let mut done = words.first().map_or(0, |word| word.span.start);
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let next = words.get(at + 1);
        // The parts of a contraction share their place in the text.
        let opened = next.is_some_and(|next| next.span == word.span);
        let last = if opened { at + 1 } else { at };
        let (mine, takes) = match (word.lower.as_str(), next.map(|next| next.lower.as_str())) {
            ("i", Some("am")) => (Some(format!("{who} is")), 2),
            ("i", Some("have")) => (Some(format!("{who} has")), 2),
            ("i", Some("do")) => (Some(format!("{who} does")), 2),
            ("i", Some("would")) => (Some(format!("{who} would")), 2),
            ("i", Some("will")) => (Some(format!("{who} will")), 2),
            ("i", Some(verb)) if !UNBENT.contains(verb) && !verb.ends_with("ed") && verb.is_ascii() => {
                (Some(format!("{who} {}", third(verb))), 2)
            }
            ("i", Some(often)) if OFTEN.contains(often) && is_bare(words.get(at + 2)) => {
                (Some(format!("{who} {often} {}", third(&words[at + 2].lower))), 3)
            }
            ("myself" | "ourselves", _) => (Some("themselves".to_owned()), 1),
            ("i" | "me", _) => (Some(who.to_owned()), 1),
            ("my" | "mine", _) => (Some(format!("{who}'s")), 1),
            ("we" | "us", Some("are")) => (Some(format!("{team} is")), 2),
            ("we", Some(verb)) if !UNBENT.contains(verb) && !verb.ends_with("ed") && verb.is_ascii() => {
                (Some(format!("{team} {}", third(verb))), 2)
            }
            ("we", Some(often)) if OFTEN.contains(often) && is_bare(words.get(at + 2)) => {
                (Some(format!("{team} {often} {}", third(&words[at + 2].lower))), 3)
            }
            ("we" | "us", _) => (Some(team.to_owned()), 1),
            ("our", Some("team")) if team == "the team" => (Some(team.to_owned()), 2),
            ("our" | "ours", _) => (Some(format!("{team}'s")), 1),
            _ => (None, last + 1 - at),
        };
        let end = words[at + takes - 1].span.end;
        let is_mine = mine.is_some();
        told.push_str(text.get(done..word.span.start).unwrap_or_default());
        match mine {
            Some(words) => told.push_str(&words),
            None => told.push_str(&text[word.span.start..end]),
        }
        done = end;
        at += takes;
        // What is left of a contraction that was told in part: "don't".
        while let Some(rest) = words.get(at).filter(|rest| rest.span == words[at - 1].span) {
            if is_mine {
                told.push(' ');
                told.push_str(&rest.lower);
            }
            at += 1;
        }
    }
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut chars = told.chars();
    let grown: String = chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default();
    format!("{}.", grown.trim_end_matches(['.', '!', ' ']))
}
