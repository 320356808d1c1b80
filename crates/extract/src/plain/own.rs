//! What whoever speaks does, has and decided, and whether it lasts.

use super::super::doubt::{has, starts};
use super::super::token::Token;
use super::super::value::{can_be_liked, is_number};
use super::super::words::Words;
use super::signs::{behind_adverbs, is_dated, is_tool, names, numbers, recurs};
use super::words::*;

/// What whoever speaks does for long, or did once and is known for.
pub fn does(said: &[Token], verb: usize, rest: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let next = word(verb + 1);
    // "We do it with her parents", "I visit every Sunday": whose, and whom.
    if word(verb) == "prefer" && !can_be_liked(rest) {
        return false;
    }
    let dangles = rest.iter().any(|t| Words("her|his|their|him|there|them|it").contains(&t.lower))
        || matches!(next, "every" | "each") && !ALONE.contains(word(verb));
    if dangles {
        return false;
    }
    let reaches =
        next == "to" && Words("deploy|release|ship|publish|commute|report|log|sync|write").contains(word(verb));
    // "I log off at 16:00".
    let timed = Words("off|up").contains(next) && (word(verb + 2) == "at" && numbers(rest) || recurs(rest));
    let charged =
        next == "the" && Words("maintain|manage|moderate|own|lead|coach|chair").contains(word(verb)) && names(rest);
    let reaches = reaches || charged;
    let leads_on =
        (next.ends_with("ing") && next.len() > 5 && next != "during" || NO_OBJECT.contains(next)) && !reaches && !timed;
    let known = OWN_VERBS.contains(word(verb)) && !leads_on;
    let of_itself = Words("retired|graduated|married|emigrated|immigrated|separated|divorced").contains(word(verb));
    let whole = of_itself || !Words("in|on|at|since|last|when").contains(next);
    // "I bought two coffees" and "I joined the Zoom call" are of the day.
    let of_the_day = Words("bought|sold|joined|won").contains(word(verb))
        && !is_dated(rest)
        && (!rest.iter().any(|t| t.word && t.capital || FAMILY.contains(&t.lower))
            || rest.iter().any(|t| Words("call|meeting|session|channel|chat|queue|room|tickets").contains(&t.lower)));
    let past =
        (LIFE.contains(word(verb)) || word(verb) == "gave" && next == "up") && whole && names(rest) && !of_the_day
            || word(verb).ends_with("ed") && is_dated(rest);
    let undergone = word(verb) == "was" && Words("diagnosed|promoted|hired|elected|admitted|certified").contains(next);
    // "I'm studying for the bar in New York", "we've been in Ghent since 2019", "we're a team of four".
    let going = matches!(word(verb), "am" | "are") && GOING.contains(next) && names(rest);
    let since = word(verb) == "have" && next == "been" && (has(rest, "since") || has(rest, "for")) && names(rest);
    let group = matches!(word(verb), "am" | "are")
        && next == "a"
        && (GROUPS.contains(word(verb + 2)) || word(verb + 2).ends_with("-person"))
        && names(rest)
        || word(verb) == "am" && starts(rest, 0, "on a").is_some() && has(rest, "diet");
    // What one has, sees and does is worth a word where it comes back.
    let with_tool = word(0) == "we" && Words("write|build|test|log").contains(word(verb)) && rest.iter().any(is_tool);
    let business = word(verb) == "run"
        && Words("a|an|my|our").contains(next)
        && rest.iter().any(|t| BUSINESSES.contains(&t.lower));
    let lasts = recurs(rest)
        || !VAGUE.contains(word(verb)) && (names(rest) || SURE_VERBS.contains(word(verb)))
        || timed
        || with_tool
        || business;
    let taken_so = next == "my"
        && Words("like|drink|take|have|prefer").contains(word(verb))
        && Words("tea|coffee|steak|eggs|toast|whisky|whiskey|meat|burger|burgers|pizza|porridge|curry|curries")
            .contains(word(verb + 2))
        && said.len() > verb + 3;
    let made = taken_so
        || matches!(word(verb), "am" | "are")
            && (Words("restoring|renovating|redoing").contains(next)
                || next == "writing"
                    && rest.iter().any(|t| {
                        Words("book|novel|cookbook|thesis|memoir|dissertation|screenplay").contains(&t.lower)
                    }));
    let kept_so = made
        || matches!(word(verb), "am" | "are") && PARTICIPLES.contains(next) && names(rest)
        || word(verb) == "am" && starts(rest, 0, "in a wheelchair").is_some()
        || word(verb) == "are" && next == "stuck" && word(verb + 2) == "on" && numbers(rest)
        || word(verb) == "write"
            && Words("firmware|software|novels|fiction|poetry|music|songs|books|thrillers").contains(next)
        || word(verb) == "am" && next == "new" && word(verb + 2) == "to" && names(rest)
        || has_some(said, verb, rest);
    known && lasts || past || going || since || group || kept_so || decides(said, verb) || undergone && names(rest)
}

/// What a team decided: "we moved the launch from May 12 to May 26", "we've switched the app from X to Y".
pub fn decides(said: &[Token], verb: usize) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let done = if word(verb) == "have" { behind_adverbs(said, verb + 1) } else { verb };
    let rest = &said[(done + 1).min(said.len())..];
    word(0) == "we"
        && CHANGES.contains(word(done))
        && matches!(word(done + 1), "the" | "our")
        && has(rest, "to")
        && (numbers(rest) || has(rest, "from") && (names(rest) || rest.iter().any(|t| OWNED.contains(&t.lower))))
}

/// "We have three environments".
pub fn has_some(said: &[Token], verb: usize, rest: &[Token]) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let count = rest.first().is_some_and(|t| {
        is_number(&t.lower) && t.lower != "one"
            || t.lower.starts_with(|c: char| c.is_ascii_digit())
            || t.lower == "twin"
    });
    let people = Words(
        "users|customers|employees|developers|engineers|people|members|subscribers|clients|students|patients|sons|daughters|brothers|sisters|boys|girls",
    );
    let owned = said
        .last()
        .is_some_and(|t| KNOWN_THINGS.contains(&t.lower) || FAMILY.contains(&t.lower) || people.contains(&t.lower));
    word(verb) == "have" && count && owned && said.len() <= verb + 5
}

/// "I have no children", "I don't drive".
pub fn has_none(said: &[Token], verb: usize) -> bool {
    let word = |at: usize| said.get(at).map_or("", |t| t.lower.as_str());
    let nouns = Words("kids|children|siblings|pets|allergies|brothers|sisters|grandchildren");
    let none = word(verb) == "have" && word(verb + 1) == "no" && nouns.contains(word(verb + 2));
    // "I don't drive".
    let not = word(0) == "i" && word(verb) == "do" && word(verb + 1) == "not";
    let alone = Words("drive|smoke|drink|cook|swim|gamble").contains(word(verb + 2)) && said.len() == verb + 3;
    let owned = [
        "own a car",
        "have a car",
        "have kids",
        "have children",
        "have any kids",
        "have any children",
        "eat meat",
        "have admin rights",
    ];
    let lacks = not && (alone || owned.iter().any(|way| starts(said, verb + 2, way).is_some()));
    (none || lacks) && said.len() <= verb + 8
}
