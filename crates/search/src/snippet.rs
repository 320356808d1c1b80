//! The part of a long text that a question is about: the window with most of the question's words.

use std::collections::HashSet;

use super::words;

/// Stands for what was left out.
const ELLIPSIS: &str = "…";

/// Longest piece of a text that is taken for one word: some languages set none apart.
const PIECE_CHARS: usize = 24;

/// A piece of a text: where it begins, in bytes and in characters, and the word of the question that it has.
struct Piece {
    begin: usize,
    chars: usize,
    found: Option<String>,
}

/// A text of at most so many characters, about: whole where it is short, else around the words of a question.
pub fn snippet(text: &str, question: &str, chars: usize) -> String {
    let text = text.trim();
    let length = text.chars().count();
    if length <= chars {
        return text.to_owned();
    }
    let pieces = pieces(text, question);
    let lead = chars / 5;
    let (mut from, mut most) = (0, 0);
    for first in 0..pieces.len() {
        if pieces[first].found.is_none() {
            continue;
        }
        // A window begins a little before its first word that counts.
        let earliest = pieces[first].chars.saturating_sub(lead);
        let begin = pieces[..=first].partition_point(|piece| piece.chars < earliest);
        let end = pieces[begin].chars + chars;
        let inside = pieces[begin..].iter().take_while(|piece| piece.chars < end);
        let count = inside.filter_map(|piece| piece.found.as_ref()).collect::<HashSet<_>>().len();
        if count > most {
            (from, most) = (begin, count);
        }
    }
    let from = pieces.get(from).map_or(0, |piece| piece.begin);
    let shown: String = text[from..].chars().take(chars).collect();
    let is_whole = from + shown.len() == text.len();
    let end = if is_whole { shown.len() } else { shown.rfind(char::is_whitespace).unwrap_or(shown.len()) };
    let before = if from > 0 { ELLIPSIS } else { "" };
    format!("{before}{}{}", shown[..end].trim_end(), if is_whole { "" } else { ELLIPSIS })
}

fn pieces(text: &str, question: &str) -> Vec<Piece> {
    let wanted: HashSet<String> = words::tokens(question).into_iter().collect();
    let (mut pieces, mut begin, mut chars) = (Vec::new(), 0, 0);
    for word in text.split_inclusive(char::is_whitespace) {
        let mut rest = word;
        while !rest.is_empty() {
            let end = rest.char_indices().nth(PIECE_CHARS).map_or(rest.len(), |(at, _)| at);
            let (piece, behind) = rest.split_at(end);
            let found = words::tokens(piece).into_iter().find(|token| wanted.contains(token));
            pieces.push(Piece { begin, chars, found });
            begin += piece.len();
            chars += piece.chars().count();
            rest = behind;
        }
    }
    pieces
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
        let late =
            format!("{filler}{} 5433 {filler}", "The staging database and all that belongs to it listens on port");
        assert!(
            snippet(&late, "which port does the staging database use?", 120).contains("5433"),
            "the whole window counts"
        );
        let chinese = format!(
            "{}数据库端口是五四三三{}",
            "天气很好我们去公园散步".repeat(30),
            "天气很好我们去公园散步".repeat(30)
        );
        assert!(snippet(&chinese, "数据库端口", 60).contains("端口"), "without blanks");
        let odd = "ä".repeat(500);
        assert!(snippet(&odd, "ä", 50).chars().count() <= 52, "a word longer than the window");
    }
}
