//! The part of a long text that a question is about: the window with most of the question's words.

use std::collections::HashSet;

use super::words;

/// Stands for what was left out.
const ELLIPSIS: char = '…';

/// A text of at most so many characters, about: whole where it is short, else around the words of a question.
pub fn snippet(text: &str, question: &str, chars: usize) -> String {
    let text = text.trim();
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let wanted: HashSet<String> = words::tokens(question).into_iter().collect();
    // Where each word of the text stands, and which word of the question it is.
    let mut places: Vec<(usize, usize, Option<String>)> = Vec::new();
    let mut at = 0;
    for part in text.split_inclusive(char::is_whitespace) {
        let found = words::tokens(part).into_iter().find(|token| wanted.contains(token));
        places.push((at, at + part.len(), found));
        at += part.len();
    }
    let (mut best, mut most) = (0, 0);
    for first in 0..places.len() {
        let begin = places[first].0;
        // A window begins a little before its first word that counts.
        if first > 0 && places[first].2.is_none() {
            continue;
        }
        let inside = places[first..].iter().take_while(|(_, end, _)| end - begin <= chars);
        let count = inside.filter_map(|(_, _, found)| found.as_ref()).collect::<HashSet<_>>().len();
        if count > most {
            (best, most) = (first, count);
        }
    }
    let lead = chars / 5;
    let from = places[..best].iter().map(|(begin, ..)| *begin).find(|begin| places[best].0 - begin <= lead);
    let from = from.unwrap_or(places.get(best).map_or(0, |(begin, ..)| *begin));
    let mut cut = String::new();
    if from > 0 {
        cut.push(ELLIPSIS);
    }
    let shown: String = text[from..].chars().take(chars).collect();
    let is_whole = from + shown.len() == text.len();
    let end = if is_whole { shown.len() } else { shown.rfind(char::is_whitespace).unwrap_or(shown.len()) };
    cut.push_str(shown[..end].trim_end());
    if !is_whole {
        cut.push(ELLIPSIS);
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_whole_and_a_long_one_is_cut_around_the_answer() {
        assert_eq!(snippet(" The port is 5433. ", "which port?", 100), "The port is 5433.");
        let filler = "Some other words that say nothing at all. ".repeat(40);
        let text = format!("{filler}The staging database listens on port 5433. {filler}");
        let cut = snippet(&text, "which port does the staging database use?", 120);
        assert!(cut.contains("staging database listens on port 5433"), "{cut}");
        assert!(cut.starts_with('…') && cut.ends_with('…') && cut.chars().count() <= 125, "{cut}");
        assert!(snippet(&text, "nothing in common here", 60).chars().count() <= 65);
        let odd = "ä".repeat(500);
        assert!(snippet(&odd, "ä", 50).chars().count() <= 52, "a word longer than the window");
    }
}
