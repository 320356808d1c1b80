//! What a question asks for once names, dates and the wish for a list are understood: a text for the words, a text for
//! the vector, and the hints the ranking uses.

use super::dates::{self, Interval};
use super::intent::{Intent, intent};
use super::names::{Named, Names};
use super::scan::Scan;
use super::words::{close_gaps, tokens};
use idetic_core::Time;

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
    /// What kind of answer is asked for.
    pub intent: Intent,
}

/// Understands a question asked at `now` among authors with these names.
pub fn rewrite(question: &str, names: &Names, now: Time) -> Rewritten {
    let dates = dates::read(question, now);
    let asked = if dates.rest.is_empty() { question } else { dates.rest.as_str() };
    let scan = Scan::new(asked);
    let found = names.find(&scan);
    let runs = name_runs(&scan, &found);
    let without_names = replace(&scan, &runs, |_| Some(""));
    Rewritten {
        lexical: if tokens(&without_names).is_empty() { question.to_owned() } else { without_names },
        // Documents are statements in the first person, so a question in the first person lies nearer to them.
        // English ones: among other letters "I" would say nothing.
        vector: replace(&scan, &runs, |run| (!run.uncased).then_some(if run.possessive { "my" } else { "I" })),
        names: found.into_iter().map(|named| named.word).collect(),
        absolute: dates.absolute,
        relative: dates.relative,
        wants_list: wants_list(&scan),
        intent: intent(&scan),
    }
}

/// Neighbouring words of names in a question.
struct Run {
    from: usize,
    to: usize,
    possessive: bool,
    uncased: bool,
}

/// The runs that names form; a possessive ends a run.
fn name_runs(scan: &Scan, found: &[Named]) -> Vec<Run> {
    let mut runs = Vec::<Run>::new();
    for &Named { from, to, possessive, uncased, .. } in found {
        let joined =
            runs.last_mut().filter(|run| !run.possessive && run.uncased == uncased && scan.spaces(run.to) >= from);
        match joined {
            Some(run) => (run.to, run.possessive) = (to, possessive),
            None => runs.push(Run { from, to, possessive, uncased }),
        }
    }
    runs
}

/// The question with every run of names replaced, or left where there is nothing to put in its place.
fn replace(scan: &Scan, runs: &[Run], by: impl Fn(&Run) -> Option<&'static str>) -> String {
    let mut replaced = String::new();
    let mut at = 0;
    for run in runs {
        let Some(by) = by(run) else { continue };
        replaced.extend(&scan.chars[at..run.from]);
        replaced.push_str(by);
        at = run.to;
    }
    replaced.extend(&scan.chars[at..]);
    close_gaps(&replaced)
}

/// Whether a question asks for several things, whose evidence then lies in several conversations.
fn wants_list(scan: &Scan) -> bool {
    let starts: Vec<usize> = scan.words().into_iter().map(|(start, _)| start).collect();
    let perfects = Perfects::of(scan, &starts);
    starts.iter().any(|&at| {
        let phrases = ["how many", "how often", "what are", "who are", "both", "in common"];
        phrases.iter().any(|phrase| scan.whole_word(at, phrase).is_some())
            || asks_for_plural(scan, at)
            || asks_for_people(scan, at)
            || perfects.asked_for(scan, at)
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

/// Where a question has verbs in the perfect tense, and where its sentences end. Found once, because a question may say
/// "what" a hundred thousand times.
struct Perfects {
    verbs: Vec<usize>,
    ends: Vec<usize>,
}

impl Perfects {
    fn of(scan: &Scan, starts: &[usize]) -> Self {
        let is_perfect = |&start: &usize| {
            let verb = scan.one_of(start, &["has", "have"]);
            let owns = |next| scan.one_of(next, &AFTER_POSSESSION).is_some();
            verb.is_some_and(|(_, end)| !scan.gap(end).is_some_and(owns))
        };
        let ends = (0..scan.end()).filter(|&at| matches!(scan.chars[at], '.' | '?' | '!'));
        Self { verbs: starts.iter().copied().filter(is_perfect).collect(), ends: ends.collect() }
    }

    /// "what has she painted": everything so far is asked for.
    fn asked_for(&self, scan: &Scan, at: usize) -> bool {
        let Some((_, from)) = scan.one_of(at, &["what", "who", "where", "which"]) else { return false };
        let first = |places: &[usize]| places.get(places.partition_point(|place| *place < from)).copied();
        first(&self.verbs).is_some_and(|verb| first(&self.ends).is_none_or(|end| verb < end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understood(question: &str) -> Rewritten {
        let mut names = Names::new();
        for (author, name) in (0..).zip(["Nora Berg", "May Lee", "user"]) {
            names.add(author, name);
        }
        rewrite(question, &names, Time(1_700_000_000_000_000))
    }

    #[test]
    fn names_leave_the_words_and_become_the_first_person_for_the_vector() {
        for (question, lexical, vector) in [
            ("When did Nora Berg's kayak leak?", "When did kayak leak?", "When did my kayak leak?"),
            ("What did Nora , May say?", "What did, say?", "What did I, I say?"),
            ("What may nora do?", "What may nora do?", "What may nora do?"),
            ("What did nora paint?", "What did paint?", "What did I paint?"),
            ("Nora?", "Nora?", "I?"),
            ("What did the User say in June 2023?", "What did the User say?", "What did the User say?"),
        ] {
            let ours = understood(question);
            assert_eq!((ours.lexical.as_str(), ours.vector.as_str()), (lexical, vector), "{question}");
        }
    }

    #[test]
    fn a_question_of_any_length_is_understood() {
        // Each of these took minutes while anything was looked for again at every word.
        for words in
            ["what ", "what has the ", "in May ", "2023-05-08 ", "yesterday ", "Nora ", "nora's and ", "which s-"]
        {
            let question = words.repeat(200_000);
            let ours = understood(&question);
            assert!(ours.absolute.len() + ours.relative.len() <= 64, "{words}");
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
