//! What is said of things and of others: what they are and do, what became of them, and what a team has rules for.

use super::super::doubt::has;
use super::super::subject::{CODE, FIRST, PASSING_THINGS};
use super::super::tell::third;
use super::super::token::Token;
use super::super::value::is_number;
use super::super::words::Words;
use super::signs::{behind_adverbs, is_dated, is_identifier, is_loose, names, numbers, recurs, recurs_on};
use super::words::*;

/// "Commit messages must start with the ticket number", "tests go next to the file they test".
pub fn is_rule(said: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let Some(verb) = (1..5).find(|&at| {
        Words("must|are|go|live|sit|belong|gets|needs|requires|has").contains(word(at))
            || Words("have|need").contains(word(at)) && word(at + 1) == "to"
    }) else {
        return false;
    };
    let bare = !Words("the|a|an|this|these|those|my|some|many|most").contains(word(0))
        && is_ruled(&said[..verb])
        && word(verb - 1).ends_with('s');
    let rest = &said[verb + 1..];
    if Words("every|each|all|any").contains(word(0)) && is_ruled(&said[1..verb]) {
        return Words("gets|needs|has|have|need|get|requires|require|must").contains(word(verb)) && !is_loose(rest);
    }
    let placed = Words("next|in|under|beside|alongside|inside").contains(word(verb + 1));
    let lasts = match word(verb) {
        "must" | "have" | "need" => {
            !is_loose(rest) && !rest.iter().any(|t| Words("pass|fixed|green|rerun|wait").contains(&t.lower))
        }
        "are" => {
            said.len() == verb + 2
                && (ADJECTIVES.contains(word(verb + 1)) || word(verb + 1) == "double" || word(verb + 1) == "single")
        }
        _ => placed && !is_loose(rest),
    };
    bare && lasts && said.len() > 2
}

/// "Mei isn't on our team anymore", "the office is no longer in Graz".
pub fn is_over(said: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let last = said.len() - 1;
    let any_more = word(last) == "anymore" || last > 0 && word(last - 1) == "any" && word(last) == "more";
    let not = (1..6).find(|&at| word(at) == "not" && any_more || word(at) == "no" && word(at + 1) == "longer");
    let Some(not) = not.filter(|_| said[0].capital || matches!(word(0), "my" | "our" | "the")) else { return false };
    let rest = &said[(not + 2).min(said.len())..];
    let ours = rest.iter().any(|t| matches!(t.lower.as_str(), "our" | "my")) || names(rest);
    ours && !is_loose(&said[..not]) && !is_loose(rest)
}

pub fn said_of_things(said: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    // "All our embeddings", "both of my parents".
    let lead =
        usize::from(Words("all|both|each|most|every").contains(word(0)) && matches!(word(1), "my" | "our" | "of"));
    let lead = lead + usize::from(lead == 1 && word(1) == "of");
    let own = matches!(word(lead), "my" | "our");
    let first = lead + usize::from(own || Words("the|all|every|each|both|any|this").contains(word(lead)));
    let Some(verb) = (first + 1..first + 8).find(|&at| is_verb(said, at, own)) else { return false };
    // "The editor I use is Helix" is about the editor.
    let mut noun = &said[first..verb];
    let whose = noun.len() > 2
        && matches!(noun[noun.len() - 2].lower.as_str(), "i" | "we")
        && OWN_VERBS.iter().chain(["need", "run"]).any(|own| own == noun[noun.len() - 1].lower);
    if whose {
        noun = &noun[..noun.len() - 2];
    }
    let own = own || whose;
    let ruled = first == lead + 1 && Words("every|all|each|any").contains(word(lead)) && is_ruled(noun);
    if !is_noun(noun, own) && !ruled {
        return false;
    }
    let rest = &said[verb + 1..];
    let behind = behind_adverbs(rest, 0);
    let next = rest.get(behind).map_or("", |t| t.lower.as_str());
    let fits = match word(verb) {
        "is" | "are" | "'s" => {
            behind > 0
                || next.starts_with(|c: char| c.is_ascii_digit())
                || ADJECTIVES.contains(next)
                || rest.get(behind).is_some_and(is_identifier)
                || PARTICIPLES.contains(next)
                || BEHIND_BE.contains(next)
                || is_number(next)
                || rest.first().is_some_and(|t| t.capital)
        }
        "gets" | "get" => PARTICIPLES.contains(next),
        _ => {
            let led = Words("out|up|off|away|back|down|into|it|over").contains(next);
            (!led || recurs_on(rest) && next != "it") && !next.ends_with("ing")
        }
    };
    let asked = Words("question|questions|problem|issue|concern|request|point|idea|guess|worry")
        .contains(&noun[noun.len() - 1].lower);
    let about = own && next == "about" && matches!(word(verb), "is" | "are");
    // "Postgres is exposed on 5544": only here.
    let here =
        Words("exposed|hosted|served|deployed|mounted|pinned|provisioned|proxied").contains(next) && numbers(rest);
    let ours = ruled || here && noun[0].capital || is_ours(noun, rest, own, first);
    let adjective = ADJECTIVES.contains(next) && own;
    fits && !asked
        && ours
        && (names(rest)
            || numbers(noun)
            || recurs(rest)
            || about
            || adjective
            || has(rest, "with us")
            || has(rest, "with me"))
}

/// "Standup got moved to 10:15", "Redis has been replaced by Valkey", "Priya left the company".
pub fn changed(said: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let own = matches!(word(0), "my" | "our");
    if own && (2..6).any(|at| word(at) == "died" || word(at) == "passed" && word(at + 1) == "away") {
        return true;
    }
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
        && rest.iter().enumerate().any(|(at, t)| {
            // "The team meeting" is left every day.
            let ends = rest
                .get(at + 1)
                .is_none_or(|next| !next.word || Words("in|on|last|as|for|to|and").contains(&next.lower));
            ends && Words("company|team|project|board|firm|organisation|organization").contains(&t.lower)
        });
    let becomes = CHANGES.contains(word(done))
        && rest.iter().any(|t| Words("to|by|with|from|until").contains(&t.lower))
        && (names(rest) || rest.iter().any(|t| t.lower.contains('-')));
    let gone = Words("decommissioned|sunset|deprecated|discontinued|scrapped|retired|archived").contains(word(done))
        || word(done) == "shut" && has(rest, "for good");
    // "The boiler was replaced in November 2022".
    let renewed = (own || is_noun_known(noun))
        && Words("replaced|installed|renovated|rebuilt|founded|built|launched|renewed").contains(word(done))
        && is_dated(rest);
    let grows = Words("went|rose|grew|fell").contains(word(done)) && has(rest, "to") && numbers(rest);
    let passing =
        rest.iter().any(|t| Words("error|null|none|undefined|zero|you|your|this|that|it|me|tears").contains(&t.lower));
    // What has a name and a year of its own is history.
    let history = named && !is_noun_known(noun) && is_dated(rest);
    let ours = || named || is_ours(noun, rest, own, first);
    leaves || renewed || gone && !passing && ours() || !history && (becomes || grows) && !passing && ours()
}

pub fn is_noun_known(noun: &[Token]) -> bool {
    noun.iter().any(|t| KNOWN_THINGS.contains(&t.lower))
}

/// Whether words before a verb name one thing, and none that is only talked about.
pub fn is_noun(noun: &[Token], own: bool) -> bool {
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
pub fn is_ours(noun: &[Token], rest: &[Token], own: bool, first: usize) -> bool {
    own || is_noun_known(noun)
        || rest.iter().any(|t| matches!(t.lower.as_str(), "my" | "our" | "us" | "me"))
        || recurs_on(rest) && !(noun[0].capital && first > 0)
        || rest.iter().any(is_identifier)
}

/// Whether the verb of a sentence stands here: it is bent as what stands before it asks.
pub fn is_verb(said: &[Token], at: usize, own: bool) -> bool {
    let Some(word) = said.get(at) else { return false };
    let before = said[..at].iter().rfind(|t| t.word && !ADVERBS.contains(&t.lower)).map_or("", |t| t.lower.as_str());
    let many = before.ends_with('s') && !["ss", "us", "is"].iter().any(|end| before.ends_with(end))
        || matches!(before, "children" | "people" | "data");
    let verbs = || THING_VERBS.iter().chain(if own { OWN_VERBS.iter() } else { Words("").iter() });
    match word.lower.as_str() {
        "is" | "are" | "gets" | "get" => true,
        "'s" => said.get(at + 1).is_some_and(|t| BEHIND_BE.contains(&t.lower) || PARTICIPLES.contains(&t.lower)),
        lower if many => verbs().any(|verb| verb == lower),
        lower => verbs().any(|verb| third(verb) == lower),
    }
}

/// What a team has rules for: "every public function needs a docstring".
pub fn is_ruled(noun: &[Token]) -> bool {
    noun.len() <= 4
        && noun.last().is_some_and(|t| {
            Words("function|functions|method|methods|class|classes|endpoint|endpoints|table|tables|migration|migrations|commit|commits|pr|prs|branch|branches|file|files|component|components|column|columns|test|tests|string|strings|module|modules|service|services|messages|hints|quotes|comments|imports|names|dates|logs|timestamps|ids|keys|request|requests|query|queries|release|releases|change|changes").contains(&t.lower)
        })
}
