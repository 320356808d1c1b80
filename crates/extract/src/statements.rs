//! What a text plainly states: sentence by sentence, checked against its own retelling.

use super::clause::Reader;
use super::cut::SENTENCE_MAX_BYTES;
use super::exchange::{self, Before};
use super::patterns::is_open;
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
    statements_after(text, speaker, Before::default())
}

/// The same of a text of which it is known what was said before it: it may answer a question, or correct something.
pub fn statements_after(text: &str, speaker: Option<&str>, before: Before<'_>) -> Vec<Statement> {
    read(text, speaker, before, Told::Checked)
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
    read(&statement.text, speaker, Before::default(), Told::Taken).iter().any(|again| says_same(again, statement))
}

pub(crate) fn says_same(one: &Statement, other: &Statement) -> bool {
    one.subject == other.subject
        && one.attribute == other.attribute
        && one.value == other.value
        && one.negated == other.negated
}

fn read(text: &str, speaker: Option<&str>, before: Before<'_>, told: Told) -> Vec<Statement> {
    if is_marked_private(text) {
        return Vec::new();
    }
    let speaker = Speaker { name: speaker.map(str::trim).filter(|name| !name.is_empty()) };
    let sentences = sentences(text);
    let taken: Vec<usize> = sentences
        .iter()
        .filter(|(sentence, words)| {
            let from = exchange::behind_opener(words).map_or(0, |(from, _)| from);
            doubt::takes_line(&words[from..], &text[sentence.span.clone()])
        })
        .map(|(sentence, _)| sentence.line)
        .collect();
    // What stands between rules is pasted.
    let pasted = text.find("---").zip(text.rfind("---")).map(|(first, last)| first..last);
    let mut about = None;
    let mut found = Found { all: Vec::new(), last: 0 };
    if let Some(said) =
        before.said.filter(|_| sentences.first().is_some_and(|(_, words)| exchange::behind_opener(words).is_some()))
    {
        found.all = read(said, speaker.name, Before::default(), told);
    }
    let earlier = found.all.clone();
    let mut question =
        before.asked.filter(|_| sentences.len() <= ANSWER_MAX_SENTENCES).and_then(exchange::last_question);
    for (number, (sentence, words)) in sentences.iter().enumerate() {
        if doubt::takes_rest(words) {
            break;
        }
        if taken.binary_search(&sentence.line).is_ok()
            || pasted.as_ref().is_some_and(|range| range.contains(&sentence.span.start))
        {
            (about, question) = (None, None);
            continue;
        }
        let reading =
            Reader { text, words, speaker: &speaker, small: false, opening: number < OPENING, before: about.as_ref() };
        let correction = exchange::behind_opener(words).filter(|_| found.last < found.all.len());
        let (mut statements, next) = match correction {
            Some(correction) => found.corrected(sentence, reading, correction, told),
            None => sentence_statements(sentence, reading, told),
        };
        if let Some(question) = question.take().filter(|_| statements.is_empty()) {
            statements = answers(text, &question, (sentence, words), &speaker);
        }
        about = next;
        question = exchange::asks_of_oneself(words).then(|| words.clone());
        if !found.add(statements) {
            break;
        }
    }
    // What was stated before is not stated again.
    found.all.retain(|statement| !earlier.contains(statement));
    found.all
}

/// The sentences of a text with their words; a correction in the middle of one begins another.
fn sentences(text: &str) -> Vec<(cut::Sentence, Vec<Token>)> {
    let mut found = Vec::new();
    for sentence in cut::sentences(text).into_iter().filter(|sentence| sentence.span.len() <= SENTENCE_MAX_BYTES) {
        let mut words = token::tokens(text, sentence.span.clone());
        if let Some(at) = exchange::correction_within(&words) {
            let start = words[at].span.start;
            let behind = words.split_off(at);
            found.push((cut::Sentence { span: sentence.span.start..start, line: sentence.line }, words));
            found.push((cut::Sentence { span: start..sentence.span.end, line: sentence.line }, behind));
        } else {
            found.push((sentence, words));
        }
    }
    found
}

/// What was found so far, and where what was found in the last sentence begins.
struct Found {
    all: Vec<Statement>,
    last: usize,
}

impl Found {
    /// Adds the statements of a sentence; no if there are too many.
    fn add(&mut self, statements: Vec<Statement>) -> bool {
        self.last = self.all.len();
        for statement in statements {
            if self.all.len() == STATEMENTS_MAX {
                return false;
            }
            if !self.all.iter().any(|known| says_same(known, &statement)) {
                self.all.push(statement);
            }
        }
        true
    }

    /// What a sentence states that corrects the one before, of which what it takes back is forgotten.
    fn corrected(
        &mut self,
        sentence: &cut::Sentence,
        reader: Reader<'_>,
        (from, takes_back): (usize, bool),
        told: Told,
    ) -> (Vec<Statement>, Option<subject::Subject>) {
        let (whole, words) = (reader.words, &reader.words[from..]);
        if words.is_empty() {
            self.all.truncate(self.last);
            return Default::default();
        }
        let sentence = cut::Sentence { span: words[0].span.start..sentence.span.end, line: sentence.line };
        let reader = Reader { words, ..reader };
        let old = self.all.split_off(self.last);
        let put_right = || {
            let right = exchange::right_value(words)?;
            let at = words.iter().position(|word| word.span == right[0].span)?;
            // What is asked or doubted is not right.
            let said = &reader.text[right[0].span.start..sentence.span.end];
            if words.iter().any(|word| word.lower == "?") || doubt::is_doubted(&words[at..], said) {
                return None;
            }
            // What nearly anything can be takes the place only of what is said to be wrong.
            let may_be = |old: &Statement| !is_open(&old.attribute) || exchange::names_wrong(whole, right, old);
            let mut old = old.iter().enumerate().rev().filter(|(_, old)| may_be(old));
            old.find_map(|(at, old)| Some((at, replaced(old, right, reader.text, reader.speaker)?)))
        };
        if let Some((at, right)) = put_right() {
            let about = reader.before.cloned();
            self.all.extend(old.iter().enumerate().filter(|(old, _)| *old != at).map(|(_, old)| old.clone()));
            return (vec![right], about);
        }
        let (statements, about) = sentence_statements(&sentence, reader, told);
        let stays = |old: &Statement| {
            !takes_back
                && !statements.iter().any(|new| {
                    !new.attribute.is_empty()
                        && new.subject == old.subject
                        && new.attribute == old.attribute
                        && new.single
                })
        };
        self.all.extend(old.iter().filter(|old| stays(old)).cloned());
        (statements, about)
    }
}

/// A statement with the value that a correction gives.
fn replaced(old: &Statement, right: &[Token], text: &str, speaker: &Speaker<'_>) -> Option<Statement> {
    let told = exchange::with_value(old, right, text)?;
    let span = right.first()?.span.start..right.last()?.span.end;
    let value = text.get(span.clone())?;
    if old.attribute.is_empty() {
        return Some(Statement { text: told, span, value: value.to_owned(), ..old.clone() });
    }
    let mut read = read(&told, speaker.name, Before::default(), Told::Taken);
    read.retain(|it| {
        it.subject == old.subject && it.attribute == old.attribute && it.value == value && it.value != old.value
    });
    read.pop().map(|it| Statement { span, ..it })
}

/// Most sentences of a text that answers a question.
const ANSWER_MAX_SENTENCES: usize = 2;

/// What a sentence states as the answer to a question.
fn answers(
    text: &str,
    question: &[Token],
    (sentence, words): (&cut::Sentence, &[Token]),
    speaker: &Speaker<'_>,
) -> Vec<Statement> {
    let said = &text[sentence.span.clone()];
    if holds_secret(said) || doubt::is_doubted(words, said) {
        return Vec::new();
    }
    let Some(told) = exchange::answered(question, words, text) else { return Vec::new() };
    let read = read(&told, speaker.name, Before::default(), Told::Checked);
    let own = |statement: Statement| match statement.attribute.is_empty() {
        true => Statement { value: said.to_owned(), ..statement },
        false => statement,
    };
    read.into_iter().map(|statement| Statement { span: sentence.span.clone(), ..own(statement) }).collect()
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
                let reader = Reader { small, ..reader };
                let mut found: Vec<Statement> =
                    reword::relative(words).iter().flat_map(|words| Reader { words, ..reader }.read(0).0).collect();
                found.retain(|statement| checked == Told::Taken || is_told_again(statement, speaker.name));
                let kin = reader.kin_in_passing(from);
                found.extend(
                    kin.into_iter().filter(|kin| !found.iter().any(|known| says_same(known, kin))).collect::<Vec<_>>(),
                );
                return (found, None);
            }
            _ => return Default::default(),
        }
    } else {
        (words, from)
    };
    let small = !said.chars().any(char::is_uppercase);
    let reader = Reader { words, small, ..reader };
    let (mut found, about) = reader.read(from);
    for words in reword::relative(words) {
        found.extend(Reader { words: &words, ..reader }.read(0).0);
    }
    for words in reword::readings(words) {
        let first = found.is_empty();
        let (read, _) = Reader { words: &words, ..reader }.read(from);
        found.extend(read.into_iter().filter(|statement| first || statement.is_over()));
    }
    let begin = reader.begin(0).min(whole.len());
    if let Some(words) = reword::in_passing(whole).or_else(|| reword::in_passing(&whole[begin..])) {
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
    // "She" and "it" are of whom and what the sentence before was about.
    let pointing = || rest.first().is_some_and(|t| Words("she|he|it|they").contains(&t.lower));
    let about = about.or_else(|| reader.before.filter(|_| pointing()).cloned());
    let beyond = plain::beyond(text, rest, words, &found, about.as_ref(), speaker);
    found.extend(beyond);
    let about = about.or_else(|| if found.is_empty() { None } else { plain::topic(text, rest, speaker) });
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
