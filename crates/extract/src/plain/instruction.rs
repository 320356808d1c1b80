//! Standing instructions: how someone wants things done, always or wherever it is said.

use super::super::Statement;
use super::super::doubt::{has, starts};
use super::super::subject::Speaker;
use super::super::tell::retell;
use super::super::token::Token;
use super::super::vocabulary::PEOPLES;
use super::super::words::Words;
use super::signs::{is_identifier, names};
use super::words::FAMILY;
use super::{kept, trimmed};

/// Verbs of instructions.
const INSTRUCTIONS: Words = Words(include_str!("../../data/plain/instruction/instructions.txt"));

/// What says of an instruction that it stands.
const STANDING: Words = Words(include_str!("../../data/plain/instruction/standing.txt"));

/// Where it stands, of verbs that are not done once: "use tabs in this repo", and not "add a file in this repo".
const WHERE: Words = Words(include_str!("../../data/plain/instruction/where.txt"));
const KEPT_TO: Words = Words(include_str!("../../data/plain/instruction/kept_to.txt"));

/// What says of an instruction that it is for this once, or for so long.
const ONCE: [&str; 17] = [
    "for now",
    "for this",
    "this time",
    "this once",
    "just once",
    "only once",
    "in this chat",
    "in this session",
    "yet",
    "today",
    "tonight",
    "this week",
    "for the moment",
    "at the moment",
    "right now",
    "for the time being",
    "give up",
];

/// What is not to be done at all, and not only here.
const KEPT_FROM: Words = Words(include_str!("../../data/plain/instruction/kept_from.txt"));

/// What points at something that was said or shown before.
const POINTING: Words = Words(include_str!("../../data/plain/instruction/pointing.txt"));

/// Whether an instruction may begin here.
pub fn begins(words: &[Token], at: usize) -> bool {
    let word = |place: usize| words.get(place).map_or("", |t| t.lower.as_str());
    let at = at + usize::from(word(at) == "please");
    match (word(at), word(at + 1)) {
        ("always" | "never", verb) => INSTRUCTIONS.contains(verb),
        ("do", "not") => INSTRUCTIONS.contains(word(at + 2)),
        (verb, _) => INSTRUCTIONS.contains(verb) && at > 0 && word(at - 1) == "please",
    }
}

fn names_many(said: &[Token]) -> bool {
    said.iter().any(|t| matches!(t.lower.as_str(), "every" | "all" | "each"))
}

/// Whether it says when something is always to be done: "when you write SQL, use lower case". `object`: whether what stands
/// behind the first two words is not one thing alone.
fn says_when(said: &[Token], first: usize, object: bool) -> Option<bool> {
    let word = |place: usize| said.get(place).map_or("", |t| t.lower.as_str());
    let comma = said.iter().position(|t| t.lower == ",")?;
    let asked = asks(word(comma + 1), word(comma + 2));
    let (when, behind) = (word(first), word(first + 2));
    Some(match (when, word(first + 1)) {
        // "Each time you fix a bug, add a test for it".
        (_, "time") | ("for", _) => asked,
        ("if", _) => {
            asked && said[..comma].iter().any(|t| Words("unsure|sure|doubt|stuck|uncertain").contains(&t.lower))
        }
        // "When I ask for a book, skip the long ones".
        (_, "i") => asked && Words("ask|mention|say|write|send|paste|share").contains(behind),
        // "Whenever you touch the schema, regenerate the client".
        ("whenever", "you") => asked || word(comma + 1).starts_with("re") && word(comma + 1).len() > 4,
        // And not "when you are done, delete the branch".
        (_, "you") => {
            let at_hand = Words("start|end").contains(behind) || Words("the|this|my|it").contains(word(first + 3));
            asked && INSTRUCTIONS.contains(behind) && !at_hand
        }
        // "Before opening any pull request, make sure the changelog has an entry".
        (_, doing) if doing.ends_with("ing") => {
            asked && (comma == first + 2 || object || Words("a|an").contains(behind))
        }
        _ => false,
    })
}

/// Whether a verb asks for something.
fn asks(verb: &str, next: &str) -> bool {
    INSTRUCTIONS.contains(verb) && verb != "read"
        || Words("always|never").contains(verb)
        || matches!((verb, next), ("do", "not") | ("make", "sure"))
}

/// Whether it is said for this once, or points at what is at hand.
fn once(sentence: &[Token]) -> bool {
    let ours = Words("repo|repository|project|codebase|workspace|monorepo|app|team");
    let at_hand = sentence.windows(2).any(|pair| pair[0].lower == "this" && !ours.contains(&pair[1].lower));
    let until = has(sentence, "until") && !has(sentence, "always") && !has(sentence, "never");
    at_hand || until || ONCE.iter().any(|way| has(sentence, way))
}

/// "Always write commit messages in the imperative mood", said for good; `sentence` is what it is a part of.
pub fn instruction(text: &str, words: &[Token], sentence: &[Token], speaker: &Speaker<'_>) -> Option<Statement> {
    let said = trimmed(words);
    let word = |place: usize| said.get(place).map_or("", |t| t.lower.as_str());
    let first = usize::from(word(0) == "please");
    let counted = said.iter().filter(|t| t.word).count();
    let stands = || {
        STANDING.iter().any(|way| has(sentence, way))
            || KEPT_TO.contains(word(first)) && WHERE.iter().any(|way| has(sentence, way))
    };
    let many = |place: usize| word(place).ends_with('s') && word(place).len() > 3 && word(place) != "this";
    let object = |place: usize| Words("any|anything|new|more|all|every|me").contains(word(place)) || many(place);
    let any = |words: Words| said.iter().any(|t| words.contains(&t.lower));
    let meant = match (word(first), word(first + 1)) {
        ("always" | "never", verb) => {
            INSTRUCTIONS.contains(verb) || INSTRUCTIONS.contains(word(first + 2)) && verb == "force"
        }
        ("do", "not") if KEPT_FROM.contains(word(first + 2)) => {
            object(first + 3) || stands() || names(said.get(first + 3..)?) && word(first + 3) == "the"
        }
        ("when" | "whenever" | "before" | "after", _)
        | ("each" | "every" | "any", "time")
        | ("for", "any")
        | ("if", "you") => says_when(said, first, object(first + 2))?,
        // "Answer me in French".
        ("answer" | "reply" | "respond" | "write" | "speak" | "talk", _)
            if said.iter().take(first + 5).any(|t| PEOPLES.contains(&t.lower)) && has(said, "in") =>
        {
            !any(Words("the|this|a|an|my"))
        }
        // "Stop ending every answer with a question", "no wildcard imports in this project".
        ("stop", doing) if doing.ends_with("ing") => stands(),
        ("no", _) => {
            many(first + 1) && WHERE.iter().any(|way| has(sentence, way))
                || many(first + 2) && WHERE.iter().any(|way| has(sentence, way))
        }
        // "Any SQL that you write should be in lower case".
        ("any" | "every" | "all" | "each", _) => {
            ["should be", "must be", "should have", "must have"].iter().any(|way| has(said, way))
                && !any(Words("the|my|i|by|green|done|ready|finished|fine|ok|good|passing"))
        }
        ("i", "want") => stands() && names_many(said),
        // "Use double quotes in Python files": of what there are many, and of nothing that is at hand.
        (verb @ ("use" | "write" | "keep" | "prefix" | "format" | "name" | "indent" | "sort"), _) => {
            let at_hand = any(Words("the|this|that|my|a|an")) || said.iter().any(is_identifier);
            let how = any(Words("in|with|without|as|using|after|like")) && !any(Words("for|about"));
            let plainly = many(first + 1) || many(first + 2) && !object(first + 1);
            stands() || plainly && !at_hand && counted >= 4 && (how || !matches!(verb, "write" | "name"))
        }
        (verb, _) => {
            let only = first == 1 && word(said.len() - 1) == "only";
            INSTRUCTIONS.contains(verb) && (stands() || only && Words("answer|reply|respond|speak|talk").contains(verb))
        }
    };
    // "It" is what the first half of the sentence named.
    let halves = Words("each|every|any|for|when|whenever|before|after").contains(word(first));
    let own = |at: usize| match word(at) {
        "it" | "them" => halves,
        "that" => Words("anything|everything|something|any").contains(word(at - 1)),
        _ => false,
    };
    let points = (first + 1..said.len()).any(|at| POINTING.contains(word(at)) && !own(at)) || once(sentence);
    let asked = sentence.iter().any(|t| matches!(t.lower.as_str(), "?" | "\"" | "“"))
        || starts(said, 0, "never mind").is_some()
        || starts(said, first, "call me").is_some();
    let reported =
        sentence.iter().any(|t| Words("said|says|told|tells|lol|haha|joking|kidding|wrote").contains(&t.lower));
    if !meant || reported || points || asked || !(3..=30).contains(&counted) {
        return None;
    }
    let told = speaker.told();
    let home = said.iter().any(|t| FAMILY.contains(&t.lower));
    let team = if home { told.as_str() } else { "the team" };
    let told = retell(text, &said[first..], &told, team);
    let mut chars = told.chars();
    let small: String = chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect();
    Some(kept(text, said, format!("{}'s rule: {small}", speaker.told())))
}
