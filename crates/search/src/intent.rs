//! What kind of answer a question wants, where its words say so: the order of things, an overview, or what the assistant
//! itself said.

use super::scan::Scan;

/// What a question is after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Intent {
    /// Something that was said.
    #[default]
    Anything,
    /// What came up when: its evidence is spread over the conversations.
    Order,
    /// How something went as a whole: turns and their answers alike.
    Overview,
    /// What the assistant said, and not the person.
    Answers,
}

/// Phrases that ask for the order of things. "In order to" does not.
const ORDER: [&str; 6] = [
    "in what order",
    "in which order",
    "the order in which",
    "the order of",
    "in chronological order",
    "chronologically",
];
/// Words that begin a wish for an overview.
const OVERVIEW_WORDS: [&str; 6] = ["summary", "summarize", "summarise", "summarized", "overview", "recap"];
/// Phrases that do.
const OVERVIEW: [&str; 3] = ["walk me through", "over time", "comprehensive"];
/// Verbs that, after "how", ask for a course of events.
const COURSES: [&str; 3] = ["evolved", "progressed", "developed"];
/// What an assistant does with words, from the start of the verb on.
const TELLING: [&str; 14] = [
    "recommend",
    "suggest",
    "said",
    "say",
    "told",
    "mention",
    "advis",
    "explain",
    "gave",
    "provid",
    "propos",
    "describ",
    "outlin",
    "show",
];
/// What an assistant's words are called, from the start of the noun on.
const TOLD: [&str; 7] = ["advice", "recommendation", "suggestion", "explanation", "answer", "response", "guidance"];
/// Before "you", these make a request of a verb.
const REQUESTS: [&str; 5] = ["can", "could", "would", "will", "please"];
/// Before "you", these ask for what was.
const PAST: [&str; 5] = ["did", "have", "had", "were", "was"];

/// What a question is after.
pub fn intent(scan: &Scan) -> Intent {
    let places = scan.words();
    let words: Vec<String> =
        places.iter().map(|&(from, to)| scan.chars[from..to].iter().collect::<String>().to_lowercase()).collect();
    let says = |phrase: &str| places.iter().any(|&(from, _)| scan.whole_word(from, phrase).is_some());
    let ends_in_order = || {
        words.windows(2).enumerate().any(|(at, pair)| {
            pair[0] == "in" && pair[1] == "order" && words.get(at + 2).is_none_or(|next| next != "to" && next != "for")
        })
    };
    if ORDER.iter().any(|phrase| says(phrase)) || ends_in_order() {
        return Intent::Order;
    }
    let is_course = || {
        let how = words.iter().position(|word| word == "how");
        how.is_some_and(|how| words[how..].iter().any(|word| COURSES.contains(&word.as_str())))
    };
    if words.iter().any(|word| OVERVIEW_WORDS.contains(&word.as_str()))
        || OVERVIEW.iter().any(|phrase| says(phrase))
        || is_course()
    {
        return Intent::Overview;
    }
    if is_about_answers(&words) { Intent::Answers } else { Intent::Anything }
}

/// "What did you suggest", "the plan you gave me", "your advice"; but not "can you suggest".
fn is_about_answers(words: &[String]) -> bool {
    let begins = |word: &str, starts: &[&str]| starts.iter().any(|start| word.starts_with(start));
    (0..words.len()).any(|at| match words[at].as_str() {
        "your" => words.get(at + 1).is_some_and(|noun| begins(noun, &TOLD)),
        "you" => {
            let before = at.checked_sub(1).map(|before| words[before].as_str()).unwrap_or_default();
            let verb =
                words[at + 1..].iter().find(|word| !matches!(word.as_str(), "ve" | "have" | "had" | "previously"));
            let tells = verb.is_some_and(|verb| begins(verb, &TELLING));
            !REQUESTS.contains(&before) && (PAST.contains(&before) || tells)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_read_from_the_words() {
        for (question, wanted) in [
            ("Can you list the order in which I brought up the parts of my app?", Intent::Order),
            ("List what I did, in order.", Intent::Order),
            ("What did I buy in order to fix the boat?", Intent::Anything),
            ("Can you summarise how my essay went?", Intent::Overview),
            ("How has my plan developed?", Intent::Overview),
            ("What did you recommend for the fence?", Intent::Answers),
            ("I tried the plan you gave me, what next?", Intent::Answers),
            ("Was your advice about the fence good?", Intent::Answers),
            ("Can you suggest a fence?", Intent::Anything),
            ("What colour is my fence?", Intent::Anything),
            ("", Intent::Anything),
        ] {
            assert_eq!(intent(&Scan::new(question)), wanted, "{question}");
        }
    }
}
