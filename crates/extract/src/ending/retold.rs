//! What of a prompt a later session is told: neither what was answered, nor what others said or do elsewhere, nor what held for
//! hours.

use super::super::words::Words;
use super::corrections::is_too_much;
use super::{
    PASSING, TENTATIVE, asks, begins_with, clauses, clauses_whole, has_phrase, joined, pieces, plain_words,
    said_behind, without,
};

/// What holds for hours, what does so where it says to leave something, how one begins to tell what others say, what does so
/// wherever it stands, and how one begins an offer or tells of another project; one phrase in a line.
const HOURS: &str = include_str!("../../data/ending/hours.txt");
const THAT_DAY: &str = include_str!("../../data/ending/that_day.txt");
const OTHERS: &str = include_str!("../../data/ending/others.txt");
const HEARSAY: &str = include_str!("../../data/ending/hearsay.txt");
const OFFERS: &str = include_str!("../../data/ending/offers.txt");
const ELSEWHERE: Words = Words(include_str!("../../data/ending/elsewhere.txt"));
/// Shortest clause that asks something.
const ASKED_WORDS: usize = 3;
/// How one asks somebody to do something.
const REQUESTS: Words = Words("can you|could you|would you|will you|can we|could we");
/// How one says what is better left that day; and what surely says so.
const SPARING: Words = Words("so|don't|dont|skip|avoid|without|keep out|keep away|stay out|stay away|hands off");
const SPARING_SURELY: Words = Words("don't|dont|skip|avoid");
/// Other people's places: "in my last project".
const PLACES: Words = Words(
    "project|projects|repo|repository|codebase|app|site|team|company|firm|startup|job|role|workplace|university|school|class|course|portal|shop|office|lab",
);
/// How one begins to name them, where they may be one's own, and where they are not; what makes them one's own.
const MINE: [&str; 2] = ["in my ", "at my "];
const THEIRS: [&str; 6] = ["over in the ", "over at the ", "my old ", "my other ", "my last ", "my previous "];
const OWN: Words = Words("own|current|new|main|this|present|whole|entire|the|a|an|my|our");
/// What surely makes them others.
const OTHER: Words = Words("old|other|last|previous|former|earlier|first");
/// Most words between "my" and the place.
const BETWEEN_MAX: usize = 3;
/// What may stand before that.
const LEADS: Words = Words("and|but|so|also|ok|btw|well|oh|hm|fyi|or");

/// A prompt as a later session is told of it. `is_answered` tells whether somebody answered it, `is_past` whether its day is
/// over.
pub fn retold(text: &str, is_answered: bool, is_past: bool) -> String {
    let is_dropped = |sentence: &str| {
        is_answered && (asks_to_know(sentence) || only_supposes(sentence))
            || is_past && holds_for_hours(sentence)
            || begins_with(sentence, LEADS, OTHERS.lines())
            || has_phrase(sentence, HEARSAY)
            || is_elsewhere(sentence)
    };
    let kept = without(pieces(text, &['.', '!', '?', '\n']), is_dropped);
    let is_asked = |clause: &str| clause.split_whitespace().count() >= ASKED_WORDS && asks_to_know(clause);
    if is_answered { without(clauses_whole(&kept), is_asked) } else { kept }
}

/// Whether a sentence asks something, and not that something be done.
fn asks_to_know(sentence: &str) -> bool {
    asks(sentence) && !begins_with(sentence, LEADS, REQUESTS.iter())
}

/// Whether a sentence supposes something and ends there: who goes on with "fix it" wants that.
fn only_supposes(sentence: &str) -> bool {
    clauses(sentence).last().is_some_and(|clause| has_phrase(clause, TENTATIVE))
}

/// What an agent said without what it offered: it was taken up or not.
pub fn without_offers(answer: &str) -> String {
    let offers = |sentence: &str| begins_with(sentence, LEADS, OFFERS.lines());
    without(pieces(answer, &['.', '!', '?', '\n']), offers)
}

/// Whether a text says that it holds for hours: "until noon", or "it is broken today, so don't run it".
pub fn holds_for_hours(text: &str) -> bool {
    let words: Vec<String> = plain_words(text).collect();
    let is_hour = |word: &str| {
        let hour = word.trim_start_matches(|c: char| c.is_ascii_digit());
        hour.len() < word.len() && matches!(hour, "am" | "pm")
    };
    let until_hour = || words.windows(2).any(|pair| matches!(&*pair[0], "until" | "till") && is_hour(&pair[1]));
    has_phrase(text, HOURS) || until_hour() || has_phrase(text, THAT_DAY) && spares(text)
}

/// Whether a text surely says that something is better left until an hour of that day.
pub fn spares_for_hours(text: &str) -> bool {
    let is_until = |phrase: &&str| phrase.starts_with("until ") || phrase.starts_with("till ");
    let text = joined(text);
    HOURS.lines().filter(is_until).any(|phrase| text.contains(&format!(" {phrase} ")))
        && plain_words(&text).any(|word| SPARING_SURELY.contains(&word))
}

fn spares(text: &str) -> bool {
    let text = joined(text);
    SPARING.iter().any(|phrase| text.contains(&format!(" {phrase} ")))
}

/// Whether a sentence begins to tell of another project or other people, or may: "in my React project" says it of another if one
/// works in a second one.
pub fn is_elsewhere(sentence: &str) -> bool {
    tells_of_elsewhere(sentence, false)
}

/// Whether a sentence surely does: "in my last project".
pub fn is_surely_elsewhere(sentence: &str) -> bool {
    tells_of_elsewhere(sentence, true)
}

fn tells_of_elsewhere(sentence: &str, surely: bool) -> bool {
    let said = said_behind(sentence, LEADS);
    let said = said.strip_prefix("by the way ").unwrap_or(&said);
    // What stands before the place that is named behind a beginning.
    let place_behind = |begin: &str| -> Option<Vec<&str>> {
        let words: Vec<&str> = said.strip_prefix(begin)?.split(' ').take(BETWEEN_MAX + 1).collect();
        let place = words.iter().position(|word| PLACES.contains(word))?;
        Some(words[..place].to_vec()).filter(|before| !before.iter().any(|word| OWN.contains(word)))
    };
    let is_other = |before: Vec<&str>| before.iter().any(|word| OTHER.contains(word) || !surely);
    ELSEWHERE.iter().any(|phrase| said.starts_with(&format!("{phrase} ")))
        || THEIRS.into_iter().any(|begin| place_behind(begin).is_some())
        || MINE.into_iter().filter_map(place_behind).any(is_other)
}

/// Whether a sentence tells how something stands, finds fault or tries something: none of it lasts.
pub fn is_passing_remark(sentence: &str) -> bool {
    let said = said_behind(sentence, LEADS);
    let tries =
        said.starts_with("try ") && !["try to ", "try and ", "try hard "].iter().any(|way| said.starts_with(way));
    has_phrase(sentence, PASSING) || is_too_much(sentence) || tries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_session_is_told_what_was_wanted_and_not_what_was_passing() {
        for (prompt, told) in [
            ("Draw the map. Is leaflet free?", "Draw the map."),
            ("Draw the map. by the way: is leaflet free", "Draw the map. by the way"),
            ("I am in a call until eleven, keep it short. Write the backend blocks.", "Write the backend blocks."),
            ("In my other repo they deploy with Netlify. Here we use SFTP.", "Here we use SFTP."),
            ("My colleague says webp is bad. Write jpegs, too.", "Write jpegs, too."),
        ] {
            assert_eq!(retold(prompt, true, true), told, "{prompt}");
        }
        assert_eq!(retold("commit. style \"area: what\"", true, true), "commit. style \"area: what\"");
        assert_eq!(without_offers("Chrome is missing. I can add a fake."), "Chrome is missing.");
        for other in
            ["By the way, over in the wholesale portal they deploy on merge", "in my bachelor project we used R"]
        {
            assert!(is_elsewhere(other), "{other}");
        }
        assert!(!is_elsewhere("in my project use tabs") && !is_elsewhere("in my opinion we should test"));
        assert!(!is_elsewhere("In my browser the app crashes") && !is_elsewhere("In my opinion the site needs a map"));
        assert!(
            is_surely_elsewhere("At my old university we used R") && is_surely_elsewhere("in my last role we used R")
        );
        assert!(!is_surely_elsewhere("In my React project, always use function components"));
        assert!(
            holds_for_hours("the server is taken until 6pm")
                && holds_for_hours("it is broken today so don't run it")
                && holds_for_hours("Please keep out of the checkout controller today")
        );
        assert!(
            !holds_for_hours("today: the map on the front page") && !holds_for_hours("keep logs until 2027 is over")
        );
        assert!(spares_for_hours("CI is down until noon, so don't wait") && !spares_for_hours("it is open until 6pm"));
        for lasting in [
            "We decided that the deploy job waits until midnight, so customers see no downtime",
            "we will use offline mode on the train, so sync must be manual",
            "TODO: make the recorder work without audio in a meeting",
        ] {
            assert!(!spares_for_hours(lasting), "{lasting}");
        }
        for wanted in [
            "Validate the JWT claims in the middleware",
            "Fix the crash my colleague found in checkout.rs.",
            "Build a website for my wife with a booking form.",
            "My other request: add dark mode to the settings page.",
            "my old auth.py must go, replace it with argon2",
            "In my current repo, fix the login redirect.",
            "in my new project, set up CI",
            "Can you add pagination to the orders page?",
            "I think the login redirect is broken, fix it.",
            "The dialog asks if the user is sure: translate it to German.",
        ] {
            assert_eq!(retold(wanted, true, true), wanted);
        }
        let prompt = "Should the map be blue? I am in a call until eleven.";
        assert_eq!(retold(prompt, false, false), prompt);
    }
}
