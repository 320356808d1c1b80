//! What a text says only together with what was said before it: a short answer to a question, a correction.
//! The ways of asking and of correcting oneself are data (`data/exchange`).

use std::sync::LazyLock;

use super::cut::{self, SENTENCE_MAX_BYTES};
use super::doubt::starts;
use super::statement::Statement;
use super::token::{Token, is_pause, tokens};
use super::value::is_number;
use super::vocabulary::{DAYS, MONTHS, TOOLS};
use super::words::Words;

/// What was said before a text in the same conversation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Before<'a> {
    /// What was said to its author last: the question that a short text answers.
    pub asked: Option<&'a str>,
    /// What its author said last: what a correction corrects.
    pub said: Option<&'a str>,
}

/// How a correction begins.
const OPENERS: Words = Words(include_str!("../data/exchange/openers.txt"));

/// Of these the ones that take back what was said, also where it is not said what is right.
const TAKING_BACK: Words = Words(include_str!("../data/exchange/taking_back.txt"));

/// What may stand between the beginning of a correction and what is right.
const BEFORE_VALUE: Words = Words(include_str!("../data/exchange/before_value.txt"));

/// Most words of what is right, and of a short answer.
const SHORT_MAX_WORDS: usize = 6;

/// Where a correction in the middle of a sentence begins: "on Thursday, no wait, on Friday".
pub fn correction_within(words: &[Token]) -> Option<usize> {
    let mark = |at: usize| matches!(words[at].lower.as_str(), "," | ";" | "-" | "–" | "—" | "(" | "…" | "...");
    if behind_opener(words).is_some() {
        return None;
    }
    (3..words.len()).find(|&at| mark(at - 1) && opener(words, at).is_some_and(|(_, next)| next < words.len()))
}

/// How a correction begins here, and where that ends. One word does so only before a pause: "wait for green builds" corrects
/// nothing.
fn opener(words: &[Token], at: usize) -> Option<(&'static str, usize)> {
    let begins = |way: &'static str| {
        let next = starts(words, at, way)?;
        (way.contains(' ') || words.get(next).is_none_or(is_pause)).then_some((way, next))
    };
    OPENERS.iter().filter_map(begins).max_by_key(|(_, next)| *next)
}

/// Where a sentence goes on behind the beginning of a correction, and whether it takes back what was said.
pub fn behind_opener(words: &[Token]) -> Option<(usize, bool)> {
    let mut at = 0;
    let mut back = false;
    while let Some((way, next)) = opener(words, at) {
        back |= TAKING_BACK.contains(way);
        at = next;
        while words.get(at).is_some_and(|t| !t.word) {
            at += 1;
        }
    }
    (at > 0 && (at < words.len() || back)).then_some((at, back))
}

/// What a correction gives as right: the value that stands behind its beginning, and nothing else.
pub fn right_value(words: &[Token]) -> Option<&[Token]> {
    let mut at = 0;
    while let Some(next) = BEFORE_VALUE.iter().filter_map(|way| starts(words, at, way)).max() {
        at = next;
    }
    let rest = words.get(at..)?;
    let end =
        rest.iter().position(|t| !t.word || Words("not|instead|and|but|of|since|from|because|as").contains(&t.lower));
    let value = &rest[..end.unwrap_or(rest.len())];
    // What stands behind it may only say what was wrong.
    let plain = rest.get(value.len()).is_none_or(|t| {
        let next = rest.get(value.len() + 1);
        !t.word && next.is_none_or(|next| Words("not|sorry|of").contains(&next.lower))
            || Words("not|instead|of|since|from|because|as").contains(&t.lower)
    });
    let loose = value.iter().any(|t| Words("i|you|it|that|this|is|are|was|to|for").contains(&t.lower));
    ((1..=SHORT_MAX_WORDS).contains(&value.len()) && plain && !loose).then_some(value)
}

/// Whether a correction says plainly what it corrects: "I meant Vim", "Vim, not Emacs".
pub fn names_wrong(words: &[Token], right: &[Token], old: &Statement) -> bool {
    let Some(first) = right.first() else { return false };
    let old: Vec<Token> = tokens(&old.value, 0..old.value.len());
    let is_old = |at: usize| {
        let behind = words[at + 1..].iter().take(old.len()).map(|word| &word.lower);
        !old.is_empty() && behind.eq(old.iter().map(|word| &word.lower))
    };
    let is_meant = |t: &Token| t.span.start < first.span.start && Words("meant|mean").contains(&t.lower);
    words.iter().any(is_meant) || (0..words.len()).any(|at| words[at].lower == "not" && is_old(at))
}

/// The text of a statement with another value; where only a sentence is known, its one day, month or number is replaced.
pub fn with_value(statement: &Statement, right: &[Token], text: &str) -> Option<String> {
    let (first, last) = (right.first()?, right.last()?);
    let value = text.get(first.span.start..last.span.end)?;
    if !statement.attribute.is_empty() {
        let at = statement.text.rfind(&statement.value).filter(|_| !statement.value.is_empty())?;
        return Some(format!("{}{value}{}", &statement.text[..at], &statement.text[at + statement.value.len()..]));
    }
    let told = tokens(&statement.text, 0..statement.text.len());
    let mut alike = told.iter().filter(|word| shape(word) == shape(first) && shape(word) != Shape::Other);
    let old = alike.next().filter(|_| alike.next().is_none() && right.len() == 1)?;
    Some(format!("{}{value}{}", &statement.text[..old.span.start], &statement.text[old.span.end..]))
}

/// What kind of word takes the place of another.
#[derive(PartialEq, Eq)]
enum Shape {
    Day,
    Month,
    Number,
    Other,
}

fn shape(word: &Token) -> Shape {
    match word.lower.as_str() {
        lower if DAYS.contains(lower) => Shape::Day,
        lower if MONTHS.contains(lower) && word.capital => Shape::Month,
        lower if is_number(lower) => Shape::Number,
        _ => Shape::Other,
    }
}

/// Questions and how their answer is told.
static QUESTIONS: LazyLock<Vec<(Vec<&str>, &str)>> = LazyLock::new(|| {
    let rows = include_str!("../data/exchange/questions.tsv").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let (asked, told) = line.split_once('\t')?;
        Some((asked.split(' ').collect(), told))
    };
    rows.map(|line| row(line).unwrap_or_else(|| panic!("data/exchange/questions.tsv: {line:?}"))).collect()
});

const YES: Words = Words(include_str!("../data/exchange/yes.txt"));
const NO: Words = Words(include_str!("../data/exchange/no.txt"));

/// What an answer begins with that tells what to do, and not what is so.
const INSTRUCTING: Words = Words(include_str!("../data/exchange/instructing.txt"));

/// What may stand at the end of a question and changes nothing.
const QUESTION_ENDS: Words = Words(include_str!("../data/exchange/question_ends.txt"));

/// Most words of the noun of a question.
const NOUN_MAX_WORDS: usize = 5;

/// A short answer to a question as a sentence of its own: "Where do you live?", "Leipzig": "I live in Leipzig".
pub fn answered(question: &[Token], answer: &[Token], text: &str) -> Option<String> {
    let end = answer.iter().rposition(|t| t.word)? + 1;
    let answer = &answer[..end];
    let asked = as_asked(question);
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let plain: Vec<&str> = answer.iter().filter(|t| t.word).map(|t| t.lower.as_str()).collect();
    let joined = plain.join(" ");
    if YES.contains(&joined) || NO.contains(&joined) {
        return yes_or_no(&asked, YES.contains(&joined));
    }
    // "Yes, two dogs".
    let lead = usize::from(YES.contains(plain.first()?)) + usize::from(answer.get(1).is_some_and(|t| t.lower == ","));
    let answer = answer.get(if YES.contains(plain[0]) { lead } else { 0 }..)?;
    let cut = answer.iter().position(|t| Words("but|because|so|since|;|(|-|–|—").contains(&t.lower));
    let answer = &answer[..cut.unwrap_or(answer.len())];
    let short = (1..=SHORT_MAX_WORDS).contains(&answer.len());
    let own = answer.iter().any(|t| {
        Words("i|we|you|it|is|are|that|this|why|what|do|does|not|no|none|nothing|ok|okay|sure|thanks|yes|please|just|?|both|neither|depends|either|same|any|anything")
            .contains(&t.lower)
    });
    if !short || own {
        return None;
    }
    // "Who maintains it?", "Ask Tom" tells what to do.
    let first = answer[0].lower.as_str();
    if INSTRUCTING.contains(first) && (answer.len() > 1 || !TOOLS.contains(first)) {
        return None;
    }
    let value = text.get(answer[0].span.start..answer[answer.len() - 1].span.end)?;
    let (told, noun) = QUESTIONS.iter().find_map(|(row, told)| Some((told, asks(row, &asked)?)))?;
    let told = told.replace("<noun>", &noun);
    // The article or the preposition of the answer is the one that counts.
    let last = told.rsplit(' ').next().unwrap_or_default();
    let doubled = Words("a|the|in|on|at|by").contains(last)
        && Words("a|an|the|in|on|at|by|near").contains(first)
        && !(Words("in|on|at|by").contains(last) && Words("a|an|the").contains(first));
    let told = if doubled { told[..told.len() - last.len()].trim_end().to_owned() } else { told };
    Some(format!("{told} {value}."))
}

/// The last question of what was said to someone.
pub fn last_question(said: &str) -> Option<Vec<Token>> {
    let sentence = cut::sentences(said).pop().filter(|it| it.span.len() <= SENTENCE_MAX_BYTES)?;
    let words = tokens(said, sentence.span);
    words.iter().any(|t| t.lower == "?").then_some(words)
}

/// Whether a question in someone's own words is about themselves: "Where do I live?".
pub fn asks_of_oneself(words: &[Token]) -> bool {
    words.iter().any(|t| t.lower == "?") && words.iter().any(|t| Words("i|my|we|our").contains(&t.lower))
}

/// The words of a question without what leads it in and its mark, as one asks another.
fn as_asked(question: &[Token]) -> Vec<String> {
    let words = question.iter().filter(|t| t.word).map(|t| match t.lower.as_str() {
        "i" | "we" | "me" => "you".to_owned(),
        "my" | "our" => "your".to_owned(),
        "am" => "are".to_owned(),
        other => other.to_owned(),
    });
    let words: Vec<String> = words.collect();
    let mut at = 0;
    while words.get(at).is_some_and(|word| {
        Words("and|so|ok|okay|great|thanks|nice|well|also|then|first|oh|cool|hi|hello").contains(word)
    }) {
        at += 1;
    }
    // "What's your name" has the verb behind its first word.
    let rest = &words[at..];
    rest.iter()
        .enumerate()
        .map(|(at, word)| if at == 1 && word == "'s" { "is".to_owned() } else { word.clone() })
        .collect()
}

/// Whether a question is one of the table: the words that stand for the noun of the row.
fn asks(row: &[&str], asked: &[&str]) -> Option<String> {
    let noun = row.iter().position(|word| *word == "<noun>");
    let ends = |rest: &[&str]| rest.is_empty() || QUESTION_ENDS.contains(&rest.join(" "));
    let Some(noun) = noun else {
        return (asked.starts_with(row) && ends(&asked[row.len()..])).then(String::new);
    };
    let (before, behind) = (&row[..noun], &row[noun + 1..]);
    let rest = asked.strip_prefix(before)?;
    (1..=NOUN_MAX_WORDS.min(rest.len())).find_map(|count| {
        let (words, rest) = rest.split_at(count);
        (rest.starts_with(behind) && ends(&rest[behind.len()..])).then(|| words.join(" "))
    })
}

/// "Do you smoke?", "No": "I do not smoke".
fn yes_or_no(asked: &[&str], yes: bool) -> Option<String> {
    let (verb, rest) = match asked {
        ["do", "you", rest @ ..] if !rest.is_empty() => (if yes { "" } else { "do not " }, rest),
        ["are", "you", rest @ ..] if !rest.is_empty() => (if yes { "am " } else { "am not " }, rest),
        _ => return None,
    };
    // What is asked about the matter at hand is answered for it alone.
    let at_hand = Words(
        "want|need|mean|think|know|see|remember|mind|agree|sure|ready|ok|okay|done|happy|this|that|it|me|you|the|these|those|still|trying|going|getting|using|or|your",
    );
    let loose = rest.iter().any(|word| at_hand.contains(word));
    let rest: Vec<&str> = rest.iter().filter(|word| **word != "any" || !yes).copied().collect();
    (!loose && rest.len() <= SHORT_MAX_WORDS).then(|| format!("I {verb}{}.", rest.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statements, statements_after};

    fn told(text: &str, before: Before<'_>) -> Vec<String> {
        statements_after(text, None, before).into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn what_only_begins_like_a_correction_corrects_nothing() {
        for (said, kept) in [
            ("We use GitHub Actions. Wait for green builds.", "The team uses GitHub Actions."),
            ("We use Podman. Wait, Docker?", "The team uses Podman."),
            ("We use Podman. Wait, Docker.", "The team uses Podman."),
            ("We use Podman. Wait, Docker, not", "The team uses Podman."),
            ("We use Postgres. Hold on to the backup.", "The team uses Postgres."),
            ("The port is 8080. Wait, maybe 8081.", "The port is 8080."),
            ("i live in bonn. oops wrong chat", "The user lives in Bonn."),
        ] {
            let all: Vec<String> = statements(said, None).into_iter().map(|it| it.text).collect();
            assert_eq!(all, [kept], "{said}");
        }
        for (said, right) in [
            ("We use Podman. Sorry, I meant Docker.", "The team uses Docker."),
            ("We use Podman. Wait, Docker, not Podman.", "The team uses Docker."),
            ("The port is 8080. Wait, it should be 8081.", "The port is 8081."),
            ("The port is 8080. Typo: 8081.", "The port is 8081."),
        ] {
            assert_eq!(told(said, Before::default()), [right], "{said}");
        }
        let before = Before { said: Some("We use Postgres."), ..Before::default() };
        assert_eq!(told("Typo in README.md", before), [""; 0]);
    }

    #[test]
    fn an_answer_that_tells_what_to_do_states_nothing() {
        for (asked, said) in [
            ("Who maintains the gateway?", "Ask Tom."),
            ("Which database do you use?", "Check docker-compose.yml"),
            ("Which port does the gateway run on?", "Look in the compose file"),
            ("Which option do you prefer?", "Option 2"),
        ] {
            assert_eq!(told(said, Before { asked: Some(asked), ..Before::default() }), [""; 0], "{asked} {said}");
        }
        let before = Before { asked: Some("Who maintains the gateway?"), ..Before::default() };
        assert_eq!(told("Tom", before), ["The gateway is maintained by Tom."]);
    }
}
