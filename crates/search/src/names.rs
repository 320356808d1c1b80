//! The names of authors, and where a question says one.

use std::collections::{BTreeMap, BTreeSet};

use super::scan::Scan;
use super::words::{fold, is_space, is_unspaced, is_word_part, stem};

/// Author names that say a role, not who someone is.
const ROLES: [&str; 18] = [
    "user",
    "assistant",
    "system",
    "bot",
    "human",
    "ai",
    "agent",
    "tool",
    "model",
    "me",
    "用户",
    "助手",
    "系统",
    "机器人",
    "ユーザー",
    "アシスタント",
    "사용자",
    "시스템",
];

/// The shortest word of a name that counts, in characters: initials are found everywhere.
const SHORTEST_NAME: usize = 2;

/// Words after which a name may stand without its capital letter: where an English sentence has a person.
const BEFORE_PERSON: [&str; 14] =
    ["did", "does", "do", "has", "have", "had", "is", "are", "was", "were", "by", "from", "would", "could"];

/// Words between two names.
const BETWEEN_PERSONS: [&str; 2] = ["and", "or"];

/// English words that are names or roles of authors too: only a capital letter tells them apart; sorted.
const WORDS_TOO: [&str; 178] = [
    "ace", "admin", "amber", "angel", "april", "archer", "art", "ash", "august", "autumn", "baker", "bank", "basil",
    "bay", "bear", "bell", "berry", "bill", "birch", "bishop", "blaze", "blue", "bond", "brook", "brown", "buck",
    "bud", "buddy", "build", "candy", "carol", "carter", "cash", "chance", "chase", "chip", "chuck", "clay", "client",
    "cliff", "coach", "code", "cook", "cooper", "coral", "crystal", "customer", "daisy", "dale", "dash", "dawn",
    "dean", "deploy", "destiny", "doctor", "dot", "drew", "duke", "earl", "earnest", "ebony", "editor", "eve",
    "expert", "faith", "fern", "fisher", "flora", "ford", "forest", "fox", "frank", "gale", "ginger", "glen", "grace",
    "grant", "gray", "green", "grey", "guest", "guy", "hall", "harmony", "haven", "hazel", "heath", "heather", "hill",
    "holly", "honey", "hope", "host", "hunter", "iris", "ivory", "ivy", "jack", "jade", "jasmine", "jay", "jewel",
    "joy", "june", "justice", "king", "kit", "lake", "lance", "lane", "laurel", "lead", "lily", "long", "love",
    "major", "manager", "march", "marina", "mark", "mason", "max", "melody", "mercy", "miles", "miller", "misty",
    "noble", "norm", "nurse", "olive", "opal", "operator", "owner", "page", "pat", "patience", "pearl", "penny",
    "planner", "poppy", "porter", "price", "prince", "queen", "rain", "ray", "red", "reed", "reviewer", "rich",
    "river", "rob", "robin", "rose", "ruby", "sage", "sales", "sandy", "scout", "server", "sky", "star", "stone",
    "storm", "student", "sue", "summer", "support", "teacher", "team", "test", "violet", "west", "will", "winter",
    "worker", "writer",
];

/// The words of authors' names.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Each word, folded, with who bears it.
    words: BTreeMap<String, Bearers>,
    /// The most characters of a name in a script written without spaces.
    longest_unspaced: usize,
}

/// The authors whose names have a word.
#[derive(Debug, Clone, Default)]
struct Bearers {
    authors: BTreeSet<u32>,
    /// Whether one of them is called by words alone, as persons are; in "deploy-bot" a word is only a word.
    person: bool,
}

/// One word of a name in a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Where it begins.
    pub from: usize,
    /// Where it ends, a possessive with it.
    pub to: usize,
    /// Whether it is a possessive.
    pub possessive: bool,
    /// Whether it is of a script without capital letters.
    pub uncased: bool,
    /// The word, folded.
    pub word: String,
}

impl Names {
    /// Nobody's.
    pub const fn new() -> Self {
        Self { words: BTreeMap::new(), longest_unspaced: 0 }
    }

    /// Adds the words of an author's name.
    pub fn add(&mut self, author: u32, name: &str) {
        let person = name.chars().all(|c| is_word_part(c) || is_space(c) || matches!(c, '.' | '\'' | '’'));
        for word in name.split(|c| !is_word_part(c)).map(fold) {
            let length = word.chars().count();
            if length < SHORTEST_NAME || ROLES.contains(&word.as_str()) {
                continue;
            }
            if word.chars().all(is_unspaced) {
                self.longest_unspaced = self.longest_unspaced.max(length);
            }
            let bearers = self.words.entry(word).or_default();
            bearers.authors.insert(author);
            bearers.person |= person;
        }
    }

    /// The authors whose names have a word.
    pub fn bearers<'a>(&'a self, word: &str) -> impl Iterator<Item = u32> + use<'a> {
        self.words.get(word).into_iter().flat_map(|bearers| bearers.authors.iter().copied())
    }

    /// The words of names in a question, in order.
    pub fn find(&self, scan: &Scan) -> Vec<Named> {
        let mut found: Vec<Named> = Vec::new();
        let mut before = None;
        let mut at = 0;
        while at < scan.end() && !self.words.is_empty() {
            if is_unspaced(scan.chars[at]) {
                let named = self.unspaced(scan, at);
                at = named.as_ref().map_or(at + 1, |named| named.to);
                found.extend(named);
                continue;
            }
            let ends = |&i: &usize| !is_word_part(scan.chars[i]) || is_unspaced(scan.chars[i]);
            let end = (at..scan.end()).find(ends).unwrap_or(scan.end());
            if end == at {
                at += 1;
                continue;
            }
            let possessive = possessive_end(scan, end);
            let (from, to) = (at, possessive.unwrap_or(end));
            at = to;
            let word = fold(&scan.text(from, end));
            if let Some(bearers) = self.words.get(&word) {
                let first = scan.chars[from];
                let uncased = first.is_alphabetic() && !first.is_uppercase() && !first.is_lowercase();
                let stands = first.is_uppercase()
                    || uncased
                    || (bearers.person
                        && !is_word_too(&word)
                        && (possessive.is_some() || is_place_of_person(scan, from, to, before, found.last())));
                if stands {
                    found.push(Named { from, to, possessive: possessive.is_some(), uncased, word });
                }
            }
            before = Some((from, to));
        }
        found
    }

    /// The longest name that begins at a character of a script written without spaces.
    fn unspaced(&self, scan: &Scan, from: usize) -> Option<Named> {
        let longest = self.longest_unspaced.min(scan.end() - from);
        (SHORTEST_NAME..=longest).rev().find_map(|length| {
            let to = from + length;
            let word = fold(&scan.text(from, to));
            let found = self.words.contains_key(&word) && word.chars().all(is_unspaced);
            found.then_some(Named { from, to, possessive: false, uncased: true, word })
        })
    }
}

fn is_word_too(word: &str) -> bool {
    WORDS_TOO.binary_search(&word).is_ok() || stem(word).is_none()
}

/// Whether a word without a capital letter stands where a person would: after a verb or "by", beside another name, or as
/// the whole question.
fn is_place_of_person(
    scan: &Scan,
    from: usize,
    to: usize,
    before: Option<(usize, usize)>,
    last: Option<&Named>,
) -> bool {
    let only_spaces = |from: usize, to: usize| scan.spaces(from) >= to;
    let Some((word_from, word_to)) = before else { return !(to..scan.end()).any(|at| scan.is_word(at)) };
    if !only_spaces(word_to, from) {
        return false;
    }
    let follows = |words: &[&str]| scan.one_of(word_from, words).is_some_and(|(_, end)| end == word_to);
    let beside = |last: &Named| last.to == word_to || (follows(&BETWEEN_PERSONS) && only_spaces(last.to, word_from));
    follows(&BEFORE_PERSON) || last.is_some_and(beside)
}

/// The end of `'s` or a lone apostrophe after a word.
fn possessive_end(scan: &Scan, end: usize) -> Option<usize> {
    scan.chars.get(end).filter(|c| matches!(c, '\'' | '’'))?;
    let with_s = if scan.chars.get(end + 1) == Some(&'s') { end + 2 } else { end + 1 };
    (!scan.is_word(with_s)).then_some(with_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(question: &str) -> Vec<String> {
        let mut names = Names::new();
        let authors = ["Ann", "Mark Twain", "will", "deploy-bot", "李明", "José", "שרה", "user", "Rose", "राम"];
        for (author, name) in (0..).zip(authors) {
            names.add(author, name);
        }
        names.find(&Scan::new(question)).into_iter().map(|named| named.word).collect()
    }

    #[test]
    fn a_name_is_known_without_its_capital_where_a_person_would_stand() {
        assert!(WORDS_TOO.is_sorted(), "binary search needs order");
        for question in
            ["What did ann say?", "What did Ann say?", "ann's boat", "notes by ann", "ann", "WHAT DID ANN SAY?"]
        {
            assert_eq!(found(question), ["ann"], "{question}");
        }
        assert_eq!(found("what did ann and twain do?"), ["ann", "twain"]);
        assert_eq!(found("what did jose say?"), ["jose"], "without the accent too");
    }

    #[test]
    fn a_word_is_no_name_because_somebody_is_called_so() {
        for question in [
            "what will happen",
            "will you mark it?",
            "did mark my word count",
            "is rose a colour",
            "what did deploy break",
            "was ist an ann",
            "the user said",
        ] {
            assert_eq!(found(question), [""; 0], "{question}");
        }
        assert_eq!(found("What did Mark, Will and Rose say?"), ["mark", "will", "rose"]);
    }

    #[test]
    fn scripts_without_capital_letters_have_names() {
        for (question, name) in
            [("李明", "李明"), ("昨天李明说了什么？", "李明"), ("מה שרה אמרה", "שרה"), ("राम ने क्या कहा", "राम")]
        {
            assert_eq!(found(question), [name], "{question}");
        }
    }
}
