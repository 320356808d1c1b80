//! Standing instructions: how someone wants things done, always or wherever it is said.

use super::super::Statement;
use super::super::doubt::{has, starts};
use super::super::subject::Speaker;
use super::super::tell::retell;
use super::super::token::Token;
use super::super::words::Words;
use super::{kept, names, trimmed};

/// Verbs of instructions.
const INSTRUCTIONS: Words = Words(
    "\
    write|use|run|add|put|keep|make|prefer|avoid|commit|format|test|check|ask|answer|reply|respond|include|start|end|\
    call|name|deploy|push|merge|squash|rebase|sign|update|bump|log|validate|escape|import|return|handle|quote|cite|\
    explain|show|send|give|document|comment|lint|indent|sort|pin|tag|open|create|wrap|prefix|store|set|round|convert|\
    mention|suggest|install|touch|edit|change|delete|remove|mock|skip|hardcode|block|spell|capitalise|capitalize|book|\
    address|list|summarise|summarize|refer|translate|print|leave|rename|schedule|hard-code|force-push|recommend|plan|\
    pick|default|stick|speak|talk|read|link|follow|batch|propose|approve|amend|schedule|remind|modify|generate|swap",
);

/// What says of an instruction that it stands.
const STANDING: Words = Words(
    "\
    everything you|all your|your answers|your replies|your responses|your messages|your commit messages|every answer|\
    every reply|every response|each reply|each answer|every commit|every pr|every pull request|every time|all commits|\
    all prs|in this repo|in this project|in this codebase|in our codebase|in our repo|before you commit|\
    before committing|when you write|when you answer|when you reply|whenever you|in future|in the future|\
    from now on|going forward|before running it|any plan|every shell command|every file|every function|every module|a rule|as a rule|\
    for each|for every|every public|you fix|you write|you add|, always|on every|in all|for all|british english|american english",
);

/// What is not to be done at all, and not only here.
const KEPT_FROM: Words =
    Words("touch|push|commit|deploy|use|add|run|edit|modify|book|suggest|plan|schedule|write|send|call|merge");

/// What points at something that was said or shown before.
const POINTING: Words = Words("that|these|those|it|here|them|now|again|today|there|above|below|him|her");

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

/// "Always write commit messages in the imperative mood", said for good; `sentence` is what it is a part of.
pub fn instruction(text: &str, words: &[Token], sentence: &[Token], speaker: &Speaker<'_>) -> Option<Statement> {
    let said = trimmed(words);
    let word = |place: usize| said.get(place).map_or("", |t| t.lower.as_str());
    let first = usize::from(word(0) == "please");
    let counted = said.iter().filter(|t| t.word).count();
    let stands = || STANDING.iter().any(|way| has(sentence, way));
    let object = |place: usize| {
        let next = word(place);
        Words("any|anything|new|more|all|every|me").contains(next)
            || next.ends_with('s') && next.len() > 3 && next != "this"
    };
    let meant = match (word(first), word(first + 1)) {
        ("always" | "never", verb) => {
            INSTRUCTIONS.contains(verb) || INSTRUCTIONS.contains(word(first + 2)) && verb == "force"
        }
        ("do", "not") if KEPT_FROM.contains(word(first + 2)) => {
            object(first + 3) || stands() || names(said.get(first + 3..)?) && word(first + 3) == "the"
        }
        ("when" | "whenever" | "before", "you") => {
            let comma = said.iter().position(|t| t.lower == ",")?;
            INSTRUCTIONS.contains(word(comma + 1)) || Words("always|never|do").contains(word(comma + 1))
        }
        // "Any SQL that you write should be in lower case".
        ("any" | "every" | "all" | "each", _) => {
            ["should be", "must be", "should have", "must have"].iter().any(|way| has(said, way))
        }
        ("i", "want") => stands() && names_many(said),
        // "Use double quotes in Python files": of what there are many, and of nothing that is at hand.
        ("use" | "write" | "keep" | "prefix" | "format" | "name" | "indent" | "order" | "sort", _) => {
            let at_hand =
                said.iter().any(|t| Words("the|this|that|my|a|an").contains(&t.lower) || super::is_identifier(t));
            stands() || object(first + 1) && !at_hand && counted >= 4
        }
        (verb, _) => INSTRUCTIONS.contains(verb) && (stands() || first == 1 && word(said.len() - 1) == "only"),
    };
    let points = said.iter().skip(first + 1).any(|t| POINTING.contains(&t.lower));
    let asked = sentence.iter().any(|t| matches!(t.lower.as_str(), "?" | "\"" | "“"))
        || starts(said, 0, "never mind").is_some();
    let reported =
        sentence.iter().any(|t| Words("said|says|told|tells|lol|haha|joking|kidding|wrote").contains(&t.lower));
    if !meant || reported || points || asked || !(3..=30).contains(&counted) {
        return None;
    }
    let told = retell(text, &said[first..], &speaker.told(), "the team");
    let mut chars = told.chars();
    let small: String = chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect();
    Some(kept(text, said, format!("{}'s rule: {small}", speaker.told())))
}
