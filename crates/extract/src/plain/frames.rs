//! Clause frames: whose clause it is, which words its verb has, and what must stand behind them for the clause to be kept.
//! The frames are the table `data/plain/frames.tsv`; a new way to say something lasting is a new row.

use std::sync::LazyLock;

use super::super::doubt::has;
use super::super::subject::{CODE, FIRST, PASSING_THINGS, kin_noun};
use super::super::tell::{gerund, third};
use super::super::token::Token;
use super::super::value::{can_be_liked, is_number};
use super::super::vocabulary::{JOBS, PEOPLES, TRAITS};
use super::super::words::Words;
use super::signs::{behind_adverbs, is_dated, is_loose, names};
use super::things::{is_noun, is_noun_known, is_verb};
use super::words::{OWN_VERBS, THING_VERBS};

/// What one has, lacks or is in passing, by its last word: "I don't have a clue".
const PASSING_NOUNS: Words = Words(include_str!("../../data/plain/frames/passing_nouns.txt"));

/// Words that point at something: a clause with one of them behind its verb says little by itself.
const POINTING: Words = Words(include_str!("../../data/plain/frames/pointing.txt"));

/// Of these the ones that point only where they stand right behind the verb.
const AT_HAND: Words = Words(include_str!("../../data/plain/frames/at_hand.txt"));

/// Whose clause it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// "I".
    I,
    /// "We".
    We,
    /// "My sister", "our dog", "my boss Henrik"; "she" and "he" where it is known who that is.
    Kin,
    /// "My laptop", "our users"; "it" where it is known what that is.
    Own,
    /// "The release", of what a team and a household have.
    Known,
    /// "Nobody", "everyone", "most of us".
    People,
}

/// What must stand behind the verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Nothing.
    None,
    /// Anything, or nothing.
    Any,
    /// Something.
    Some,
    /// Something that is not at hand: no "the", "my" or "our" begins it.
    Open,
    /// The same, and no doing: no "seeing" begins it.
    Object,
    /// The same, and not one thing alone: no "a" begins it.
    Many,
    /// Something that is not at hand, and no noun of what one has in passing.
    Noun,
    /// A name, a number, a time or a tool.
    Named,
    /// Years: "for two years", "since 2019".
    Years,
    /// Something with the year or the month of it.
    Dated,
    /// Something, up to the end of a long clause: a liking or a dislike, and no choice at hand.
    Liked,
}

struct Frame {
    whose: &'static str,
    words: Vec<&'static str>,
    rest: Rest,
}

static FRAMES: LazyLock<Vec<Frame>> = LazyLock::new(|| {
    let rows = include_str!("../../data/plain/frames.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| frame(line).unwrap_or_else(|| panic!("data/plain/frames.tsv: {line:?}"))).collect()
});

fn frame(line: &'static str) -> Option<Frame> {
    let mut columns = line.split('\t');
    let (whose, words) = (columns.next()?, columns.next()?.split(' ').collect());
    let rest = match columns.next()? {
        "none" => Rest::None,
        "any" => Rest::Any,
        "some" => Rest::Some,
        "open" => Rest::Open,
        "object" => Rest::Object,
        "many" => Rest::Many,
        "noun" => Rest::Noun,
        "named" => Rest::Named,
        "years" => Rest::Years,
        "dated" => Rest::Dated,
        "liked" => Rest::Liked,
        _ => return None,
    };
    let known = Words("i|we|us|kin|own|known|people").contains(whose);
    (known && columns.next().is_none()).then_some(Frame { whose, words, rest })
}

/// Whether a clause follows a frame.
pub fn fits(said: &[Token]) -> bool {
    whose(said).iter().any(|&(whose, verb)| fits_from(whose, said, verb))
}

/// The same of a clause of which it is known whose it is, from its verb on.
pub fn fits_from(whose: Whose, said: &[Token], verb: usize) -> bool {
    let own = |row: &str| match whose {
        Whose::I => row == "i" || row == "us",
        Whose::We => row == "we" || row == "us",
        Whose::Kin => row == "kin",
        Whose::Own => row == "own",
        Whose::Known => row == "known",
        Whose::People => row == "people",
    };
    let rows = FRAMES.iter().filter(|frame| own(frame.whose));
    rows.filter_map(|frame| Some((frame, follow(&frame.words, said, verb)?)))
        .any(|(frame, behind)| is_rest(frame.rest, &said[behind..]))
}

/// Whom or what a clause that was kept is about: whose it is, and where its verb stands.
pub fn topic(said: &[Token]) -> Option<(Whose, usize)> {
    let own = |whose| matches!(whose, Whose::Kin | Whose::Own | Whose::Known);
    whose(said)
        .into_iter()
        .find(|&(whose, verb)| own(whose) && (fits_from(whose, said, verb) || is_verb(said, verb, true)))
}

/// Whose clauses may begin here, each with the place of its verb.
fn whose(said: &[Token]) -> Vec<(Whose, usize)> {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    match (word(0), word(1)) {
        ("i", _) => return vec![(Whose::I, 1)],
        ("we", _) => return vec![(Whose::We, 1)],
        ("nobody" | "everyone" | "everybody" | "none", _)
        | ("no", "one")
        | ("most" | "half" | "all" | "some", "of") => {
            let verbs = 1..said.len().min(7);
            let ours = |at: &usize| said[..*at].iter().any(|t| Words("we|us|our|my").contains(&t.lower));
            return verbs.filter(ours).map(|at| (Whose::People, at)).collect();
        }
        _ => {}
    }
    let own = matches!(word(0), "my" | "our");
    if own && let Some((_, noun)) = kin_noun(said, 1) {
        return vec![(Whose::Kin, behind_name(said, noun + 1))];
    }
    let first = usize::from(own || word(0) == "the");
    let ends = first + 1..said.len().min(first + 6);
    let mut found = Vec::new();
    for verb in ends {
        let noun = &said[first..verb];
        let head = &noun[noun.len() - 1].lower;
        if !is_noun(noun, own) || PASSING_NOUNS.contains(head) || FIRST.contains(&noun[0].lower) {
            continue;
        }
        if own && !PASSING_THINGS.contains(head) && !CODE.contains(head) {
            found.push((Whose::Own, verb));
        }
        if is_noun_known(&noun[noun.len() - 1..]) {
            found.push((Whose::Known, verb));
        }
    }
    found
}

/// Behind the name of someone close: "Carla", ", Mr. Okafor,".
fn behind_name(said: &[Token], at: usize) -> usize {
    let comma = |at: usize| said.get(at).is_some_and(|t| t.lower == ",");
    let first = at + usize::from(comma(at));
    let count = said.iter().skip(first).take(3).take_while(|t| t.word && t.capital).count();
    match (first > at, comma(first + count)) {
        (false, _) => at + count,
        (true, true) if count > 0 => first + count + 1,
        (true, _) => at,
    }
}

/// Where the words of a frame end if they begin here; adverbs between them are passed over.
fn follow(words: &[&str], said: &[Token], from: usize) -> Option<usize> {
    let mut at = from;
    for wanted in words {
        if !is_word(wanted, said.get(at)?) {
            at = behind_adverbs(said, at);
        }
        if !is_word(wanted, said.get(at)?) {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// Whether a word is one of the choices of a frame.
fn is_word(choices: &str, word: &Token) -> bool {
    let word = word.lower.as_str();
    choices.split('|').any(|choice| match choice {
        "<number>" => is_number(word),
        "<verb>" => OWN_VERBS.contains(word),
        "<verbs>" => word.ends_with('s') && verbs().any(|verb| third(verb) == word),
        "<bare>" => verbs().any(|verb| verb == word),
        "<ing>" => word.ends_with("ing") && OWN_VERBS.iter().any(|verb| gerund(verb) == word),
        "<ed>" => word.ends_with("ed") && word.len() > 4,
        "<trait>" => TRAITS.contains(word),
        "<job>" => JOBS.contains(word),
        "<people>" => PEOPLES.contains(word),
        _ => choice == word,
    })
}

fn verbs() -> impl Iterator<Item = &'static str> {
    OWN_VERBS.iter().chain(THING_VERBS.iter())
}

fn is_rest(wanted: Rest, rest: &[Token]) -> bool {
    let words: Vec<&Token> = rest.iter().filter(|t| t.word).collect();
    let first = words.first().map_or("", |t| t.lower.as_str());
    let points = words.iter().any(|t| POINTING.contains(&t.lower)) || is_loose(rest);
    // "Any idea about Go": what is had stands before what it is of.
    let ends = Words("for|of|in|on|at|with|about|from|to|that|,|and|but|so|because|any|yet|who|which|left");
    let head = rest.iter().enumerate().find(|(at, t)| *at > 0 && ends.contains(&t.lower));
    let head = head.map_or(words.last().copied(), |(at, _)| rest.get(at - 1)).map_or("", |t| t.lower.as_str());
    let some = !words.is_empty() && !points;
    let open = some && !AT_HAND.contains(first);
    match wanted {
        Rest::None => words.is_empty(),
        Rest::Any => !points,
        Rest::Some => some,
        Rest::Open => open,
        Rest::Object => open && !first.ends_with("ing"),
        Rest::Many => open && !matches!(first, "a" | "an"),
        Rest::Noun => open && !words.iter().any(|t| PASSING_NOUNS.contains(&t.lower)) && !PASSING_THINGS.contains(head),
        Rest::Named => some && names(rest),
        Rest::Dated => open && is_dated(rest),
        Rest::Liked => open && words.len() <= 14 && can_be_liked(rest),
        Rest::Years => {
            let counted = rest.windows(2).any(|pair| {
                let year = pair[1].lower.len() == 4 && pair[1].lower.bytes().all(|b| b.is_ascii_digit());
                pair[0].lower == "since" && year
                    || is_number(&pair[0].lower) && Words("year|years|decades").contains(&pair[1].lower)
            });
            !points
                && (counted
                    || ["for years", "for decades", "since childhood", "all my life", "my whole life"]
                        .iter()
                        .any(|way| has(rest, way)))
        }
    }
}
