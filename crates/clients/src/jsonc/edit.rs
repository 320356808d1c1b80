//! Changes to one place of a JSON text: everything else keeps its bytes.

use std::ops::Range;

use super::{Json, Node, Value, comment};

/// How deep a step is indented where the text does not show it.
const STEP: &str = "  ";

/// How a text is laid out.
struct Layout<'t> {
    line_end: &'static str,
    step: &'t str,
    /// Whether all of it stands in one line.
    in_one_line: bool,
}

impl<'t> Layout<'t> {
    fn of(text: &'t str, root: &Node) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let first = root.parts().into_iter().next();
        let step = first.as_ref().and_then(|first| own_indent(text, first.start)).filter(|step| !step.is_empty());
        let in_one_line = first.is_some() && !text[root.span.clone()].contains('\n');
        Self { line_end, step: step.unwrap_or(STEP), in_one_line }
    }

    fn print(&self, value: &Json, indent: &str, in_one_line: bool, out: &mut String) {
        let (items, [open, close]): (Vec<(Option<&str>, &Json)>, [char; 2]) = match value {
            Json::Text(text) => return *out += &quoted(text),
            Json::Raw(raw) => return *out += raw,
            Json::List(items) => (items.iter().map(|item| (None, item)).collect(), ['[', ']']),
            Json::Object(members) => {
                (members.iter().map(|(key, value)| (Some(key.as_str()), value)).collect(), ['{', '}'])
            }
        };
        // A list of plain words reads best in one line.
        let is_plain = |(_, item): &(Option<&str>, &Json)| matches!(item, Json::Text(_) | Json::Raw(_));
        let in_one_line = in_one_line || items.is_empty() || (open == '[' && items.iter().all(is_plain));
        let inner = format!("{indent}{}", self.step);
        out.push(open);
        for (number, (key, item)) in items.into_iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let space = if number > 0 { " " } else { "" };
            *out += comma;
            *out += &if in_one_line { space.to_owned() } else { format!("{}{inner}", self.line_end) };
            if let Some(key) = key {
                *out += &format!("{}: ", quoted(key));
            }
            self.print(item, &inner, in_one_line, out);
        }
        if !in_one_line {
            *out += &format!("{}{indent}", self.line_end);
        }
        out.push(close);
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A whole text that holds one value and nothing else.
pub fn whole(value: &Json, line_end: &'static str) -> String {
    let mut out = String::new();
    Layout { line_end, step: STEP, in_one_line: false }.print(value, "", false, &mut out);
    out + line_end
}

/// Adds a part behind the last one of an object (with a name) or a list (without).
pub fn insert(text: &str, root: &Node, container: &Node, key: Option<&str>, value: &Json) -> String {
    let layout = Layout::of(text, root);
    let parts = container.parts();
    let Tail { at, comma, close } = tail(text, container, &parts);
    let outer = line_indent(text, container.span.start);
    let last = parts.last();
    let own = last.and_then(|last| own_indent(text, last.start));
    let indent = own.map_or_else(|| format!("{outer}{}", layout.step), str::to_owned);
    let has_lines = text[container.span.clone()].contains('\n');
    let in_one_line = !has_lines && (last.is_some() || layout.in_one_line);
    let mut part = match (in_one_line, last) {
        (true, None) => String::new(),
        (true, Some(_)) => " ".to_owned(),
        (false, _) => format!("{}{indent}", layout.line_end),
    };
    if let Some(key) = key {
        part += &format!("{}: ", quoted(key));
    }
    layout.print(value, &indent, in_one_line, &mut part);
    if comma.is_some() {
        part.push(',');
    }
    if !in_one_line && last.is_none() && !text[at..close].contains('\n') {
        part += &format!("{}{outer}", layout.line_end);
    }
    let mut changed = text.to_owned();
    changed.insert_str(at, &part);
    if let (Some(last), None) = (last, comma) {
        changed.insert(last.end, ',');
    }
    changed
}

/// Puts another value in the place of one.
pub fn replace(text: &str, root: &Node, node: &Node, value: &Json) -> String {
    let layout = Layout::of(text, root);
    let in_one_line = layout.in_one_line || !text[node.span.clone()].contains('\n');
    let mut new = String::new();
    layout.print(value, line_indent(text, node.span.start), in_one_line, &mut new);
    [&text[..node.span.start], &new, &text[node.span.end..]].concat()
}

/// Takes a part of an object or a list out, with what `insert` put around it.
pub fn cut(text: &str, container: &Node, index: usize) -> String {
    let parts = container.parts();
    let part = &parts[index];
    let before = index.checked_sub(1).map(|index| &parts[index]);
    let from = before.map_or(container.span.start + 1, |before| before.end);
    let start = last_token_end(text, from, part.start);
    let comma_behind = first_comma(text, part.end);
    let is_last = index + 1 == parts.len();
    let end = comma_behind.map_or(part.end, |comma| comma + 1);
    let mut changed = text.to_owned();
    changed.replace_range(start..end, "");
    if let (true, None, Some(before)) = (is_last, comma_behind, before)
        && let Some(comma) = first_comma(text, before.end)
    {
        // Nothing follows the one before any more. A cut that began at this comma took it along already.
        if comma < start {
            changed.remove(comma);
        }
    }
    changed
}

/// The end of an object or a list: where a new part goes, the comma behind the last part, and the bracket.
struct Tail {
    at: usize,
    comma: Option<usize>,
    close: usize,
}

fn tail(text: &str, container: &Node, parts: &[Range<usize>]) -> Tail {
    let from = parts.last().map_or(container.span.start + 1, |last| last.end);
    let close = container.span.end - 1;
    let comma = parts.last().and_then(|last| first_comma(text, last.end));
    Tail { at: last_token_end(text, from, close), comma, close }
}

/// The end of the last comma or comment between two parts, or of the part before.
fn last_token_end(text: &str, from: usize, to: usize) -> usize {
    let (mut at, mut end) = (from, from);
    while at < to {
        let length = match text.as_bytes()[at] {
            b'/' => comment(&text[at..]).unwrap_or(1),
            b',' => 1,
            _ => {
                at += 1;
                continue;
            }
        };
        at += length;
        end = at;
    }
    end
}

/// The comma that follows, past white space and comments.
fn first_comma(text: &str, mut at: usize) -> Option<usize> {
    loop {
        match text.as_bytes().get(at)? {
            b',' => return Some(at),
            b'/' => at += comment(&text[at..])?,
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => return None,
        }
    }
}

/// The white space before something that begins its line.
fn own_indent(text: &str, at: usize) -> Option<&str> {
    let line = &text[text[..at].rfind('\n')? + 1..at];
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t')).then_some(line)
}

/// The white space at the beginning of the line of something.
fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Whether there is nothing between the brackets, not even a comment.
pub fn is_bare(text: &str, node: &Node) -> bool {
    // A value without brackets may be one byte long, with nothing inside of it.
    matches!(node.value, Value::Object(_) | Value::List(_))
        && text[node.span.start + 1..node.span.end - 1].trim().is_empty()
}
