//! Text of others put into a prompt: kept to its own lines, its own fence and its own number of tokens.

use crate::tokens::{self, Count};

/// What continuation lines start with: nothing that stands in them can look like a line of ours.
pub const INDENT: &str = "    ";

/// Stands where a text was cut.
const CUT: &str = "…";

/// The shortest fence that Markdown knows.
pub const SHORTEST_FENCE: usize = 3;

/// What some reader or other takes for the end of a line.
pub fn is_break(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The text as one line.
pub fn in_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || is_break(c) { ' ' } else { c }).collect()
}

/// Where something comes from, behind it.
pub fn labelled(origin: &str) -> String {
    format!(" [from {}]", in_one_line(origin))
}

/// The text with every line but the first indented.
pub fn indented(text: &str) -> String {
    let lines: Vec<&str> = text.split("\r\n").flat_map(|part| part.split(is_break)).collect();
    lines.join(&format!("\n{INDENT}"))
}

/// The longest beginning of a text that costs at most so many tokens.
pub fn within(text: &str, limit_tokens: usize) -> &str {
    let mut count = Count::default();
    for (at, c) in text.char_indices() {
        count.add(c);
        if count.tokens() > limit_tokens {
            return &text[..at];
        }
    }
    text
}

/// The text, or a beginning of it and a mark that there was more, in at most so many tokens.
pub fn cut(text: &str, limit_tokens: usize) -> String {
    let short = within(text, limit_tokens);
    if short.len() == text.len() {
        return text.to_owned();
    }
    let room = limit_tokens.saturating_sub(tokens::estimate(CUT));
    let kept = within(short, room).trim_end();
    if limit_tokens == 0 { String::new() } else { format!("{kept}{CUT}") }
}

/// The beginning of a text, its white space made single: at most so many characters, and a mark where there was more.
pub fn beginning(text: &str, chars: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}{CUT}", text[..end].trim_end()),
        None => text,
    }
}

/// A fence longer than any run of backticks that is at most so long.
pub fn fence(longest_run: usize) -> String {
    "`".repeat((longest_run + 1).max(SHORTEST_FENCE))
}

/// The length of the longest run of backticks.
pub fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_kind_of_line_break_starts_a_line_of_ours() {
        let text = indented("a\nb\r\nc\rd\u{2028}e\u{85}f\u{1c}g");
        assert_eq!(text, "a\n    b\n    c\n    d\n    e\n    f\n    g");
        assert_eq!(in_one_line("a\nb\u{2029}c\u{1b}"), "a b c ");
    }

    #[test]
    fn a_cut_text_costs_no_more_than_it_may() {
        for text in ["", "one two three four", "墨水墨水墨水", "``````", "a-b-c-d"] {
            for limit in 0..8 {
                let short = cut(text, limit);
                assert!(tokens::estimate(&short) <= limit, "{text:?} {limit} {short:?}");
                assert!(tokens::estimate(text) > limit || short == text);
            }
        }
    }
}
