//! The values of a frontmatter: quoted and plain texts, lists in every way people write them.

use super::LIST_MAX_ITEMS;

/// Longest key.
const KEY_MAX_BYTES: usize = 100;

/// What a key is to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum New {
    /// One text.
    Text(String),
    /// Several.
    List(Vec<String>),
}

/// What stands under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// One text, without its quotes.
    Text(String),
    /// Several, however they are written.
    List(Vec<String>),
    /// Something with a structure of its own, as its lines are.
    Other(String),
    /// Nothing.
    Empty,
}

/// Reads the value of a key from all its lines.
pub(super) fn read(lines: &str) -> Value {
    let Some((_, start)) = key(lines.split_inclusive('\n').next().unwrap_or_default()) else { return Value::Empty };
    let mut rest = lines[start..].lines();
    let inline = without_comment(rest.next().unwrap_or_default()).trim();
    let more: Vec<&str> = rest.collect();
    match inline.as_bytes().first() {
        None => block(&more),
        Some(b'|' | b'>') => folded(inline, &more),
        Some(b'[') if inline.starts_with("[[") && !inline.starts_with("[[[") => {
            let links: Vec<String> = bracketed(inline).collect();
            if links.is_empty() { flow(inline, &more) } else { Value::List(links) }
        }
        Some(b'[') => flow(inline, &more),
        Some(b'{') => Value::Other(lines[start..].trim().to_owned()),
        Some(b'"' | b'\'') => quoted(inline, &more),
        _ => plain(inline, &more),
    }
}

/// A text that goes on over indented lines.
fn plain(inline: &str, more: &[&str]) -> Value {
    let mut text = inline.to_owned();
    for line in more.iter().map(|l| without_comment(l).trim()).filter(|l| !l.is_empty()) {
        text.push(' ');
        text.push_str(line);
    }
    Value::Text(text)
}

/// A quoted text, or several with commas between them.
fn quoted(inline: &str, more: &[&str]) -> Value {
    let items = split(inline);
    if items.len() > 1 && items.iter().all(|item| item.starts_with(['"', '\''])) {
        return Value::List(items.iter().map(|item| unquoted(item)).collect());
    }
    match plain(inline, more) {
        Value::Text(text) => Value::Text(unquoted(&text)),
        other => other,
    }
}

/// `|` keeps the line breaks, `>` makes them spaces.
fn folded(mark: &str, more: &[&str]) -> Value {
    let indent = more.iter().filter(|l| !l.trim().is_empty()).map(|l| l.len() - l.trim_start().len()).min();
    let lines = more.iter().map(|l| l.get(indent.unwrap_or(0)..).unwrap_or_default().trim_end());
    let join = if mark.starts_with('|') { "\n" } else { " " };
    Value::Text(lines.collect::<Vec<_>>().join(join).trim_end().to_owned())
}

/// Lines with hyphens.
fn block(more: &[&str]) -> Value {
    let items: Vec<String> = block_items(more).into_iter().take(LIST_MAX_ITEMS).collect();
    match more.iter().find(|l| !l.trim().is_empty()) {
        None => Value::Empty,
        Some(_) if !items.is_empty() => Value::List(items),
        Some(_) => Value::Other(more.join("\n")),
    }
}

fn block_items(more: &[&str]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in more {
        let said = without_comment(line).trim();
        if let Some(item) = dashed(said) {
            items.push(unquoted(item));
        } else if let (Some(last), false) = (items.last_mut(), said.is_empty()) {
            last.push(' ');
            last.push_str(said);
        }
    }
    items
}

/// What stands behind the hyphen of a list's line.
pub(super) fn dashed(line: &str) -> Option<&str> {
    let line = line.trim();
    if line == "-" { Some("") } else { line.strip_prefix("- ").map(str::trim) }
}

/// `[a, "b", [[c]]]`, over as many lines as it takes.
fn flow(inline: &str, more: &[&str]) -> Value {
    let mut whole = inline.to_owned();
    for line in more {
        whole.push(' ');
        whole.push_str(without_comment(line).trim());
    }
    let whole = whole.trim();
    let inner = whole.strip_prefix('[').unwrap_or(whole);
    let inner = inner.strip_suffix(']').unwrap_or(inner);
    let items = split(inner).into_iter().map(unquoted).filter(|item| !item.is_empty());
    Value::List(items.take(LIST_MAX_ITEMS).collect())
}

/// Cuts at the commas that are neither quoted nor inside brackets.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    let mut quotes = Quotes::default();
    for (at, c) in text.char_indices() {
        if quotes.holds(c) {
            continue;
        }
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// Follows the quotes of a line. One opens only where a value begins: in `it's` there is none.
struct Quotes {
    open: Option<char>,
    /// The quote that the character before closed.
    closed: Option<char>,
    escaped: bool,
    is_fresh: bool,
}

impl Default for Quotes {
    fn default() -> Self {
        Self { open: None, closed: None, escaped: false, is_fresh: true }
    }
}

impl Quotes {
    /// Whether this character is quoted, or a quote itself.
    fn holds(&mut self, c: char) -> bool {
        let closed = self.closed.take();
        if let Some(quote) = self.open {
            match c {
                _ if self.escaped => self.escaped = false,
                '\\' if quote == '"' => self.escaped = true,
                c if c == quote => {
                    self.open = None;
                    self.closed = Some(quote);
                }
                _ => {}
            }
            return true;
        }
        // Two single quotes inside a quoted text are one.
        let goes_on = c == '\'' && closed == Some('\'');
        if goes_on || (self.is_fresh && (c == '"' || c == '\'')) {
            self.open = Some(c);
            self.is_fresh = false;
            return true;
        }
        self.is_fresh = matches!(c, ',' | '[' | ':' | '{' | '-') || (self.is_fresh && c.is_whitespace());
        false
    }
}

/// The texts in double brackets, brackets included.
fn bracketed(text: &str) -> impl Iterator<Item = String> {
    text.split("[[").skip(1).filter_map(|part| {
        let (target, _) = part.split_once("]]")?;
        Some(format!("[[{target}]]"))
    })
}

/// A text without its quotes, escapes resolved.
pub(super) fn unquoted(text: &str) -> String {
    let text = text.trim();
    if text.len() < 2 {
        return text.to_owned();
    }
    let inner = &text.get(1..text.len() - 1);
    match (text.as_bytes()[0], text.as_bytes()[text.len() - 1], inner) {
        (b'"', b'"', Some(inner)) => serde_json::from_str(text).unwrap_or_else(|_| (*inner).to_owned()),
        (b'\'', b'\'', Some(inner)) => inner.replace("''", "'"),
        _ => text.to_owned(),
    }
}

/// A line without its comment: what follows a `#` that stands behind a blank and in no quotes.
pub(super) fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    let mut quotes = Quotes::default();
    for (at, c) in line.char_indices() {
        if !quotes.holds(c) && c == '#' && before.is_ascii_whitespace() {
            return &line[..at];
        }
        before = c;
    }
    line
}

/// A text as it can stand behind a key: plain if every reader takes it for the same text, else in double quotes.
pub(super) fn scalar(text: &str) -> String {
    let first = text.chars().next().unwrap_or(' ');
    let special = "-?:,[]{}#&*!|>'\"%@`~".contains(first) || first.is_whitespace();
    let word = text.to_ascii_lowercase();
    let means_other = ["true", "false", "null", "yes", "no", "on", "off"].contains(&word.as_str());
    let awkward = text.contains(": ") || text.contains(" #") || text.ends_with([':', ' ']);
    let hidden = text.chars().any(|c| c.is_control() || c == '\u{2028}' || c == '\u{2029}' || c == '\u{feff}');
    if text.is_empty() || special || means_other || awkward || hidden || text.trim() != text {
        crate::json::quote(text)
    } else {
        text.to_owned()
    }
}

/// A text as it can stand in a list between brackets.
pub(super) fn item(text: &str) -> String {
    let plain = scalar(text);
    if plain.starts_with('"') || !text.contains([',', '[', ']', '{', '}', '"', '\'']) {
        plain
    } else {
        crate::json::quote(text)
    }
}

/// The key of a line, and where its value begins.
pub(super) fn key(line: &str) -> Option<(String, usize)> {
    let colon = line.char_indices().find(|(at, c)| {
        let behind = line[at + c.len_utf8()..].chars().next();
        *c == ':' && behind.is_none_or(|c| c.is_ascii_whitespace())
    })?;
    let key = unquoted(line[..colon.0].trim());
    let is_key = !key.is_empty() && key.len() <= KEY_MAX_BYTES && !line.starts_with(['-', '[', '{', '#']);
    is_key.then_some((key, colon.0 + 1))
}
