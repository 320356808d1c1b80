//! What a text plainly states: sentence by sentence, checked against its own retelling.

use super::clause::Reader;
use super::cut::SENTENCE_MAX_BYTES;
use super::private::{holds_secret, is_marked_private};
use super::statement::Statement;
use super::subject::Speaker;
use super::token::Token;
use super::words::Words;
use super::{cut, doubt, explicit, plain, reword, subject, token, value};

/// Most statements that one text yields.
pub const STATEMENTS_MAX: usize = 64;

/// What a text plainly states, in order; `speaker` is the name of its author.
pub fn statements(text: &str, speaker: Option<&str>) -> Vec<Statement> {
    read(text, speaker, Told::Checked)
}

/// Whether what is read is held against what is read from its own telling.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Checked,
    Taken,
}

/// Whether a sentence is not a plain statement: asked, hedged, joked, reported, imagined or wished.
pub fn is_doubtful(sentence: &str) -> bool {
    doubt::takes_sentence(&token::tokens(sentence, 0..sentence.len()), sentence)
}

/// Whether the rules read the same from what was told.
fn is_told_again(statement: &Statement, speaker: Option<&str>) -> bool {
    read(&statement.text, speaker, Told::Taken).iter().any(|again| says_same(again, statement))
}

pub(crate) fn says_same(one: &Statement, other: &Statement) -> bool {
    one.subject == other.subject
        && one.attribute == other.attribute
        && one.value == other.value
        && one.negated == other.negated
}

fn read(text: &str, speaker: Option<&str>, told: Told) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    if is_marked_private(text) {
        return found;
    }
    let speaker = Speaker { name: speaker.map(str::trim).filter(|name| !name.is_empty()) };
    let sentences: Vec<(cut::Sentence, Vec<Token>)> = cut::sentences(text)
        .into_iter()
        .filter(|sentence| sentence.span.len() <= SENTENCE_MAX_BYTES)
        .map(|sentence| {
            let words = token::tokens(text, sentence.span.clone());
            (sentence, words)
        })
        .collect();
    let taken: Vec<usize> = sentences
        .iter()
        .filter(|(sentence, words)| doubt::takes_line(words, &text[sentence.span.clone()]))
        .map(|(sentence, _)| sentence.line)
        .collect();
    // What stands between rules is pasted.
    let pasted = text.find("---").zip(text.rfind("---")).map(|(first, last)| first..last);
    let mut before = None;
    for (number, (sentence, words)) in sentences.iter().enumerate() {
        if doubt::takes_rest(words) {
            break;
        }
        if taken.binary_search(&sentence.line).is_ok()
            || pasted.as_ref().is_some_and(|range| range.contains(&sentence.span.start))
        {
            before = None;
            continue;
        }
        let reading =
            Reader { text, words, speaker: &speaker, small: false, opening: number < OPENING, before: before.as_ref() };
        let (statements, about) = sentence_statements(sentence, reading, told);
        before = about;
        for statement in statements {
            if found.len() == STATEMENTS_MAX {
                return found;
            }
            if !found.iter().any(|known| says_same(known, &statement)) {
                found.push(statement);
            }
        }
    }
    found
}

/// Sentences at the beginning of a text in which its author may introduce themselves.
const OPENING: usize = 4;

/// What one sentence states, and whom or what it was about at its end.
fn sentence_statements(
    sentence: &cut::Sentence,
    reader: Reader<'_>,
    checked: Told,
) -> (Vec<Statement>, Option<subject::Subject>) {
    let Reader { text, words, speaker, .. } = reader;
    let whole = words;
    let said = &text[sentence.span.clone()];
    let asked = explicit::start(words);
    // "You've got it backwards: the API depends on core".
    let from = asked.or_else(|| corrected(words)).unwrap_or(0);
    if holds_secret(said) {
        return Default::default();
    }
    // A standing instruction may name a command, and say when it is meant.
    if let Some(rule) =
        plain::instruction(text, &words[reader.begin(from)..], words, speaker).filter(|_| asked.is_none())
    {
        return (vec![rule], None);
    }
    if has_quotation(words, said) {
        return Default::default();
    }
    let (words, from) = if doubt::takes_sentence(&words[from..], said) {
        match doubt::plain_part(words).filter(|_| asked.is_none()) {
            Some(part) if !doubt::takes_line(words, said) => (&words[part], 0),
            // Whoever is named in a question is there.
            _ if !doubt::is_doubted(&words[from..], said) && !doubt::takes_line(words, said) => {
                let small = !said.chars().any(char::is_uppercase);
                return (Reader { small, ..reader }.kin_in_passing(from), None);
            }
            _ => return Default::default(),
        }
    } else {
        (words, from)
    };
    let small = !said.chars().any(char::is_uppercase);
    let reader = Reader { words, small, ..reader };
    let (mut found, about) = reader.read(from);
    for words in reword::readings(words) {
        let first = found.is_empty();
        let (read, _) = Reader { words: &words, ..reader }.read(from);
        found.extend(read.into_iter().filter(|statement| first || statement.is_over()));
    }
    if let Some(words) = reword::as_someone(whole) {
        found.extend(Reader { words: &words, small, ..reader }.read(0).0);
    }
    found.retain(|statement| checked == Told::Taken || is_told_again(statement, speaker.name));
    if let Some(from) = asked.filter(|_| found.is_empty() && text.len() <= ASKING_TEXT_MAX_BYTES) {
        return (explicit::whole(text, &words[from..], speaker).into_iter().collect(), None);
    }
    let mut kin = reader.kin_in_passing(from);
    kin.retain(|statement| checked == Told::Taken || is_told_again(statement, speaker.name));
    found.extend(kin);
    let rest = &words[reader.begin(from).min(words.len())..];
    let beyond = plain::beyond(text, rest, words, &found, about.as_ref(), speaker);
    found.extend(beyond);
    (found, about)
}

/// Where the correction begins in a sentence that says first that something was wrong.
fn corrected(words: &[Token]) -> Option<usize> {
    let colon = words.iter().position(|t| t.lower == ":")?;
    let wrong = Words("wrong|backwards|mistaken|mistake|incorrect|outdated|correction|mixed");
    let own = words.get(colon + 1).is_some_and(|t| Words("my|our|the|i|we").contains(&t.lower));
    (own && words[..colon].iter().any(|t| wrong.contains(&t.lower))).then_some(colon + 1)
}

/// Longest text in which a sentence may ask to be remembered: in longer ones "note that" belongs to a document.
const ASKING_TEXT_MAX_BYTES: usize = 1000;

/// Most words in quotation marks that are a name and not what someone said.
const QUOTED_NAME_MAX_WORDS: usize = 3;

/// Whether a sentence quotes more than a name.
fn has_quotation(words: &[Token], said: &str) -> bool {
    let marks: Vec<usize> = words.iter().enumerate().filter(|(_, t)| value::is_quote(t)).map(|(at, _)| at).collect();
    let long = marks.windows(2).any(|pair| pair[1] - pair[0] > QUOTED_NAME_MAX_WORDS + 1);
    let speaks = |part: &str| Words("i|my|we|our|the|this").contains(part.split(' ').next().unwrap_or_default());
    let code = said
        .split('`')
        .skip(1)
        .step_by(2)
        .any(|part| part.split(' ').count() > 5 || part.contains(' ') && speaks(part));
    long || code || marks.len() % 2 == 1 && marks.iter().any(|&at| words[at].lower != "'" && words[at].lower != "’")
}
