//! What a question asks for once names, dates and the wish for a list are understood: a text for the words, a text for
//! the vector, and the hints the ranking uses.

use std::collections::{BTreeMap, BTreeSet};

use super::dates::{self, Interval};
use super::scan::Scan;
use super::words::{close_gaps, is_letter, is_space, tokens};
use crate::Time;

/// Author names that say a role, not who someone is.
const ROLES: [&str; 10] = ["user", "assistant", "system", "bot", "human", "ai", "agent", "tool", "model", "me"];

/// The shortest word of a name that counts, in characters: initials are found everywhere.
const SHORTEST_NAME: usize = 2;

/// Auxiliary verbs, which end the thing asked for.
const AUXILIARIES: [&str; 18] = [
    "do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "will", "would", "can", "could", "may",
    "might", "should", "must",
];

/// Words that end in "s" and are no plural.
const NOT_PLURAL: [&str; 16] = [
    "does", "is", "was", "has", "his", "this", "its", "us", "as", "always", "besides", "news", "towards", "perhaps",
    "thus", "yes",
];

/// Words besides auxiliaries that may follow the plural noun asked for.
const AFTER_PLURAL: [&str; 8] = ["of", "for", "that", "in", "to", "from", "with", "both"];

/// Words after "has" or "have" that make it a possession or a duty, not a perfect tense.
const AFTER_POSSESSION: [&str; 9] = ["a", "an", "the", "to", "her", "his", "their", "my", "your"];

/// How many words may stand between "what" and the plural noun.
const WORDS_BEFORE_PLURAL: usize = 3;

/// Words of author names in lower case, each with the numbers of the authors who bear it.
pub type Names = BTreeMap<String, BTreeSet<u32>>;

/// A question understood.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rewritten {
    /// The text whose words are searched.
    pub lexical: String,
    /// The text that is embedded.
    pub vector: String,
    /// The words of names found, in lower case, in order.
    pub names: Vec<String>,
    /// Dates of the calendar.
    pub absolute: Vec<Interval>,
    /// Times relative to the moment of asking.
    pub relative: Vec<Interval>,
    /// Whether several things are asked for.
    pub wants_list: bool,
}

/// Adds the words of an author's name.
pub fn add_name(names: &mut Names, author: u32, name: &str) {
    for word in name.split(|c| !is_letter(c)).filter(|word| word.chars().count() >= SHORTEST_NAME) {
        let word = word.to_lowercase();
        if !ROLES.contains(&word.as_str()) {
            names.entry(word).or_default().insert(author);
        }
    }
}

/// Understands a question asked at `now` among authors with these names.
pub fn rewrite(question: &str, names: &Names, now: Time) -> Rewritten {
    let dates = dates::read(question, now);
    let asked = if dates.rest.is_empty() { question } else { dates.rest.as_str() };
    let scan = Scan::new(asked);
    let (found, runs) = name_runs(&scan, names);
    let without_names = replace(&scan, &runs, |_| "");
    Rewritten {
        lexical: if tokens(&without_names).is_empty() { question.to_owned() } else { without_names },
        // Documents are statements in the first person, so a question in the first person lies nearer to them.
        vector: replace(&scan, &runs, |run| if run.possessive { "my" } else { "I" }),
        names: found,
        absolute: dates.absolute,
        relative: dates.relative,
        wants_list: wants_list(&scan),
    }
}

/// Neighbouring words of names in a question.
struct Run {
    from: usize,
    to: usize,
    possessive: bool,
}

/// The names in a question and the runs they form; a possessive ends a run.
fn name_runs(scan: &Scan, names: &Names) -> (Vec<String>, Vec<Run>) {
    let (mut found, mut runs) = (Vec::new(), Vec::<Run>::new());
    let mut at = 0;
    while at < scan.end() {
        let end = (at..scan.end()).find(|&i| !is_letter(scan.chars[i])).unwrap_or(scan.end());
        if end == at {
            at += 1;
            continue;
        }
        let possessive = possessive_end(scan, end);
        let (from, to) = (at, possessive.unwrap_or(end));
        at = to;
        let word = scan.text(from, end).to_lowercase();
        if !scan.chars[from].is_uppercase() || !names.contains_key(&word) {
            continue;
        }
        found.push(word);
        let joined = runs
            .last_mut()
            .filter(|run| !run.possessive && scan.chars[run.to..from].iter().all(|&between| is_space(between)));
        match joined {
            Some(run) => (run.to, run.possessive) = (to, possessive.is_some()),
            None => runs.push(Run { from, to, possessive: possessive.is_some() }),
        }
    }
    (found, runs)
}

/// The end of `'s` or a lone apostrophe after a word.
fn possessive_end(scan: &Scan, end: usize) -> Option<usize> {
    scan.chars.get(end).filter(|c| matches!(c, '\'' | '’'))?;
    let with_s = if scan.chars.get(end + 1) == Some(&'s') { end + 2 } else { end + 1 };
    (!scan.is_word(with_s)).then_some(with_s)
}

/// The question with every run of names replaced.
fn replace(scan: &Scan, runs: &[Run], by: impl Fn(&Run) -> &'static str) -> String {
    let mut replaced = String::new();
    let mut at = 0;
    for run in runs {
        replaced.extend(&scan.chars[at..run.from]);
        replaced.push_str(by(run));
        at = run.to;
    }
    replaced.extend(&scan.chars[at..]);
    close_gaps(&replaced)
}

/// Whether a question asks for several things, whose evidence then lies in several conversations.
fn wants_list(scan: &Scan) -> bool {
    let starts: Vec<usize> = scan.words().into_iter().map(|(start, _)| start).collect();
    starts.iter().any(|&at| {
        let phrases = ["how many", "how often", "what are", "who are", "both", "in common"];
        phrases.iter().any(|phrase| scan.whole_word(at, phrase).is_some())
            || asks_for_plural(scan, at)
            || asks_for_people(scan, at)
            || asks_in_perfect_tense(scan, at, &starts)
    })
}

/// "what kinds of", "which old books did".
fn asks_for_plural(scan: &Scan, at: usize) -> bool {
    let Some(mut noun) = scan.one_of(at, &["what", "which"]).and_then(|(_, end)| scan.gap(end)) else { return false };
    for _ in 0..=WORDS_BEFORE_PLURAL {
        let in_compound = |i: usize| scan.is_word(i) || scan.at(i) == Some('-');
        let end = (noun..).find(|&i| !in_compound(i)).unwrap_or(noun);
        let Some(next) = scan.gap(end).filter(|_| end > noun) else { return false };
        let ends_plural = end >= noun + 2
            && scan.at(end - 1) == Some('s')
            && scan.at(end - 2).is_some_and(|c| c.is_ascii_lowercase() && c != 's');
        if ends_plural
            && scan.one_of(noun, &NOT_PLURAL).is_none()
            && (is_auxiliary(scan, next) || scan.one_of(next, &AFTER_PLURAL).is_some())
        {
            return true;
        }
        if is_auxiliary(scan, noun) {
            return false;
        }
        noun = next;
    }
    false
}

fn is_auxiliary(scan: &Scan, at: usize) -> bool {
    scan.one_of(at, &AUXILIARIES).is_some()
}

/// "who", "which" or "what", one word at most, "people".
fn asks_for_people(scan: &Scan, at: usize) -> bool {
    let Some(next) = scan.one_of(at, &["what", "which", "who"]).and_then(|(_, end)| scan.gap(end)) else {
        return false;
    };
    let word_end = (next..).find(|&i| !scan.is_word(i)).unwrap_or(next);
    let after_word = scan.gap(word_end).filter(|_| word_end > next);
    [Some(next), after_word].into_iter().flatten().any(|at| scan.whole_word(at, "people").is_some())
}

/// "what has she painted": everything so far is asked for.
fn asks_in_perfect_tense(scan: &Scan, at: usize, starts: &[usize]) -> bool {
    let Some((_, end)) = scan.one_of(at, &["what", "who", "where", "which"]) else { return false };
    let sentence_end = (end..scan.end()).find(|&i| matches!(scan.chars[i], '.' | '?' | '!')).unwrap_or(scan.end());
    let in_sentence = starts.iter().filter(|&&start| start >= end && start < sentence_end);
    in_sentence
        .filter_map(|&start| scan.one_of(start, &["has", "have"]))
        .any(|(_, verb_end)| scan.gap(verb_end).is_none_or(|next| scan.one_of(next, &AFTER_POSSESSION).is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understood(question: &str) -> Rewritten {
        let mut names = Names::new();
        for (author, name) in (0..).zip(["Nora Berg", "May Lee", "user"]) {
            add_name(&mut names, author, name);
        }
        rewrite(question, &names, Time(1_700_000_000_000_000))
    }

    #[test]
    fn names_leave_the_words_and_become_the_first_person_for_the_vector() {
        for (question, lexical, vector) in [
            ("When did Nora Berg's kayak leak?", "When did kayak leak?", "When did my kayak leak?"),
            ("What did Nora , May say?", "What did, say?", "What did I, I say?"),
            ("What may nora do?", "What may nora do?", "What may nora do?"),
            ("Nora?", "Nora?", "I?"),
            ("What did the User say in June 2023?", "What did the User say?", "What did the User say?"),
        ] {
            let ours = understood(question);
            assert_eq!((ours.lexical.as_str(), ours.vector.as_str()), (lexical, vector), "{question}");
        }
    }

    #[test]
    fn questions_for_several_things_are_noticed() {
        for question in [
            "How many boats are there?",
            "Which old wooden boats did she sell?",
            "What has she painted?",
            "Who are they?",
            "which other people came",
            "What do they have in common?",
        ] {
            assert!(understood(question).wants_list, "{question}");
        }
        for question in
            ["What is this?", "What news is there?", "What has the dog?", "Which glass did he buy?", "When?"]
        {
            assert!(!understood(question).wants_list, "{question}");
        }
    }
}
