//! The lines of a Markdown text, and which of them are quoted: inside a fence of code or a comment.

use std::ops::Range;

/// What a line is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quote {
    /// Nothing: headings, fields and lists are what they look like.
    Not,
    /// A fence of code, its marks included.
    Fence,
    /// A comment that begins its line.
    Comment,
}

#[derive(Debug, Clone, Copy)]
struct Line {
    /// Where its text begins: behind the byte order mark of a first line.
    start: usize,
    /// Where its text ends, before the line break.
    end: usize,
    quote: Quote,
}

/// A text by lines. Line `n` of a file is index `n - 1`.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    lines: Vec<Line>,
    /// Fences and comments that are opened and never closed: they are read as text, so that nothing behind them is lost.
    pub(crate) unclosed: Vec<usize>,
}

/// A fence that is open.
#[derive(Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
    /// Inside a list item: it ends with the item at the latest.
    in_list: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let mut lines = cut(text);
        let closers = Closers::of(text, &lines);
        let last_comment_end = text.rfind("-->").unwrap_or(0);
        let mut unclosed = Vec::new();
        let (mut fence, mut comment, mut in_list) = (None::<Fence>, false, false);
        for (at, line) in lines.iter_mut().enumerate() {
            let said = &text[line.start..line.end];
            if comment {
                line.quote = Quote::Comment;
                comment = !said.contains("-->");
                continue;
            }
            if let Some(open) = fence {
                let leaves = open.in_list && !said.is_empty() && !said.starts_with([' ', '\t']);
                if !leaves {
                    line.quote = Quote::Fence;
                    if closes(said, open) {
                        fence = None;
                    }
                    continue;
                }
                fence = None;
            }
            let item = bullet(said);
            match item {
                Some(_) => in_list = true,
                None => in_list = in_list && (said.trim().is_empty() || said.starts_with([' ', '\t'])),
            }
            let opened = match item {
                Some((_, content)) => opens(content),
                None if in_list => opens(said.trim_start()),
                None => opens(outdented(said)),
            };
            if let Some((mark, length)) = opened {
                if in_list || closers.longest_behind(at, mark) >= length {
                    line.quote = Quote::Fence;
                    fence = Some(Fence { mark, length, in_list });
                } else {
                    unclosed.push(at);
                }
            } else if !in_list && outdented(said).starts_with("<!--") {
                let closed_here = said.find("<!--").is_some_and(|open| said[open + 4..].contains("-->"));
                if closed_here || last_comment_end >= line.end {
                    line.quote = Quote::Comment;
                    comment = !closed_here;
                } else {
                    unclosed.push(at);
                }
            }
        }
        Self { text, lines, unclosed }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The text of a line without its break.
    pub(crate) fn text(&self, at: usize) -> &'a str {
        self.lines.get(at).map_or("", |line| &self.text[line.start..line.end])
    }

    pub(crate) fn quote(&self, at: usize) -> Quote {
        self.lines.get(at).map_or(Quote::Not, |line| line.quote)
    }

    pub(crate) fn is_blank(&self, at: usize) -> bool {
        self.text(at).trim().is_empty()
    }

    /// Where a line begins; the end of the text for the line behind the last.
    pub(crate) fn begin(&self, at: usize) -> usize {
        if at == 0 { 0 } else { self.lines.get(at).map_or(self.text.len(), |line| line.start) }
    }

    /// The bytes from the text of one line to the end of the text of another, the last line break left out.
    pub(crate) fn span(&self, first: usize, last: usize) -> Range<usize> {
        let start = self.lines.get(first).map_or(self.text.len(), |line| line.start);
        start..self.lines.get(last).map_or(self.text.len(), |line| line.end)
    }

    /// The level and the text of a heading that begins its line and is not quoted.
    pub(crate) fn heading(&self, at: usize) -> Option<(usize, &'a str)> {
        if self.quote(at) != Quote::Not { None } else { heading(self.text(at)) }
    }

    /// The next line from here on that is not blank.
    pub(crate) fn next_said(&self, from: usize, limit: usize) -> Option<usize> {
        (from..limit).find(|at| !self.is_blank(*at))
    }
}

/// The line break a text uses: that of its first line.
pub(crate) fn newline(text: &str) -> &'static str {
    if text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" }
}

/// The level and the text of a heading, `#` at its end left out.
pub(crate) fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = &line[level..];
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let title = rest.trim();
    let bare = title.trim_end_matches('#');
    let title = if bare.is_empty() || bare.ends_with([' ', '\t']) { bare.trim_end() } else { title };
    Some((level, title))
}

/// A line that draws a line: `---`, `***` or `___`.
pub(crate) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && ["-", "*", "_"].iter().any(|mark| line.chars().all(|c| mark.starts_with(c)))
}

/// The indentation of a list item and what stands behind its mark.
pub(crate) fn bullet(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches([' ', '\t']);
    let indent = line[..line.len() - rest.len()].chars().map(|c| if c == '\t' { 4 } else { 1 }).sum();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let behind = if (1..=9).contains(&digits) {
        rest[digits..].strip_prefix(['.', ')'])?
    } else {
        rest.strip_prefix(['-', '*', '+'])?
    };
    (behind.is_empty() || behind.starts_with([' ', '\t'])).then(|| (indent, behind.trim()))
}

fn cut(text: &str) -> Vec<Line> {
    let mut start = 0;
    let mut lines = Vec::new();
    for raw in text.split_inclusive('\n') {
        let mark = if start == 0 && raw.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let said = raw.strip_suffix('\n').map_or(raw, |line| line.strip_suffix('\r').unwrap_or(line));
        lines.push(Line { start: start + mark, end: start + said.len().max(mark), quote: Quote::Not });
        start += raw.len();
    }
    lines
}

/// A line without an indentation of up to three spaces; with more it is code, and nothing begins there.
fn outdented(line: &str) -> &str {
    let rest = line.trim_start_matches(' ');
    if line.len() - rest.len() <= 3 { rest } else { "" }
}

fn run(line: &str) -> Option<(u8, usize)> {
    let mark = *line.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
    let length = line.bytes().take_while(|b| *b == mark).count();
    (length >= 3).then_some((mark, length))
}

/// The mark and length of a fence that begins here. What stands behind backticks holds none, or it is code in a line.
fn opens(line: &str) -> Option<(u8, usize)> {
    run(line).filter(|(mark, length)| *mark == b'~' || !line[*length..].contains('`'))
}

fn closes(line: &str, open: Fence) -> bool {
    let said = if open.in_list { line.trim_start() } else { outdented(line) };
    run(said)
        .is_some_and(|(mark, length)| mark == open.mark && length >= open.length && said[length..].trim().is_empty())
}

/// For every line the longest fence behind it that could close another.
struct Closers {
    backticks: Vec<usize>,
    tildes: Vec<usize>,
}

impl Closers {
    fn of(text: &str, lines: &[Line]) -> Self {
        let (mut backticks, mut tildes) = (vec![0; lines.len()], vec![0; lines.len()]);
        let (mut longest_backtick, mut longest_tilde) = (0, 0);
        for (at, line) in lines.iter().enumerate().rev() {
            (backticks[at], tildes[at]) = (longest_backtick, longest_tilde);
            let said = outdented(&text[line.start..line.end]);
            if let Some((mark, length)) = run(said).filter(|(_, length)| said[*length..].trim().is_empty()) {
                let longest = if mark == b'`' { &mut longest_backtick } else { &mut longest_tilde };
                *longest = length.max(*longest);
            }
        }
        Self { backticks, tildes }
    }

    fn longest_behind(&self, at: usize, mark: u8) -> usize {
        if mark == b'`' { self.backticks[at] } else { self.tildes[at] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line as a letter: text, fence or comment.
    fn seen(text: &str) -> String {
        let lines = Lines::of(text);
        let letter = |at| match lines.quote(at) {
            Quote::Not => '.',
            Quote::Fence => 'F',
            Quote::Comment => 'C',
        };
        (0..lines.len()).map(letter).collect()
    }

    #[test]
    fn fences_of_both_marks_and_any_length() {
        assert_eq!(seen("a\n```\n# b\n```\nc"), ".FFF.");
        assert_eq!(seen("~~~~ md\n~~~\n```\n~~~~~\nc"), "FFFF.");
        assert_eq!(seen("   ```\n# a\n  ```\nb\n    ```\nc"), "FFF...");
        assert_eq!(seen("``` a`b\nc"), "..", "code in a line is not a fence");
    }

    #[test]
    fn a_fence_in_a_list_ends_with_its_item() {
        assert_eq!(seen("- a\n  ```\n  b\n### c\n```\nd\n```"), ".FF.FFF");
        assert_eq!(seen("- ```\n  # a\n  ```\n# b"), "FFF.");
    }

    #[test]
    fn what_is_never_closed_hides_nothing() {
        assert_eq!(seen("```\n# a\n<!-- b\n# c"), "....");
        assert_eq!(Lines::of("```\n# a\n<!-- b\n# c").unclosed, [0, 2]);
        assert_eq!(seen("<!-- a\n# b\n--> c\nd\n <!-- e -->\nf <!-- g\n"), "CCC.C.");
    }

    #[test]
    fn headings_and_items() {
        assert_eq!(heading("### a | b ##"), Some((3, "a | b")));
        assert_eq!(heading("## C#"), Some((2, "C#")));
        assert_eq!((heading("#a"), heading("####### a"), heading(" # a")), (None, None, None));
        assert_eq!(bullet("  - a: b "), Some((2, "a: b")));
        assert_eq!(bullet("12. x"), Some((0, "x")));
        assert_eq!((bullet("-a"), bullet("**b**"), bullet("---")), (None, None, None));
        assert!(is_rule("---") && is_rule(" ***** ") && !is_rule("--") && !is_rule("-*-"));
    }
}
