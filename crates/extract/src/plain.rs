//! What no row of the table reads and that still states something lasting and definite: kept clause by clause as it is.
//!
//! The rows know what is stated; here only its form is known. So more is asked of it: it is about its author, what is
//! theirs, or what they work with; its verb is one of what lasts; and it names something: a number, a time, a name.

use super::doubt::{has, starts};
use super::statement::{Statement, is_kin_name};
use super::subject::{Class, Speaker, Subject};
use super::tell::{retell, third};
use super::token::Token;
use super::value::{begins_clause, is_number};
use super::vocabulary::KIN;
use super::words::Words;

mod frames;
mod instruction;
mod own;
mod signs;
mod things;
mod words;

use frames::Whose;
pub use instruction::instruction;
use own::{does, has_none};
use signs::{behind_adverbs, is_loose, is_passing, names, recurs};
use things::{changed, is_over, is_rule, said_of_things};
pub use words::LOOSE;
use words::*;

/// Fewest and most words of what is kept.
const WORDS: std::ops::RangeInclusive<usize> = 3..=26;

/// Bytes behind a name that say more of whoever has it.
const NAMED_AND_MORE: usize = 6;

/// What a sentence states beyond what was found in it: the whole of it behind its beginning, or the clauses that nothing was
/// found in.
pub fn beyond(
    text: &str,
    words: &[Token],
    sentence: &[Token],
    found: &[Statement],
    about: Option<&Subject>,
    speaker: &Speaker<'_>,
) -> Vec<Statement> {
    // Whoever is named in passing is not what is said.
    let covers = |statement: &Statement, said: &[Token]| {
        let (start, end) = (said[0].span.start, said[said.len() - 1].span.end);
        let more = statement.span.len() * 2 < end - start || statement.span.end + NAMED_AND_MORE < end;
        let passing = is_kin_name(statement) && more;
        statement.span.start < end && start < statement.span.end && !passing
    };
    let for_now = |said: &[Token]| PASSING_SCOPE.iter().any(|way| has(said, way));
    let is_open = |said: &&[Token]| !said.is_empty() && !found.iter().any(|statement| covers(statement, said));
    // "Both of my parents are deaf, so we sign at home" says two things.
    let one = !words.windows(2).any(|pair| pair[0].lower == "," && pair[1].lower == "so");
    if let Some(whole) = Some(words)
        .filter(|said| one && is_open(said))
        .filter(|_| !for_now(sentence))
        .and_then(|words| stated_by(text, without_other(trimmed(words)), speaker))
    {
        return vec![whole];
    }
    // What a colon hands over is another's text, and what holds for now does not last.
    if for_now(sentence) || words.iter().any(|t| t.lower == ":") {
        return Vec::new();
    }
    let kept = |clause: &[Token]| {
        let own = instruction(text, clause, sentence, speaker).or_else(|| stated(text, clause, speaker));
        // Whom the sentence was about at its end it may not have been about before.
        let behind = found.last().is_none_or(|last| clause[0].span.start >= last.span.start);
        own.or_else(|| goes_on(text, clause, about.filter(|_| behind)?, speaker))
    };
    let mut kept: Vec<Statement> = clauses(words).into_iter().filter(is_open).filter_map(kept).collect();
    if kept.is_empty() && is_open(&words) {
        kept.extend(stated(text, words, speaker));
    }
    kept
}

/// The clauses of a sentence: each begins with a subject of its own, or asks for something.
fn clauses(words: &[Token]) -> Vec<&[Token]> {
    let word = |at: usize| words.get(at).map_or("", |t| t.lower.as_str());
    let joins =
        |at: usize| matches!(word(at), "and" | "but" | "so" | "plus" | "because" | "while" | "though" | "which");
    let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
    while at < words.len() {
        let mark = matches!(word(at), "," | ";" | "–" | "—" | "-" | "(" | ")");
        if !mark && !joins(at) {
            at += 1;
            continue;
        }
        let mut next = at + 1;
        while joins(next) || matches!(word(next), "," | "then" | "also") {
            next += 1;
        }
        let asks = instruction::begins(words, next);
        // "Sundays and Mondays are": one subject.
        let joint = word(at) == "and" && at < start + 3 && words[next.min(words.len() - 1)].capital;
        let splits = matches!(word(at), ";" | "–" | "—" | "(" | ")")
            || word(at) == "so"
            || word(at) == "," && word(at + 1) == "so"
            || begins_clause(words, next)
            || Words("each|every|all|any|there").contains(word(next))
            || is_number(word(next)) && (next + 2..next + 4).any(|verb| word(verb) == "are")
            || word(at) != "," && is_bent(word(next))
            || asks;
        if splits && !joint && next > at {
            found.push(&words[start..at]);
            start = next.min(words.len());
        }
        at = next;
    }
    found.push(&words[start..]);
    found
}

/// A clause as it is, or as far as its first half goes, if it plainly states something.
fn stated(text: &str, words: &[Token], speaker: &Speaker<'_>) -> Option<Statement> {
    let said = without_other(trimmed(words));
    let half = || said.iter().position(|t| Words(",|and|but|so|because").contains(&t.lower)).filter(|&at| at > 3);
    stated_by(text, said, speaker).or_else(|| stated_by(text, trimmed(&said[..half()?]), speaker))
}

fn stated_by(text: &str, said: &[Token], speaker: &Speaker<'_>) -> Option<Statement> {
    let counted = said.iter().filter(|t| t.word).count();
    let mark = |t: &Token| matches!(t.lower.as_str(), ":" | ";" | "..." | "…" | "(" | "\"");
    let passing =
        ["commits behind", "commits ahead", "commits away"].iter().any(|phrase| has(said, phrase)) || is_passing(said);
    if !WORDS.contains(&counted) || said.iter().any(mark) || passing || !states(said) {
        return None;
    }
    // What a household rents or raises is told of the one who speaks.
    let told = speaker.told();
    let me = if told.starts_with("The ") { "the user" } else { &told };
    let kin = |t: &Token| KIN.contains(&t.lower) && !AT_WORK.contains(&t.lower);
    let at_home = said.iter().any(kin)
        || said[0].lower == "we" && said.get(1).is_some_and(|t| HOUSEHOLD.contains(&t.lower))
        || matches!(said[0].lower.as_str(), "we" | "our") && said.iter().take(6).any(|t| FAMILY.contains(&t.lower));
    let team = if at_home { me } else { "the team" };
    Some(kept(text, said, retell(text, said, &told, team)))
}

/// What is said on of whom or what was spoken of: "and she wants the report by noon", "and gets redeployed".
fn goes_on(text: &str, words: &[Token], about: &Subject, speaker: &Speaker<'_>) -> Option<Statement> {
    let said = trimmed(words);
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let thing = matches!(about.class, Class::Thing | Class::Bare);
    let verb = match word(0) {
        "she" | "he" if !thing && !about.plural => 1,
        "it" if thing && !about.plural => 1,
        "they" if about.plural => 1,
        first if !about.plural && (is_bent(first) || matches!(first, "is" | "gets")) => 0,
        _ => return None,
    };
    let rest = said.get(verb + 1..)?;
    let next = rest.first().map_or("", |t| t.lower.as_str());
    let fits = match word(verb) {
        "is" | "gets" | "'s" | "are" => PARTICIPLES.contains(next) || BEHIND_BE.contains(next) || is_number(next),
        bent => is_bent(bent) && !Words("out|up|off|away|back|down|into|it|over|to").contains(next),
    };
    let loose = rest.iter().any(|t| LOOSE.contains(&t.lower));
    let known = matches!(about.class, Class::Kin | Class::Named | Class::Thing | Class::Bare);
    let whose = if thing { Whose::Own } else { Whose::Kin };
    let framed = || frames::fits_from(whose, said, verb);
    if !known || rest.len() > 16 || !(fits && !loose && (names(rest) || recurs(rest)) || framed()) {
        return None;
    }
    // "She's" is one word in the text.
    let short = verb == 1 && (said[0].span == said[1].span || word(1) == "'s");
    let be = if word(1) == "are" { "are " } else { "is " };
    let (said, be) = if short { (rest, be) } else { (&said[verb..], "") };
    let told = retell(text, said, &speaker.told(), "the team");
    let mut chars = told.chars();
    let small: String = if said[0].capital {
        told
    } else {
        chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect()
    };
    Some(kept(text, said, format!("{} {be}{small}", about.told)))
}

/// Whom or what a clause is about, of which something was kept: the next sentence may go on with "she" or "it".
pub fn topic(text: &str, words: &[Token], speaker: &Speaker<'_>) -> Option<Subject> {
    let said = trimmed(words);
    let (whose, verb) = frames::topic(said)?;
    let noun = said.get(1..verb)?;
    let (first, last) = (noun.first()?, noun.last()?);
    let raw = text.get(first.span.start..last.span.end)?.trim_end_matches(',');
    let plural = last.lower.ends_with('s') && !["ss", "us", "is"].iter().any(|end| last.lower.ends_with(end));
    let class = if whose == Whose::Kin { Class::Kin } else { Class::Thing };
    let mine = said[0].lower == "my" || whose == Whose::Kin;
    let (key, told) = match mine {
        true => (format!("{}'s {raw}", speaker.key()), format!("{}'s {raw}", speaker.told())),
        false => (format!("the {raw}"), format!("The {raw}")),
    };
    Some(Subject { class, key, told, plural, besides: None })
}

/// Whether a word is a verb of what lasts, in the third person.
fn is_bent(word: &str) -> bool {
    word.ends_with('s') && THING_VERBS.iter().chain(OWN_VERBS.iter()).any(|verb| third(verb) == word)
        || matches!(word, "wants" | "prefers" | "loves" | "expects")
}

fn kept(text: &str, said: &[Token], told: String) -> Statement {
    let span = said[0].span.start..said[said.len() - 1].span.end;
    Statement {
        text: told,
        value: text.get(span.clone()).unwrap_or_default().to_owned(),
        span,
        subject: String::new(),
        attribute: String::new(),
        single: false,
        negated: false,
    }
}

/// Without the marks at its end, and without what only says that it holds now.
fn trimmed(words: &[Token]) -> &[Token] {
    let mut end = words.iter().rposition(|t| t.word).map_or(0, |last| last + 1);
    for way in ["now", "these days", "from here on", "from now on", "instead", "as well", "too", "nowadays", "please"] {
        let count = way.split(' ').count();
        // "For now" and "by now" say something else.
        let bound = way == "now"
            && end > 1
            && Words("for|by|until|till|right|just|of|only|even").contains(&words[end - 2].lower);
        if end > count && starts(&words[..end], end - count, way).is_some() && !bound {
            end -= count;
        }
    }
    let end = words[..end].iter().rposition(|t| t.word).map_or(0, |last| last + 1);
    &words[..end]
}

/// "On 9464, not 9090": what it is not is no part of it.
fn without_other(said: &[Token]) -> &[Token] {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let comma = (said.len().saturating_sub(7)..said.len()).find(|&at| word(at) == "," && word(at + 1) == "not");
    let other = (3..said.len())
        .find(|&at| starts(said, at, "instead of").is_some() || starts(said, at, "rather than").is_some());
    let end = comma.or(other).unwrap_or(said.len());
    // "Line length is 110 here": where one is.
    &said[..end - usize::from(end > 3 && word(end - 1) == "here" && word(end - 2) != "in")]
}

/// Whether its subject, its verb and what it names are such as last.
fn states(said: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    // "Pavel and I share the rota", "my wife and I live in Graz".
    let joined = (1..4).find(|&at| word(at) == "and" && word(at + 1) == "i").filter(|_| !is_loose(&said[..1]));
    match word(0) {
        "i" | "we" => {
            let verb = behind_adverbs(said, 1);
            let rest = &said[(verb + 1).min(said.len())..];
            let been = usize::from(word(verb) == "have" && word(verb + 1) == "been");
            !is_loose(&rest[been.min(rest.len())..]) && does(said, verb, rest)
                || has_none(said, verb)
                || frames::fits(said)
        }
        _ if let Some(and) = joined => {
            let verb = behind_adverbs(said, and + 2);
            let rest = &said[(verb + 1).min(said.len())..];
            !is_loose(rest) && does(said, verb, rest)
        }
        "it" | "he" | "she" | "they" | "there" | "what" | "who" | "a" | "an" | "you" | "if" | "when" => false,
        _ => {
            changed(said)
                || is_over(said)
                || is_rule(said)
                || !is_loose(said) && said_of_things(said)
                || frames::fits(said)
        }
    }
}
