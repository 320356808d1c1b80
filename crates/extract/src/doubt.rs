//! Words that show that a sentence is not a plain statement of its author: doubt, jokes, reports, play, conditions.

use std::ops::Range;

use super::token::Token;
use super::words::Words;

/// Doubt: takes the sentence away. In lower case; contractions are opened ("i am").
const DOUBT: Words = Words(include_str!("../data/doubt/doubt.txt"));

/// What is wished, asked for or false: takes the sentence away. In lower case; contractions are opened ("i am").
const WISHED: Words = Words(include_str!("../data/doubt/wished.txt"));

/// Jokes and irony: takes the sentence away. In lower case; contractions are opened ("i am").
const JOKES: Words = Words(include_str!("../data/doubt/jokes.txt"));

/// What others say, or a text says: takes the sentence away. In lower case; contractions are opened ("i am").
const REPORTS: Words = Words(include_str!("../data/doubt/reports.txt"));

/// Play, examples, conditions: takes the sentence away. In lower case; contractions are opened ("i am").
const PLAY: Words = Words(include_str!("../data/doubt/play.txt"));

/// The past: takes the sentence away. In lower case; contractions are opened ("i am").
const PAST: Words = Words(include_str!("../data/doubt/past.txt"));

/// All that takes a sentence away.
const SENTENCE: [Words; 6] = [DOUBT, WISHED, JOKES, REPORTS, PLAY, PAST];

/// Phrases that take every sentence of their line away: what is said before and after is part of the same joke.
const LINE: Words = Words(include_str!("../data/doubt/line.txt"));

/// Signs of laughter that stand anywhere.
const LAUGHTER: Words = Words(include_str!("../data/doubt/laughter.txt"));

/// What opens play that lasts for the rest of a text.
const REST: Words = Words(include_str!("../data/doubt/rest.txt"));

/// Verbs that ask for work on a text: what follows them is that text.
const HANDLING: Words = Words(include_str!("../data/doubt/handling.txt"));

/// Words that begin a question, also where its mark is left out.
const ASKING: Words = Words(include_str!("../data/doubt/asking.txt"));

/// Tags that turn a statement into a question.
const ASKING_ENDS: Words = Words("right|correct|yes|no|huh|eh");

/// Whether a sentence is not a plain statement.
pub fn takes_sentence(tokens: &[Token], text: &str) -> bool {
    is_question(tokens) || is_doubted(tokens, text)
}

/// The same of what is not asked.
pub fn is_doubted(tokens: &[Token], text: &str) -> bool {
    winks(tokens)
        || hedges(tokens)
        || SENTENCE.iter().any(|phrases| phrases.iter().any(|phrase| has(tokens, phrase)))
        || laughs(text)
}

/// The part of a sentence that states something plainly, though the rest of it asks or tells of the past: "I live in
/// Oslo, so which tram…", "I used to live in Bonn but I live in Oslo now".
pub fn plain_part(tokens: &[Token]) -> Option<Range<usize>> {
    let is = |at: usize, words: Words| tokens.get(at).is_some_and(|t| words.contains(&t.lower));
    let doubted = |part: &[Token]| SENTENCE.iter().any(|phrases| phrases.iter().any(|phrase| has(part, phrase)));
    let asked = (1..tokens.len()).find(|&at| {
        let joined = at + 1 + usize::from(is(at + 1, Words("so|and|but")));
        is(at, Words(",|;|-|–|—")) && is(joined, ASKING_BEHIND)
    });
    if let Some(end) = asked.filter(|_| tokens.last().is_some_and(|t| t.lower == "?")) {
        return (!doubted(tokens) && !is_question(&tokens[..end])).then_some(0..end);
    }
    // "Which hikes should I leave out, given that I'm scared of heights?".
    let given = |at: usize| GIVEN.iter().filter_map(|way| starts(tokens, at, way)).max();
    let given = (3..tokens.len()).find_map(|at| given(at).filter(|&next| is(next, Words("i|we|my|our"))));
    if let Some(from) = given.filter(|_| tokens.last().is_some_and(|t| t.lower == "?")) {
        return (!doubted(tokens)).then_some(from..tokens.len() - 1);
    }
    // "The port is 8443, not 8080 as I said before".
    let said = (1..tokens.len()).find(|&at| is(at, Words(",")) && is(at + 1, Words("not|i|earlier")));
    let misspoke = |rest: &[Token]| ["i said", "i told you", "i misspoke", "i wrote"].iter().any(|way| has(rest, way));
    if let Some(end) = said.filter(|&end| misspoke(&tokens[end..]) && !doubted(&tokens[..end]) && !is_question(tokens))
    {
        return Some(0..end);
    }
    // "Our port is 8443 now, it used to be 8080".
    let was = (1..tokens.len())
        .find(|&at| is(at, Words(",|;|-|–|—")) && is(at + 1, Words("it|they")) && is(at + 2, Words("used|was|were")));
    if let Some(end) = was.filter(|&end| !doubted(&tokens[..end]) && !is_question(tokens)) {
        return Some(0..end);
    }
    let turn = (1..tokens.len()).find(|&at| {
        is(at, Words("but|;")) && is(at + 1, Words("i|we|my|our|now|these"))
            || is(at, Words(",")) && is(at + 1, Words("now|these|nowadays"))
    })?;
    let (before, behind) = (&tokens[..turn], &tokens[turn + 1..]);
    let past = PAST.iter().any(|phrase| has(before, phrase));
    let others = [DOUBT, WISHED, JOKES, REPORTS, PLAY];
    let doubted_otherwise = others.iter().any(|phrases| phrases.iter().any(|phrase| has(before, phrase)));
    (past && !doubted_otherwise && !is_question(tokens) && !doubted(behind)).then_some(turn + 1..tokens.len())
}

/// What leads in what is so behind a question.
const GIVEN: Words = Words(include_str!("../data/doubt/given.txt"));

/// Words that begin a question behind a statement.
const ASKING_BEHIND: Words = Words(include_str!("../data/doubt/asking_behind.txt"));

/// Whether a sentence takes its whole line away.
pub fn takes_line(tokens: &[Token], text: &str) -> bool {
    let denied = tokens.first().is_some_and(|t| t.lower == "not") && tokens.iter().filter(|t| t.word).count() == 1;
    denied || laughs(text) || LINE.iter().any(|phrase| has(tokens, phrase))
}

/// Whether a sentence takes the rest of the text away: it opens play, or hands over a text to work on.
pub fn takes_rest(tokens: &[Token]) -> bool {
    let words: Vec<&str> = tokens.iter().filter(|t| t.word).map(|t| t.lower.as_str()).take(4).collect();
    let verb = words.iter().find(|word| !matches!(**word, "please" | "can" | "could" | "you" | "now" | "then"));
    let handles = verb.is_some_and(|verb| HANDLING.contains(verb));
    let hands_over = tokens.last().is_some_and(|t| t.lower == ":") && verb.is_some_and(|verb| !GIVING.contains(verb));
    handles || hands_over || REST.iter().any(|phrase| has(tokens, phrase))
}

/// What a line that ends in a colon may begin with when what follows is the author's own.
const GIVING: Words = Words(include_str!("../data/doubt/giving.txt"));

/// Whether it asks something.
pub fn is_question(tokens: &[Token]) -> bool {
    if tokens.iter().any(|t| matches!(t.lower.as_str(), "?" | "？")) {
        return true;
    }
    let mut words = tokens.iter().filter(|t| t.word);
    // "Do not forget" is no question.
    let first = words.find(|t| !Words("so|and|but|ok|hey|hi|well").contains(&t.lower));
    // "When it comes to tea" is none, either.
    let topic = tokens.first().is_some_and(|t| t.lower == "when") && starts(tokens, 1, "it comes to").is_some();
    let asks = !topic && first.is_some_and(|t| ASKING.contains(t.lower.as_str()));
    let denies = words.next().is_some_and(|t| t.lower == "not");
    let last: Vec<&Token> = tokens.iter().rev().filter(|t| t.lower != ".").take(2).collect();
    let tagged = last.len() == 2 && ASKING_ENDS.contains(last[0].lower.as_str()) && last[1].lower == ",";
    (asks && !denies) || tagged
}

/// "Nearly ten", and not "nearly every day", which is often enough.
fn hedges(tokens: &[Token]) -> bool {
    let often = |at: usize| tokens.get(at).is_some_and(|t| Words("every|all|always|daily|never").contains(&t.lower));
    (0..tokens.len()).any(|at| matches!(tokens[at].lower.as_str(), "almost" | "nearly") && !often(at + 1))
}

/// ", obviously" at the end: as if anybody could have thought otherwise.
fn winks(tokens: &[Token]) -> bool {
    let last: Vec<&str> = tokens.iter().rev().filter(|t| t.word || t.lower == ",").take(2).map(|t| &*t.lower).collect();
    matches!(last[..], ["obviously" | "clearly" | "naturally" | "duh", ","])
}

fn laughs(text: &str) -> bool {
    LAUGHTER.iter().any(|sign| text.contains(sign))
}

/// Whether the words of a phrase follow one another somewhere.
pub fn has(tokens: &[Token], phrase: &str) -> bool {
    (0..tokens.len()).any(|at| starts(tokens, at, phrase).is_some())
}

/// Where the words of a phrase end if they begin at a token.
pub fn starts(tokens: &[Token], at: usize, phrase: &str) -> Option<usize> {
    let mut next = at;
    for word in phrase.split(' ') {
        if tokens.get(next)?.lower != word {
            return None;
        }
        next += 1;
    }
    Some(next)
}
