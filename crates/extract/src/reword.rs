//! Corrections and changes in the words that the table reads: what something is not is left out, and what is given up is
//! told as what is no longer so.

use std::sync::LazyLock;

use super::doubt::{has, starts};
use super::subject::kin_noun;
use super::token::Token;
use super::vocabulary::TOOLS;
use super::words::Words;

/// How something is given up, and the same in words of the table of patterns.
static GIVEN_UP: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let rows = include_str!("../data/reword/given_up.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split_once('\t').unwrap_or_else(|| panic!("data/reword/given_up.tsv: {line:?}"))).collect()
});

/// How someone says in passing who they are: the opener, the same as a clause, and whether only a tool may follow.
static OPENERS: LazyLock<Vec<(&str, &str, bool)>> = LazyLock::new(|| {
    let rows = include_str!("../data/reword/openers.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| opener(line).unwrap_or_else(|| panic!("data/reword/openers.tsv: {line:?}"))).collect()
});

fn opener(line: &'static str) -> Option<(&'static str, &'static str, bool)> {
    let (way, rest) = line.split_once('\t')?;
    let (told, what) = rest.split_once('\t')?;
    matches!(what, "tool" | "any").then_some((way, told, what == "tool"))
}

/// How one goes from one thing to another.
const CHANGED: Words = Words("switched|migrated|moved|changed|converted|went|transitioned");

/// Other readings of a sentence: each says less than the sentence, and nothing that it does not say.
pub fn readings(words: &[Token]) -> Vec<Vec<Token>> {
    let mut found = Vec::new();
    found.extend(corrected(words));
    found.extend(left_behind(words));
    found.extend(fan(words));
    found.extend(rather(words));
    found.extend(our(words));
    found.extend(in_favour(words));
    for at in 1..words.len() {
        let speaks = |t: &Token| matches!(t.lower.as_str(), "i" | "we" | "and");
        let before =
            if matches!(words[at - 1].lower.as_str(), "have" | "just" | "finally" | "recently") { at - 1 } else { at };
        if before == 0 || !speaks(&words[before - 1]) {
            continue;
        }
        // Who left an hour ago comes back.
        if has(words, "hour ago") || has(words, "hours ago") || has(words, "minutes ago") {
            break;
        }
        for (way, told) in GIVEN_UP.iter() {
            if let Some(behind) = starts(words, at, way) {
                let mut read = words[..before].to_vec();
                read.extend(told.split(' ').map(|word| in_place_of(&words[at], word)));
                read.extend_from_slice(&words[behind..]);
                found.push(read);
            }
        }
    }
    found
}

/// "As a vegetarian, what should I eat?": "I am a vegetarian". Who speaks as someone else asks that of you.
pub fn in_passing(words: &[Token]) -> Option<Vec<Token>> {
    let (behind, told, tool) = OPENERS
        .iter()
        .filter_map(|(way, told, tool)| Some((starts(words, 0, way)?, *told, *tool)))
        .max_by_key(|(behind, ..)| *behind)?;
    let is = |at: usize, any: Words| words.get(at).is_some_and(|t| any.contains(&t.lower));
    let comma = (behind + 1..(behind + 12).min(words.len())).find(|&at| is(at, Words(",|i|we")))?;
    let rest = &words[comma..];
    let mine = rest.iter().any(|t| Words("i|me|my|we|our").contains(&t.lower));
    let story = has(rest, "i want") || has(rest, "i need") || rest.iter().any(|t| t.lower == "you");
    let other = is(behind, Words("user|customer|result|rule|reminder|first|last|start|side|general|matter|whole"));
    let loose = words[behind..comma].iter().any(|t| Words("it|this|that|them|these|those|you|your").contains(&t.lower));
    let known = !tool || TOOLS.contains(&words[behind].lower) || LANGUAGES.contains(&words[behind].lower);
    let read: Vec<Token> = told.split(' ').map(|word| in_place_of(&words[0], word)).collect();
    (mine && !story && !other && !loose && known).then(|| [&read[..], &words[behind..comma]].concat())
}

/// Frameworks and languages that one comes from, and that are no tools of a team.
const LANGUAGES: Words = Words(include_str!("../data/reword/languages.txt"));

/// "My neighbour Frau Keller, who only speaks German": what is said of her. Each as a clause of its own.
pub fn relative(words: &[Token]) -> Vec<Vec<Token>> {
    let mut found = Vec::new();
    for who in 1..words.len().saturating_sub(1) {
        if words[who].lower != "who" {
            continue;
        }
        let end = who - usize::from(words[who - 1].lower == ",");
        let named = words[..end].iter().rev().take(3).take_while(|t| t.word && t.capital).count();
        let noun = (end.saturating_sub(named + 4)..end).find(|&at| {
            Words("my|our").contains(&words[at].lower)
                && kin_noun(words, at + 1).is_some_and(|(_, last)| last + 1 + named == end)
        });
        // "Names like John Smith, who lives in Denver" are nobody's.
        let known = named > 0
            && end < who
            && words[..end - named].last().is_none_or(|t| Words("to|with|by|under|from|is").contains(&t.lower));
        let Some(first) = noun.or(known.then(|| end - named)) else { continue };
        let behind =
            (who + 2..words.len()).find(|&at| !words[at].word || Words("so|and|but").contains(&words[at].lower));
        let behind = behind.unwrap_or(words.len());
        if first < end && behind > who + 2 {
            found.push([&words[first..end], &words[who + 1..behind]].concat());
        }
    }
    found
}

/// "I'd rather take the train than fly": "I prefer to take the train". "Not a fan of horror films": "I am not".
fn rather(words: &[Token]) -> Option<Vec<Token>> {
    if starts(words, 0, "not a fan of").is_some() || starts(words, 0, "not a big fan of").is_some() {
        return Some([&["i", "am"].map(|word| in_place_of(&words[0], word))[..], words].concat());
    }
    let at = (1..words.len()).find(|&at| {
        words[at].lower == "would"
            && words[at + 1..].iter().take(2).any(|t| matches!(t.lower.as_str(), "rather" | "sooner"))
    })?;
    let rather = at + 1 + usize::from(words[at + 1].lower == "much");
    let than = (at + 3..words.len()).find(|&end| words[end].lower == "than")?;
    let told = ["prefer", "to"].map(|word| in_place_of(&words[at], word));
    (words[at - 1].lower == "i").then(|| [&words[..at], &told, &words[rather + 1..than]].concat())
}

/// "We dropped MongoDB in favour of Postgres", "we replaced Jenkins with Buildkite": the new one is used.
fn in_favour(words: &[Token]) -> Option<Vec<Token>> {
    let is = |at: usize, any: Words| words.get(at).is_some_and(|t| any.contains(&t.lower));
    let done = (1..words.len()).find(|&at| is(at, Words("dropped|ditched|abandoned|replaced|swapped")))?;
    let mut who = done - 1;
    while who > 0 && is(who, Words("have|just|recently|finally|now")) {
        who -= 1;
    }
    let new = (done + 2..words.len().min(done + 6)).find_map(|at| {
        let favour = is(at, Words("in")) && is(at + 1, Words("favour|favor")) && is(at + 2, Words("of"));
        let with =
            is(at, Words("with")) && is(done, Words("replaced")) || is(at, Words("for")) && is(done, Words("swapped"));
        favour.then_some(at + 3).or(with.then_some(at + 1))
    })?;
    let told = [in_place_of(&words[done], "use")];
    let ours = matches!(words[who].lower.as_str(), "i" | "we") && new < words.len();
    ours.then(|| [&words[..=who], &told, &words[new..]].concat())
}

/// "Write to Liv, our product owner, about it": "Liv is our product owner".
fn our(words: &[Token]) -> Option<Vec<Token>> {
    let is = |at: usize, any: Words| words.get(at).is_some_and(|t| any.contains(&t.lower));
    let comma = (1..words.len())
        .find(|&at| is(at, Words(",")) && is(at + 1, Words("our|my")) && words[at - 1].capital && words[at - 1].word)?;
    let end = (comma + 3..comma + 7).find(|&end| words.get(end).is_none_or(|t| !t.word))?;
    let ends = words.get(end).is_none_or(|t| matches!(t.lower.as_str(), "," | "." | "?" | "!"));
    let named = comma < 2 || !words[comma - 2].capital || comma == 2;
    let first = if named { comma - 1 } else { comma - 2 };
    // "In Rome, our guide, …" names no guide.
    let placed = first > 0 && is(first - 1, Words("in|at|from|near|on"));
    let told = [in_place_of(&words[comma], "is")];
    (ends && !placed).then(|| [&words[first..comma], &told, &words[comma + 1..end.min(words.len())]].concat())
}

/// "I'm a huge Minnesota Twins fan": "I like Minnesota Twins".
fn fan(words: &[Token]) -> Option<Vec<Token>> {
    let end = (4..words.len()).find(|&at| words[at].lower == "fan")?;
    let am = (1..end).rfind(|&at| words[at].lower == "am" && matches!(words[at + 1].lower.as_str(), "a" | "an"))?;
    let degrees = Words("huge|big|massive|lifelong|die-hard|diehard|avid|great|long-time|longtime");
    let from = am + 2 + usize::from(degrees.contains(&words[am + 2].lower));
    let ends = words.get(end + 1).is_none_or(|t| !t.word || matches!(t.lower.as_str(), "and" | "but" | "so"));
    let named = from < end && end - from < 5 && words[from].capital;
    (ends && named)
        .then(|| [&words[..am], &[in_place_of(&words[am], "like")], &words[from..end], &words[end + 1..]].concat())
}

/// "The deadline is not June 1st, it's June 15th": what it is not is left out.
fn corrected(words: &[Token]) -> Option<Vec<Token>> {
    let is = |at: usize, any: Words| words.get(at).is_some_and(|t| any.contains(&t.lower));
    let not = (1..words.len()).find(|&at| is(at, Words("not")) && is(at - 1, Words("is|are")))?;
    let again = (not + 2..words.len()).find(|&at| {
        is(at - 1, Words(",|;|-|–|—|but")) && is(at, Words("it|they")) && is(at + 1, Words("'s|is|are"))
            || is(at, Words("but")) && at < not + 6 && !is(at + 1, Words("i|we|it|they|he|she|the"))
    })?;
    let behind = if is(again, Words("but")) { again + 1 } else { again + 2 };
    (behind < words.len()).then(|| [&words[..not], &words[behind..]].concat())
}

/// "We switched from Jenkins to Buildkite": Jenkins is no longer used.
fn left_behind(words: &[Token]) -> Option<Vec<Token>> {
    let from = (1..words.len()).find(|&at| words[at].lower == "from" && CHANGED.contains(&words[at - 1].lower))?;
    let to = (from + 2..from + 5).find(|&at| words.get(at).is_some_and(|t| t.lower == "to"))?;
    let mut before = from - 1;
    while before > 0 && Words("have|has|just|recently|finally|also").contains(&words[before - 1].lower) {
        before -= 1;
    }
    let mine = before > 0 && matches!(words[before - 1].lower.as_str(), "i" | "we");
    // People move from place to place, and teams from tool to tool.
    let mine =
        mine && (words[from - 1].lower != "moved" || words[from + 1..to].iter().any(|t| TOOLS.contains(&t.lower)));
    let told = ["no", "longer", "use"].map(|word| in_place_of(&words[from - 1], word));
    mine.then(|| [&words[..before], &told, &words[from + 1..to]].concat())
}

/// A word that is not in the text, at the place of one that is.
fn in_place_of(word: &Token, lower: &str) -> Token {
    Token { lower: lower.to_owned(), capital: false, ..word.clone() }
}
