//! What no row of the table reads and that still states something lasting and definite: kept clause by clause as it is.
//!
//! The rows know what is stated; here only its form is known. So more is asked of it: it is about its author, what is
//! theirs, or what they work with; its verb is one of what lasts; and it names something: a number, a time, a name.

use super::doubt::{has, starts};
use super::subject::{CODE, Class, FIRST, PASSING_THINGS, Speaker, Subject};
use super::tell::{retell, third};
use super::token::Token;
use super::value::{begins_clause, is_number};
use super::vocabulary::{DAYS, MONTHS, TOOLS};
use super::words::Words;
use super::{Statement, is_kin_name};

mod instruction;
mod words;

pub use instruction::instruction;
pub use words::LOOSE;
use words::*;

/// Fewest and most words of what is kept.
const WORDS: std::ops::RangeInclusive<usize> = 3..=26;

/// What a sentence states beyond what was found in it: the whole of it, or the clauses that nothing was found in.
pub fn beyond(
    text: &str,
    words: &[Token],
    found: &[Statement],
    about: Option<&Subject>,
    speaker: &Speaker<'_>,
) -> Vec<Statement> {
    // Whoever is named in passing is not what is said.
    let covers = |statement: &Statement, said: &[Token]| {
        let (start, end) = (said[0].span.start, said[said.len() - 1].span.end);
        let passing = is_kin_name(statement) && statement.span.len() * 2 < end - start;
        statement.span.start < end && start < statement.span.end && !passing
    };
    let is_open = |said: &&[Token]| !said.is_empty() && !found.iter().any(|statement| covers(statement, said));
    if let Some(whole) = Some(words).filter(is_open).and_then(|words| stated(text, words, speaker)) {
        return vec![whole];
    }
    // What a colon hands over is another's text.
    if words.iter().any(|t| t.lower == ":") {
        return Vec::new();
    }
    let kept = |clause| {
        let own = instruction(text, clause, words, speaker).or_else(|| stated(text, clause, speaker));
        own.or_else(|| goes_on(text, clause, about?, speaker))
    };
    clauses(words).into_iter().filter(is_open).filter_map(kept).collect()
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
        let splits = matches!(word(at), ";" | "–" | "—" | "(" | ")")
            || word(at) == "so"
            || word(at) == "," && word(at + 1) == "so"
            || begins_clause(words, next)
            || Words("each|every|all|any|there").contains(word(next))
            || word(at) != "," && is_bent(word(next))
            || asks;
        if splits && next > at {
            found.push(&words[start..at]);
            start = next.min(words.len());
        }
        at = next;
    }
    found.push(&words[start..]);
    found
}

/// A clause as it is, if it plainly states something.
fn stated(text: &str, words: &[Token], speaker: &Speaker<'_>) -> Option<Statement> {
    let said = trimmed(words);
    let counted = said.iter().filter(|t| t.word).count();
    let mark = |t: &Token| matches!(t.lower.as_str(), ":" | ";" | "..." | "…" | "(" | "\"");
    let passing = ["commits behind", "commits ahead", "commits away"].iter().any(|phrase| has(said, phrase));
    if !WORDS.contains(&counted) || said.iter().any(mark) || passing || !states(said) {
        return None;
    }
    // What a household rents or raises is told of the one who speaks.
    let told = speaker.told();
    let me = if told.starts_with("The ") { "the user" } else { &told };
    let at_home = said[0].lower == "we" && said.get(1).is_some_and(|t| HOUSEHOLD.contains(&t.lower))
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
        "she" | "he" if !thing => 1,
        "it" if thing => 1,
        first if is_bent(first) || matches!(first, "is" | "gets") => 0,
        _ => return None,
    };
    let rest = said.get(verb + 1..)?;
    let next = rest.first().map_or("", |t| t.lower.as_str());
    let fits = match word(verb) {
        "is" | "gets" | "'s" => PARTICIPLES.contains(next) || BEHIND_BE.contains(next) || is_number(next),
        bent => is_bent(bent) && !Words("out|up|off|away|back|down|into|it|over|to").contains(next),
    };
    let loose = rest.iter().any(|t| LOOSE.contains(&t.lower));
    let known = matches!(about.class, Class::Kin | Class::Named | Class::Thing | Class::Bare) && !about.plural;
    if !known || !fits || loose || !(names(rest) || recurs(rest)) || rest.len() > 16 {
        return None;
    }
    // "She's" is one word in the text.
    let short = verb == 1 && (said[0].span == said[1].span || word(1) == "'s");
    let (said, be) = if short { (rest, "is ") } else { (&said[verb..], "") };
    let told = retell(text, said, &speaker.told(), "the team");
    let mut chars = told.chars();
    let small: String = if said[0].capital {
        told
    } else {
        chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect()
    };
    Some(kept(text, said, format!("{} {be}{small}", about.told)))
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
        if end > count && starts(&words[..end], end - count, way).is_some() {
            end -= count;
        }
    }
    let end = words[..end].iter().rposition(|t| t.word).map_or(0, |last| last + 1);
    &words[..end]
}

/// Whether its subject, its verb and what it names are such as last.
fn states(said: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let loose = |words: &[Token]| words.iter().any(|t| LOOSE.contains(t.lower.as_str()));
    match word(0) {
        "i" | "we" => {
            let verb = behind_adverbs(said, 1);
            let rest = &said[(verb + 1).min(said.len())..];
            !loose(rest) && does(said, verb, rest)
        }
        "it" | "he" | "she" | "they" | "there" | "what" | "who" | "a" | "an" | "you" | "if" | "when" => false,
        _ => changed(said) || !loose(said) && said_of_things(said),
    }
}

/// What whoever speaks does for long, or did once and is known for.
fn does(said: &[Token], verb: usize, rest: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let next = word(verb + 1);
    // "We do it with her parents", "I visit every Sunday": whose, and whom.
    let dangles = rest.iter().any(|t| Words("her|his|their|him|there|them").contains(&t.lower))
        || matches!(next, "every" | "each") && !ALONE.contains(word(verb));
    if dangles {
        return false;
    }
    let leads_on = next.ends_with("ing") && next.len() > 5 || NO_OBJECT.contains(next);
    let known = OWN_VERBS.contains(word(verb)) && !leads_on;
    let of_itself = Words("retired|graduated|married|emigrated|immigrated|separated|divorced").contains(word(verb));
    let whole = of_itself || !Words("in|on|at|since|last|when").contains(next);
    let past = LIFE.contains(word(verb)) && whole && names(rest) || word(verb).ends_with("ed") && is_dated(rest);
    let undergone = word(verb) == "was" && Words("diagnosed|promoted|hired|elected|admitted|certified").contains(next);
    // "I'm studying for the bar in New York", "we've been in Ghent since 2019", "we're a team of four".
    let going = matches!(word(verb), "am" | "are") && GOING.contains(next) && names(rest);
    let since = word(verb) == "have" && next == "been" && (has(rest, "since") || has(rest, "for")) && names(rest);
    let group = matches!(word(verb), "am" | "are") && next == "a" && GROUPS.contains(word(verb + 2)) && names(rest)
        || word(verb) == "am" && starts(rest, 0, "on a").is_some() && has(rest, "diet");
    // What a team decided: "we moved the launch from May 12 to May 26".
    let decided = word(0) == "we"
        && CHANGES.contains(word(verb))
        && matches!(next, "the" | "our")
        && has(rest, "to")
        && (numbers(rest) || has(rest, "from") && rest.iter().any(|t| OWNED.contains(&t.lower)));
    // What one has, sees and does is worth a word where it comes back.
    let lasts = recurs(rest) || !VAGUE.contains(word(verb)) && (names(rest) || SURE_VERBS.contains(word(verb)));
    known && lasts || past || going || since || group || decided || undergone && names(rest)
}

fn said_of_things(said: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let own = matches!(word(0), "my" | "our");
    let first = usize::from(own || Words("the|all|every|each|both|any").contains(word(0)));
    let Some(verb) = (first + 1..first + 8).find(|&at| is_verb(said, at, own)) else { return false };
    let noun = &said[first..verb];
    if !is_noun(noun, own) {
        return false;
    }
    let rest = &said[verb + 1..];
    let behind = behind_adverbs(rest, 0);
    let next = rest.get(behind).map_or("", |t| t.lower.as_str());
    let fits = match word(verb) {
        "is" | "are" => {
            behind > 0
                || PARTICIPLES.contains(next)
                || BEHIND_BE.contains(next)
                || is_number(next)
                || rest.first().is_some_and(|t| t.capital)
        }
        "gets" | "get" => PARTICIPLES.contains(next),
        _ => !Words("out|up|off|away|back|down|into|it|over").contains(next) && !next.ends_with("ing"),
    };
    let asked = Words("question|questions|problem|issue|concern|request|point|idea|guess|worry")
        .contains(&noun[noun.len() - 1].lower);
    let about = own && next == "about" && matches!(word(verb), "is" | "are");
    fits && !asked && is_ours(noun, rest, own, first) && (names(rest) || numbers(noun) || recurs(rest) || about)
}

/// "Standup got moved to 10:15", "Redis has been replaced by Valkey", "Priya left the company".
fn changed(said: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let own = matches!(word(0), "my" | "our");
    let first = usize::from(own || word(0) == "the");
    let Some(verb) = (first + 1..first + 6).find(|&at| {
        Words("was|were|got|has|have|slipped|moved|left|joined|went|rose|grew|fell").contains(word(at))
            || word(at) == "'s" && word(at + 1) == "been"
    }) else {
        return false;
    };
    let noun = &said[first..verb];
    let named = said[0].capital && first == 0 && noun.len() <= 3;
    if !is_noun(noun, own) && !named {
        return false;
    }
    let done = match (word(verb), word(verb + 1)) {
        ("has" | "have" | "'s", "been") => verb + 2,
        ("was" | "were" | "got" | "has" | "have", _) => verb + 1,
        _ => verb,
    };
    let rest = &said[(done + 1).min(said.len())..];
    let leaves = Words("left|joined").contains(word(done))
        && named
        && rest.iter().any(|t| Words("company|team|project|board|firm|organisation|organization").contains(&t.lower));
    let becomes = CHANGES.contains(word(done))
        && rest.iter().any(|t| Words("to|by|with|from|until").contains(&t.lower))
        && (names(rest) || rest.iter().any(|t| t.lower.contains('-')));
    let grows = Words("went|rose|grew|fell").contains(word(done)) && has(rest, "to") && numbers(rest);
    let passing =
        rest.iter().any(|t| Words("error|null|none|undefined|zero|you|your|this|that|it|me").contains(&t.lower));
    leaves || (becomes || grows) && !passing && (named || is_ours(noun, rest, own, first))
}

/// Whether words before a verb name one thing, and none that is only talked about.
fn is_noun(noun: &[Token], own: bool) -> bool {
    let no = Words("and|or|but|which|who|to|i|we|he|she|they|it|so|as|than|you|if|when|not");
    let plain = noun.iter().all(|t| t.word && !no.contains(&t.lower) || matches!(t.lower.as_str(), "'" | "’"));
    let nouns: Vec<&Token> = noun.iter().filter(|t| t.word && !ADVERBS.contains(&t.lower)).collect();
    let (Some(head), Some(begins)) = (nouns.last(), nouns.first()) else { return false };
    let passing = CODE.contains(&head.lower)
        || FIRST.contains(&begins.lower)
        || PASSING_THINGS.contains(&head.lower) && !own && !KNOWN_THINGS.contains(&head.lower);
    plain && !passing && (!begins.lower.ends_with("ing") || KNOWN_THINGS.contains(&begins.lower))
}

/// Whether it is theirs who speak. What has a name is known to everybody, unless more is said of it than that.
fn is_ours(noun: &[Token], rest: &[Token], own: bool, first: usize) -> bool {
    own || noun.iter().any(|t| KNOWN_THINGS.contains(&t.lower))
        || rest.iter().any(|t| matches!(t.lower.as_str(), "my" | "our" | "us" | "me"))
        || recurs(rest) && !(noun[0].capital && first > 0)
        || rest.iter().any(is_identifier)
}

fn behind_adverbs(words: &[Token], from: usize) -> usize {
    from + words[from.min(words.len())..].iter().take_while(|t| ADVERBS.contains(&t.lower)).count()
}

/// Whether the verb of a sentence stands here: it is bent as what stands before it asks.
fn is_verb(said: &[Token], at: usize, own: bool) -> bool {
    let Some(word) = said.get(at) else { return false };
    let before = said[..at].iter().rfind(|t| t.word && !ADVERBS.contains(&t.lower)).map_or("", |t| t.lower.as_str());
    let many = before.ends_with('s') && !before.ends_with("ss") || matches!(before, "children" | "people" | "data");
    let verbs = || THING_VERBS.iter().chain(if own { OWN_VERBS.iter() } else { Words("").iter() });
    match word.lower.as_str() {
        "is" | "are" | "gets" | "get" => true,
        lower if many => verbs().any(|verb| verb == lower),
        lower => verbs().any(|verb| third(verb) == lower),
    }
}

/// Whether words name something definite: a name, a number, a moment, a path.
fn names(words: &[Token]) -> bool {
    let tool = |t: &Token| TOOLS.contains(t.lower.as_str()) && !TOOLS_OR_WORDS.contains(&t.lower);
    numbers(words) || words.iter().any(|t| t.word && t.capital && t.lower != "i" || tool(t))
}

fn numbers(words: &[Token]) -> bool {
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
fn is_identifier(word: &Token) -> bool {
    let lower = word.lower.trim_end_matches('.');
    let odd =
        lower.contains(['/', '_', '@', '`']) || lower.contains('.') && !lower.ends_with('.') || lower.contains("--");
    odd && lower.len() > 3 && lower.contains(char::is_alphabetic) && !matches!(lower, "and/or" | "e.g" | "i.e")
}

/// Whether something comes back: "every Wednesday", "on Mondays", "twice a week", "400 a month".
fn recurs(words: &[Token]) -> bool {
    let again = Words("every|each|daily|weekly|monthly|yearly|annually|weekdays|weekends|nightly|hourly");
    let units =
        ["a day", "a week", "a month", "a year", "an hour", "per day", "per week", "per month", "per year", "per hour"];
    words.iter().any(|t| again.contains(&t.lower) || t.lower.ends_with("days") && DAYS.contains(&t.lower))
        || units.iter().any(|unit| has(words, unit))
}

/// Whether a year or a month says when: "in 2020", "in January".
fn is_dated(words: &[Token]) -> bool {
    words.windows(2).any(|pair| {
        let year = pair[1].lower.len() == 4 && pair[1].lower.bytes().all(|b| b.is_ascii_digit());
        matches!(pair[0].lower.as_str(), "in" | "since" | "on")
            && (year || MONTHS.contains(&pair[1].lower) && pair[1].capital)
    })
}
