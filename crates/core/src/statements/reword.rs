//! Corrections and changes in the words that the table reads: what something is not is left out, and what is given up is
//! told as what is no longer so.

use super::doubt::starts;
use super::token::Token;
use super::words::Words;

/// How something is given up, and the same in words of the table.
const GIVEN_UP: &[(&str, &str)] = &[
    ("dropped", "no longer use"),
    ("ditched", "no longer use"),
    ("abandoned", "no longer use"),
    ("retired", "no longer use"),
    ("got rid of", "no longer use"),
    ("moved off", "no longer use"),
    ("moved off of", "no longer use"),
    ("moved away from", "no longer use"),
    ("migrated off", "no longer use"),
    ("migrated away from", "no longer use"),
    ("gave up on", "no longer use"),
    ("moved out of", "no longer live in"),
    ("moved away from", "no longer live in"),
    ("left", "no longer work at"),
    ("quit my job at", "no longer work at"),
    ("resigned from", "no longer work at"),
    ("sold my", "no longer have a"),
    ("broke up with", "no longer be with"),
];

/// How one goes from one thing to another.
const CHANGED: Words = Words("switched|migrated|moved|changed|converted|went|transitioned");

/// Other readings of a sentence: each says less than the sentence, and nothing that it does not say.
pub fn readings(words: &[Token]) -> Vec<Vec<Token>> {
    let mut found = Vec::new();
    found.extend(corrected(words));
    found.extend(left_behind(words));
    for at in 1..words.len() {
        let speaks = |t: &Token| matches!(t.lower.as_str(), "i" | "we" | "and");
        let before =
            if matches!(words[at - 1].lower.as_str(), "have" | "just" | "finally" | "recently") { at - 1 } else { at };
        if before == 0 || !speaks(&words[before - 1]) {
            continue;
        }
        for (way, told) in GIVEN_UP {
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
    let told = ["no", "longer", "use"].map(|word| in_place_of(&words[from - 1], word));
    mine.then(|| [&words[..before], &told, &words[from + 1..to]].concat())
}

/// A word that is not in the text, at the place of one that is.
fn in_place_of(word: &Token, lower: &str) -> Token {
    Token { lower: lower.to_owned(), capital: false, ..word.clone() }
}
