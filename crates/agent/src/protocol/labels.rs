//! What a line starts with: a label, a fence, an object, or plain text. Decided as soon as it is certain.

/// A label of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// Starts a thought.
    Thought,
    /// Names a tool.
    Action,
    /// Starts the arguments.
    Args,
    /// Something only the loop may write.
    Observation,
    /// Starts the answer.
    Final,
}

/// The words of the labels, without what may stand between them.
const LABELS: [(&str, Label); 8] = [
    ("thought", Label::Thought),
    ("thoughts", Label::Thought),
    ("action", Label::Action),
    ("args", Label::Args),
    ("arguments", Label::Args),
    ("actioninput", Label::Args),
    ("observation", Label::Observation),
    ("finalanswer", Label::Final),
];

/// Longest run of marks round a label.
const MARKS_MAX_CHARS: usize = 6;
/// Longest label, as written.
const LABEL_MAX_CHARS: usize = 16;
/// Longest number behind a label, as in `Thought 1:`.
const NUMBER_MAX_CHARS: usize = 3;
/// Longest name of a language behind a fence.
const LANGUAGE_MAX_CHARS: usize = 20;
/// Longest line that is a fence, with white space at its end.
const FENCE_MAX_BYTES: usize = 48;

/// What a line starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Not certain yet.
    Open,
    /// A label that takes so many bytes.
    Label(Label, usize),
    /// Nothing but a fence, and whether a language stands behind it.
    Fence(bool),
    /// An object.
    Brace,
    /// Plain text.
    Text,
}

/// Looks at the beginning of a line, which has no white space in front. `whole` says that the line ends here; without it
/// the answer is `Open` until no continuation could change it.
pub fn start(line: &str, whole: bool) -> Start {
    if line.is_empty() {
        return if whole { Start::Text } else { Start::Open };
    }
    if line.starts_with('{') {
        return Start::Brace;
    }
    let fence = fence(line, whole);
    if matches!(fence, Start::Fence(_)) {
        return fence;
    }
    match (label(line, whole), fence) {
        (Start::Text, fence) => fence,
        (label, _) => label,
    }
}

fn fence(line: &str, whole: bool) -> Start {
    let marks = line.len() - line.trim_start_matches('`').len();
    let rest = line[marks..].trim_end();
    if marks < 3 && (whole || !rest.is_empty()) {
        return Start::Text;
    }
    if line.len() > FENCE_MAX_BYTES {
        return Start::Text;
    }
    let language = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+');
    if marks > MARKS_MAX_CHARS || rest.len() > LANGUAGE_MAX_CHARS || !rest.chars().all(language) {
        return Start::Text;
    }
    if whole { Start::Fence(!rest.is_empty()) } else { Start::Open }
}

fn is_mark(c: char) -> bool {
    matches!(c, '*' | '_' | '`' | '"' | '\'')
}

/// How far the looking has come.
struct At<'a> {
    rest: &'a str,
    used: usize,
}

impl<'a> At<'a> {
    /// Takes what fits, up to a number of characters; `None` if there would be more.
    fn take(&mut self, fits: impl Fn(char) -> bool, most: usize) -> Option<&'a str> {
        let length: usize = self.rest.chars().take_while(|c| fits(*c)).map(char::len_utf8).sum();
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        self.used += length;
        (taken.chars().count() <= most).then_some(taken)
    }
}

fn label(line: &str, whole: bool) -> Start {
    label_or_text(line, whole).unwrap_or(Start::Text)
}

fn label_or_text(line: &str, whole: bool) -> Option<Start> {
    let mut at = At { rest: line, used: 0 };
    let end = |at: &At<'_>| at.rest.is_empty() && !whole;
    let heading = at.take(|c| matches!(c, '#' | '>' | ' '), MARKS_MAX_CHARS)?;
    let open = at.take(is_mark, MARKS_MAX_CHARS)?;
    if end(&at) {
        return Some(Start::Open);
    }
    let written = at.take(|c| c.is_ascii_alphabetic() || matches!(c, ' ' | '_' | '-'), LABEL_MAX_CHARS)?;
    let words: String = written.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
    if !LABELS.iter().any(|(name, _)| name.starts_with(&words)) {
        return None;
    }
    if end(&at) {
        return Some(Start::Open);
    }
    let found = LABELS.iter().find(|(name, _)| *name == words)?.1;
    at.take(|c| c.is_ascii_digit(), NUMBER_MAX_CHARS)?;
    let closed = !at.take(is_mark, MARKS_MAX_CHARS)?.is_empty() || written.ends_with('_');
    at.take(|c| c == ' ', MARKS_MAX_CHARS)?;
    if end(&at) {
        return Some(Start::Open);
    }
    let colon = at.take(|c| matches!(c, ':' | '：'), 1)?;
    if colon.is_empty() {
        // A heading such as `**Final Answer**` stands alone in its line and is marked as one.
        let marked = heading.contains('#') || !open.is_empty();
        return (marked && at.rest.trim_end().is_empty()).then_some(Start::Label(found, line.len()));
    }
    let close: String = if closed { String::new() } else { open.chars().rev().collect() };
    if at.rest.starts_with(&close) {
        return Some(Start::Label(found, at.used + close.len()));
    }
    if !whole && close.starts_with(at.rest) {
        return Some(Start::Open);
    }
    Some(Start::Label(found, at.used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_in_every_dress() {
        for (line, label, rest) in [
            ("Thought: x", Label::Thought, " x"),
            ("**Action:** \"search\"", Label::Action, " \"search\""),
            ("**Action**: search", Label::Action, " search"),
            ("\"Action\": \"search\"", Label::Action, " \"search\""),
            ("`Args:` {}", Label::Args, " {}"),
            ("ACTION INPUT: {}", Label::Args, " {}"),
            ("final_answer：*x*", Label::Final, "*x*"),
            ("_Final Answer:_ *x*", Label::Final, " *x*"),
            ("### Final Answer", Label::Final, ""),
            ("**Final Answer**", Label::Final, ""),
            ("Thought 1: x", Label::Thought, " x"),
            ("> Observation : x", Label::Observation, " x"),
        ] {
            assert_eq!(start(line, true), Start::Label(label, line.len() - rest.len()), "{line}");
        }
    }

    #[test]
    fn prose_is_no_label() {
        for line in
            ["Thoughtful: x", "Action", "An action: x", "Final: x", "Answer: 3", "*", "**bold** x", "(Action: x"]
        {
            assert_eq!(start(line, true), Start::Text, "{line}");
        }
        for (line, named) in [("```", false), ("```json", true), ("`````text  ", true)] {
            assert_eq!(start(line, true), Start::Fence(named), "{line}");
        }
    }

    #[test]
    fn an_early_answer_is_never_taken_back() {
        for line in
            ["**Action:** x", "**Action**: x", "Action Input: {}", "```json", "`` x", "\"Action\": \"x\"", "Thoughtful"]
        {
            let last = start(line, true);
            for (at, _) in line.char_indices().skip(1) {
                let early = start(&line[..at], false);
                assert!(early == Start::Open || early == last, "{line} at {at}: {early:?} {last:?}");
            }
        }
    }
}
