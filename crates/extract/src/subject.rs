//! Whom or what a clause is about: whoever speaks, their kin, something named, a thing.

use super::doubt::starts;
use super::patterns::{is_third, is_verb};
use super::tell::sentence;
use super::token::Token;
use super::vocabulary::{JOBS, KIN, KIN_ADJECTIVES, ROLES, SETTINGS};
use super::words::Words;
use super::{Statement, is_single, normal_attribute};

/// What kind of subject it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Whoever speaks.
    Me,
    /// Whoever speaks, and others.
    We,
    /// A person or an animal close to someone.
    Kin,
    /// Something with a name.
    Named,
    /// A thing.
    Thing,
    /// A thing without an article: "backups", "log retention on Beacon".
    Bare,
}

/// A subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// What kind.
    pub class: Class,
    /// The subject of a statement about it.
    pub key: String,
    /// How a sentence about it begins.
    pub told: String,
    /// Whether its verbs are plural when it is told.
    pub plural: bool,
    /// What naming it states besides: "my sister Eva".
    pub besides: Option<Statement>,
}

impl Subject {
    /// Someone or something with a name.
    pub fn named(name: &str) -> Self {
        Self { class: Class::Named, key: name.to_owned(), told: name.to_owned(), plural: false, besides: None }
    }
}

/// Most words of the name of a thing.
const THING_MAX_WORDS: usize = 7;

/// Words that no name of a thing holds: they begin another clause, or point elsewhere.
const NO_THING: Words = Words(include_str!("../data/subject/no_thing.txt"));

/// Last or first words of things that are talked about in passing.
pub const PASSING_THINGS: Words = Words(include_str!("../data/subject/passing_things.txt"));

/// First words of things that are told apart from others in passing.
pub const FIRST: Words = Words(include_str!("../data/subject/first.txt"));

/// Things of the code that is talked about, whatever stands before them.
pub const CODE: Words = Words(include_str!("../data/subject/code.txt"));

/// Words that begin like a name and are none.
pub const NO_NAME: Words = Words(include_str!("../data/subject/no_name.txt"));

/// Who speaks, as statements name them: the key and the telling.
pub struct Speaker<'a> {
    /// Their name, if it is known.
    pub name: Option<&'a str>,
}

impl Speaker<'_> {
    /// The subject of statements about them.
    pub fn key(&self) -> String {
        self.name.map_or_else(|| "user".to_owned(), str::to_owned)
    }

    /// How sentences about them begin.
    pub fn told(&self) -> String {
        self.name.map_or_else(|| "The user".to_owned(), str::to_owned)
    }

    /// They as a subject.
    pub fn me(&self) -> Subject {
        Subject { class: Class::Me, key: self.key(), told: self.told(), plural: false, besides: None }
    }
}

/// Whoever speaks and others: together they are the team, unless what is said holds for each of them.
pub fn we() -> Subject {
    Subject { class: Class::We, key: "the team".to_owned(), told: "The team".to_owned(), plural: false, besides: None }
}

/// A statement that naming someone makes.
pub fn besides(owner: &str, noun: &str, name: &str) -> Statement {
    let told = format!("{}'s {noun} is {name}", if owner == "user" { "The user" } else { owner });
    let attribute = normal_attribute(noun);
    Statement {
        text: sentence(&told),
        span: 0..0,
        subject: owner.to_owned(),
        single: is_single(&attribute),
        attribute,
        value: name.to_owned(),
        negated: false,
    }
}

/// The subjects that may begin at a token, each with the place behind it; the likelier first.
pub fn subjects(text: &str, words: &[Token], at: usize, speaker: &Speaker<'_>, small: bool) -> Vec<(Subject, usize)> {
    let Some(word) = words.get(at) else { return Vec::new() };
    // "Both my children".
    let at = at + usize::from(word.lower == "both" && words.get(at + 1).is_some_and(|t| t.lower == "my"));
    if let Some((subject, next)) = owner(text, words, at, speaker) {
        let mut found = Vec::new();
        // "Ann's brother", "my brother", "our server".
        if let Some(start) = possessive_end(words, at, next) {
            // What a family owns is told of the one who speaks.
            let one = if subject.class == Class::We { speaker.me() } else { subject.clone() };
            found.extend(kin(text, words, start, &one, small));
            found.extend(titled(text, words, start, speaker));
            found.extend(things(text, words, start, Some(&subject)));
            return found;
        }
        return vec![(subject, next)];
    }
    match word.lower.as_str() {
        "the" => things(text, words, at + 1, None),
        lower if NO_NAME.contains(lower) => Vec::new(),
        _ => {
            let mut found: Vec<_> = described(text, words, at, speaker).into_iter().collect();
            found.extend(if word.capital || small { named(text, words, at) } else { Vec::new() });
            found.extend(settings(text, words, at));
            found.extend(bare(text, words, at));
            found
        }
    }
}

/// Whoever speaks or owns: "I", "we", "my", "our", "the user", the speaker's own name.
pub fn owner(text: &str, words: &[Token], at: usize, speaker: &Speaker<'_>) -> Option<(Subject, usize)> {
    match words.get(at)?.lower.as_str() {
        "i" | "my" => return Some((speaker.me(), at + 1)),
        "we" | "our" => return Some((we(), at + 1)),
        "the" if words.get(at + 1).is_some_and(|t| t.lower == "user") => {
            return Some((Speaker { name: None }.me(), at + 2));
        }
        "the" if words.get(at + 1).is_some_and(|t| t.lower == "team") => return None,
        _ => {}
    }
    let name = speaker.name?;
    let start = words[at].span.start;
    let rest = text.get(start..)?;
    let same = rest.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name)) && !name.is_empty();
    let behind = (at..words.len()).find(|&next| words[next].span.start >= start + name.len())?;
    let ends = words[behind - 1].span.end == start + name.len();
    // A capital letter is asked of a name inside of sentences that are not the speaker's own telling.
    (same && ends && behind > at).then(|| (speaker.me(), behind))
}

/// Where the noun begins that an owner has: behind "my", "our" and "'s".
pub fn possessive_end(words: &[Token], at: usize, next: usize) -> Option<usize> {
    match words[at].lower.as_str() {
        "my" | "our" => Some(next),
        _ => words.get(next).is_some_and(|t| t.lower == "'s").then_some(next + 1),
    }
}

/// Someone close, with their name if it is said.
fn kin(text: &str, words: &[Token], start: usize, owner: &Subject, small: bool) -> Vec<(Subject, usize)> {
    let Some((what, noun)) = kin_noun(words, start) else { return Vec::new() };
    let plural = words[noun].lower.ends_with('s') && !matches!(words[noun].lower.as_str(), "boss")
        || matches!(words[noun].lower.as_str(), "children");
    let told = format!("{}'s {what}", owner.told);
    let mut found = Vec::new();
    let mut end = noun + 1;
    while end < noun + 3 && words.get(end).is_some_and(|t| t.capital && !NO_NAME.contains(t.lower.as_str())) {
        end += 1;
    }
    if end == noun + 1
        && small
        && words.get(end).is_some_and(|t| {
            t.word
                && !is_verb(&t.lower)
                && t.lower.chars().all(char::is_alphabetic)
                && !NO_THING.contains(t.lower.as_str())
                && !SMALL_NO_NAME.contains(t.lower.as_str())
        })
    {
        end += 1;
    }
    if end > noun + 1 && !plural {
        let raw = &text[words[noun + 1].span.start..words[end - 1].span.end];
        let name: String = if small { capital(raw) } else { raw.to_owned() };
        let besides = Some(besides(&owner.key, &what, &name));
        found.push((
            Subject { class: Class::Kin, told: format!("{told} {name}"), key: name, plural: false, besides },
            end,
        ));
    }
    if let Some((name, behind)) = apposition(text, words, noun + 1).filter(|_| !plural) {
        let besides = Some(besides(&owner.key, &what, &name));
        let told = format!("{told} {name}");
        found.push((Subject { class: Class::Kin, told, key: name, plural: false, besides }, behind));
    }
    let key = format!("{}'s {what}", owner.key);
    found.push((Subject { class: Class::Kin, key, told, plural, besides: None }, noun + 1));
    found
}

/// A relative that begins here, and the place of its last word: "older brother", "brother in law".
pub fn kin_noun(words: &[Token], start: usize) -> Option<(String, usize)> {
    let mut noun = start;
    while words.get(noun).is_some_and(|t| KIN_ADJECTIVES.contains(t.lower.as_str())) && noun < start + 3 {
        noun += 1;
    }
    // "Our eldest" is a child.
    if noun > start
        && Words("eldest|youngest|oldest").contains(&words[noun - 1].lower)
        && words.get(noun).is_none_or(|t| !KIN.contains(&t.lower))
    {
        return Some((words[noun - 1].lower.clone(), noun - 1));
    }
    words.get(noun).filter(|t| KIN.contains(t.lower.as_str()))?;
    let what = words[start..=noun].iter().map(|t| t.lower.as_str()).collect::<Vec<_>>().join(" ");
    match starts(words, noun + 1, "in law") {
        Some(behind) => Some((format!("{what}-in-law"), behind - 1)),
        None => Some((what, noun)),
    }
}

/// A name between commas: ", Solveig,", and the place behind it.
pub(super) fn apposition(text: &str, words: &[Token], comma: usize) -> Option<(String, usize)> {
    let is_comma = |at: usize| words.get(at).is_some_and(|t| t.lower == ",");
    let end = (comma + 2..comma + 5).find(|&at| is_comma(at)).filter(|_| is_comma(comma))?;
    let name = &words[comma + 1..end];
    let proper = name.iter().all(|t| t.word && t.capital && !NO_NAME.contains(t.lower.as_str()));
    proper.then(|| (text[name[0].span.start..name[name.len() - 1].span.end].to_owned(), end + 1))
}

/// What is owned and has its name between commas: "our company, Fenwick,".
fn titled(text: &str, words: &[Token], start: usize, speaker: &Speaker<'_>) -> Option<(Subject, usize)> {
    let comma = (start + 1..start + 4).find(|&at| words.get(at).is_some_and(|t| !t.word))?;
    let (name, behind) = apposition(text, words, comma)?;
    let noun = words[start..comma].iter().map(|t| t.lower.as_str()).collect::<Vec<_>>().join(" ");
    let besides = Some(besides(&speaker.key(), &noun, &name));
    Some((Subject { class: Class::Named, told: name.clone(), key: name, plural: false, besides }, behind))
}

/// A name and who it belongs to: "Zsófia, my flatmate,", "Marisol, our office manager,".
fn described(text: &str, words: &[Token], at: usize, speaker: &Speaker<'_>) -> Option<(Subject, usize)> {
    let is_comma = |at: usize| words.get(at).is_some_and(|t| t.lower == ",");
    let comma = (at + 1..at + 4).find(|&place| is_comma(place))?;
    let end = (comma + 3..comma + 7).find(|&place| is_comma(place))?;
    let name = &words[at..comma];
    let said = &words[comma + 2..end];
    if !name.iter().chain(said).all(|t| t.word) || !name.iter().all(|t| t.capital) {
        return None;
    }
    let raw = text[name[0].span.start..name[name.len() - 1].span.end].to_owned();
    let noun: Vec<&str> = said.iter().map(|t| t.lower.as_str()).collect();
    let known = match words[comma + 1].lower.as_str() {
        "my" if kin_noun(said, 0).is_some_and(|(_, last)| last + 1 == said.len()) => {
            besides(&speaker.key(), &noun.join(" "), &raw)
        }
        "our" | "the" if is_role(&noun) => role(&raw, &noun.join(" ")),
        _ => return None,
    };
    let besides = Some(known);
    Some((Subject { class: Class::Named, told: raw.clone(), key: raw, plural: false, besides }, end + 1))
}

/// Whether a noun is what someone does for a team: "tech lead", "office manager".
pub fn is_role(noun: &[&str]) -> bool {
    let last = noun.last().copied().unwrap_or_default();
    let titles = Words("lead|head|chief|rep|contact|chair|expert|go-to|champion|liaison|steward|owner|buddy");
    ROLES.contains(noun.join(" ").as_str()) || noun.len() <= 4 && (JOBS.contains(last) || titles.contains(last))
}

/// What someone does for a team, as a statement.
pub fn role(name: &str, noun: &str) -> Statement {
    Statement {
        // "The manager" can be anyone's; a role of the table is the team's.
        text: sentence(&format!("{name} is the {}{noun}", if ROLES.contains(noun) { "" } else { "team's " })),
        span: 0..0,
        subject: name.to_owned(),
        attribute: "role".to_owned(),
        value: noun.to_owned(),
        single: is_single("role"),
        negated: false,
    }
}

/// Words behind a relative in a text without capitals that are no name.
const SMALL_NO_NAME: Words = Words(include_str!("../data/subject/small_no_name.txt"));

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A thing, up to each verb that follows.
fn things(text: &str, words: &[Token], start: usize, owner: Option<&Subject>) -> Vec<(Subject, usize)> {
    let mut found = Vec::new();
    for end in start + 1..=start + THING_MAX_WORDS {
        let Some(last) = words.get(end - 1) else { break };
        if !last.word || NO_THING.contains(last.lower.as_str()) || last.lower == "'s" {
            break;
        }
        let Some(next) = words.get(end) else { break };
        let chosen = chosen_end(words, end);
        let begins = is_verb(&next.lower)
            || Words("is|are|does|do|no|stopped|currently|now|still|also|was").contains(&next.lower)
            || is_short_be(words, end)
            || chosen.is_some();
        let passing = |t: &Token| PASSING_THINGS.contains(t.lower.as_str());
        if !begins
            || passing(last) && (end == start + 1 || CODE.contains(last.lower.as_str()))
            || FIRST.contains(words[start].lower.as_str())
            || owner.is_some_and(|one| one.class != Class::We) && is_owned(&words[start..end])
            || matches!(last.lower.as_str(), "problem" | "issue" | "reason" | "goal" | "plan" | "point")
        {
            continue;
        }
        let raw = &text[words[start].span.start..last.span.end];
        let (key, told) = match owner {
            Some(mine) if mine.class != Class::We => {
                (format!("{}'s {raw}", mine.key), format!("{}'s {raw}", mine.told))
            }
            _ => (format!("the {raw}"), format!("The {raw}")),
        };
        let bent = matches!(next.lower.as_str(), "is" | "does") || is_third(&next.lower);
        let plain = matches!(next.lower.as_str(), "are" | "do") || is_verb(&next.lower);
        let plural = last.lower.ends_with('s') && !last.lower.ends_with("ss") && plain && !bent;
        found.push((Subject { class: Class::Thing, key, told, plural, besides: None }, chosen.unwrap_or(end)));
    }
    found
}

/// Where the verb is in "the broker we use is".
fn chosen_end(words: &[Token], at: usize) -> Option<usize> {
    let ways = Words("use|run|chose|picked|prefer|deploy|pinned|follow|have");
    let word = |place: usize| words.get(place).map_or("", |t| t.lower.as_str());
    let chosen = matches!(word(at), "we" | "i") && ways.contains(word(at + 1)) && matches!(word(at + 2), "is" | "are");
    chosen.then_some(at + 2)
}

/// Whether "'s" stands for "is" here: "the standup's at ten".
fn is_short_be(words: &[Token], at: usize) -> bool {
    let behind = Words("at|on|every|called|named|set|hosted|written|due|based|kept|deployed|owned|maintained");
    words.get(at).is_some_and(|t| t.lower == "'s")
        && words.get(at + 1).is_some_and(|t| behind.contains(t.lower.as_str()))
}

/// Words that no thing without an article begins with or holds.
const NO_BARE: Words = Words(include_str!("../data/subject/no_bare.txt"));

/// A thing without an article, up to the verb: "nightly builds for Osprey run", "log retention on Beacon is".
fn bare(text: &str, words: &[Token], at: usize) -> Option<(Subject, usize)> {
    let stops = |place: usize| {
        let word = words.get(place).map_or("", |t| t.lower.as_str());
        matches!(word, "is" | "are") || is_short_be(words, place) || place > at && is_verb(word)
    };
    let end = (at + 1..at + 1 + THING_MAX_WORDS).find(|&place| stops(place))?;
    let noun = &words[at..end];
    let small_word = Words("for|on|of|in|to|at|from|our|the");
    let plain = noun.iter().enumerate().all(|(place, t)| {
        let lower = t.lower.as_str();
        t.word
            && lower != "'s"
            && !NO_THING.contains(lower)
            && !NO_BARE.contains(lower)
            && (place == 0 || small_word.contains(lower) || !NO_NAME.contains(lower) || lower == "time")
    });
    let first = noun[0].lower.as_str();
    let last = noun[noun.len() - 1].lower.as_str();
    if !plain
        || small_word.contains(last)
        || small_word.contains(first)
        || NO_NAME.contains(first)
        || first.ends_with("ing")
        || CODE.contains(last)
        || KIN.contains(first)
        || noun.len() == 1 && PASSING_THINGS.contains(last)
    {
        return None;
    }
    // "Code reviews in our team" are told as "code reviews".
    let told = noun.windows(2).position(|pair| pair[1].lower == "our").filter(|&cut| cut > 0).unwrap_or(noun.len());
    let key = capital(&text[noun[0].span.start..noun[told - 1].span.end]);
    let next = words[end].lower.as_str();
    let head = noun.iter().position(|t| small_word.contains(t.lower.as_str())).map_or(last, |cut| &noun[cut - 1].lower);
    let plural = head.ends_with('s') && !head.ends_with("ss") && !is_third(next) && !matches!(next, "is" | "'s");
    Some((Subject { class: Class::Bare, told: key.clone(), key, plural, besides: None }, end))
}

/// Whether a noun is read as an attribute of its owner, and not as a thing: "my boss", "my name", "my favourite thing".
fn is_owned(noun: &[Token]) -> bool {
    let words: Vec<&str> = noun.iter().map(|t| t.lower.as_str()).collect();
    let last = words[words.len() - 1];
    KIN.contains(last)
        || KIN.contains(words[0])
        || words.iter().any(|w| w.starts_with("favo"))
        || matches!(last, "name" | "life" | "head" | "brain" | "day" | "mood")
}

/// Something with a name: up to three words with a capital letter.
fn named(text: &str, words: &[Token], at: usize) -> Vec<(Subject, usize)> {
    let mut end = at + 1;
    while end < at + 4 && words.get(end).is_some_and(|t| t.capital && t.word) {
        end += 1;
    }
    let raw = capital(&text[words[at].span.start..words[end - 1].span.end]);
    let plural = words[end - 1].lower.ends_with('s')
        && words
            .get(end)
            .is_some_and(|t| is_verb(&t.lower) && !is_third(&t.lower) && t.lower != "is" || t.lower == "are");
    if !raw.starts_with(char::is_uppercase) {
        return Vec::new();
    }
    vec![(Subject { class: Class::Named, told: raw.clone(), key: raw, plural, besides: None }, end)]
}

/// A thing without an article that is set to something: "Max file size is 10 MB".
fn settings(text: &str, words: &[Token], at: usize) -> Option<(Subject, usize)> {
    let end = (at + 1..at + 5).find(|&end| words.get(end).is_some_and(|t| t.lower == "is"))?;
    let last = &words[end - 1];
    let plain = words[at..end]
        .iter()
        .all(|t| t.word && t.lower != "'s" && !NO_THING.contains(t.lower.as_str()) && !is_verb(&t.lower));
    if !plain || words[at].lower.ends_with("ing") || !SETTINGS.contains(last.lower.as_str()) {
        return None;
    }
    let raw = &text[words[at].span.start..last.span.end];
    Some((Subject { class: Class::Thing, key: capital(raw), told: capital(raw), plural: false, besides: None }, end))
}
