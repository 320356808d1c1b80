//! Changes to a note that touch only the lines of the keys they change.

use super::front::{Field, mark_length};
use super::print::{list, new_line};
use super::values::{New, Value, dashed, item, key, scalar, unquoted, without_comment};
use super::{Note, note_id};

/// One change to a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A key is to say this; one that is not there yet is added behind the others.
    Set(String, New),
    /// A key is to go.
    Remove(String),
    /// Everything behind the frontmatter is to be this.
    Body(String),
}

impl Note {
    /// The text with these changes: every other line, comment, quote and blank stays as it is, byte for byte.
    pub fn edit(&self, changes: &[Change]) -> String {
        let text = self.text();
        let newline =
            if text.split_inclusive('\n').next().is_some_and(|l| l.ends_with("\r\n")) { "\r\n" } else { "\n" };
        let mut cuts: Vec<(usize, usize, String)> = Vec::new();
        let mut added = String::new();
        let mut body = None;
        for change in changes {
            match change {
                Change::Body(new) => body = Some(new.as_str()),
                Change::Remove(key) => {
                    cuts.extend(self.entry(key).map(|e| (e.start, e.end, String::new())));
                }
                Change::Set(key, new) => match self.entry(key) {
                    Some(entry) => {
                        let lines = &text[entry.start..entry.end];
                        cuts.extend(rewritten(entry, lines, new, newline).map(|new| (entry.start, entry.end, new)));
                    }
                    None => added.push_str(&new_line(key, new, newline)),
                },
            }
        }
        let Some(front) = &self.front else {
            let start = mark_length(text);
            let kept = body.unwrap_or(&text[start..]);
            let front = if added.is_empty() { added } else { format!("---{newline}{added}---{newline}{newline}") };
            return format!("{}{front}{kept}", &text[..start]);
        };
        cuts.push((front.end, front.end, added));
        cuts.extend(body.map(|new| (front.body, text.len(), new.to_owned())));
        cuts.sort_by_key(|(start, end, _)| (*start, *end));
        let mut out = String::with_capacity(text.len() + 64);
        let mut at = 0;
        for (start, end, new) in cuts {
            // Two changes of one key: the first counts.
            if start >= at {
                out.push_str(&text[at..start]);
                out.push_str(&new);
                at = end;
            }
        }
        out.push_str(&text[at..]);
        out
    }

    fn entry(&self, key: &str) -> Option<&Field> {
        self.front.as_ref()?.entry(key)
    }
}

/// The lines of a key with a new value; `None` when it says that already.
fn rewritten(entry: &Field, lines: &str, new: &New, newline: &str) -> Option<String> {
    match (new, &entry.value) {
        (New::Text(new), Value::Text(old)) if new == old => None,
        (New::List(new), Value::List(old))
            if new.len() == old.len() && new.iter().zip(old).all(|(n, o)| same(n, o)) =>
        {
            None
        }
        (New::Text(new), _) => Some(one_line(lines, &scalar(new), newline)),
        (New::List(new), Value::List(old)) => {
            let first = lines.split_inclusive('\n').next().unwrap_or_default();
            let value = &first[key(first).map_or(0, |(_, at)| at)..];
            let value = without_comment(value).trim();
            if value.is_empty() && !new.is_empty() {
                return Some(block(lines, old, new, newline));
            }
            let linked = old.iter().any(|o| o.starts_with("[["));
            let wanted: Vec<String> = new.iter().map(|n| if linked { bracketed(n) } else { n.clone() }).collect();
            let value = if value.starts_with("[[") && !wanted.is_empty() {
                wanted.join(", ")
            } else if value.contains('"') {
                crate::json::list(&wanted)
            } else {
                list(&wanted)
            };
            Some(one_line(lines, &value, newline))
        }
        (New::List(new), _) => Some(one_line(lines, &list(new), newline)),
    }
}

/// The first line with a new value; its key, its comment and its break stay.
fn one_line(lines: &str, value: &str, newline: &str) -> String {
    let first = lines.split_inclusive('\n').next().unwrap_or_default();
    let line = first.trim_end_matches(['\r', '\n']);
    let ending = if line.len() == first.len() { newline } else { &first[line.len()..] };
    let start = key(line).map_or(0, |(_, at)| at);
    let rest = &line[start..];
    let said = without_comment(rest);
    let gap = match said.len() - said.trim_start().len() {
        0 => " ",
        n if said.trim().is_empty() => &said[..n.min(1)],
        n => &said[..n],
    };
    let comment = &rest[said.trim_end().len().max(gap.len().min(said.len()))..];
    let comment = if comment.trim().is_empty() { "" } else { comment };
    let blank = if comment.is_empty() || comment.starts_with([' ', '\t']) { "" } else { " " };
    format!("{}{gap}{value}{blank}{comment}{ending}", &line[..start])
}

/// A list of lines with hyphens: those that stay keep their line, new ones are written like the last.
fn block(lines: &str, old: &[String], new: &[String], newline: &str) -> String {
    let linked = old.iter().any(|o| o.starts_with("[["));
    let mut out = String::new();
    let mut kept: Vec<&String> = Vec::new();
    let mut style = ("  ".to_owned(), false);
    let mut dropping = false;
    for (at, line) in lines.split_inclusive('\n').enumerate() {
        let said = without_comment(line);
        if at > 0
            && let Some(value) = dashed(said)
        {
            style = (line[..line.len() - line.trim_start().len()].to_owned(), value.starts_with('"'));
            let value = unquoted(value);
            let stays = new.iter().find(|n| same(n, &value) && !kept.contains(n));
            dropping = stays.is_none();
            kept.extend(stays);
        } else if line.trim().is_empty() || line.trim_start().starts_with('#') {
            dropping = false;
        }
        if !dropping {
            out.push_str(line);
        }
    }
    if !out.ends_with('\n') {
        out.push_str(newline);
    }
    for text in new.iter().filter(|n| !kept.contains(n)) {
        let text = if linked { bracketed(text) } else { text.clone() };
        let text = if style.1 { crate::json::quote(&text) } else { item(&text) };
        out.push_str(&format!("{}- {text}{newline}", style.0));
    }
    out
}

/// Whether a new item is one that stands there already, perhaps in double brackets.
fn same(new: &str, old: &str) -> bool {
    new == old || (old.starts_with("[[") && note_id(old) == note_id(new))
}

fn bracketed(text: &str) -> String {
    if text.starts_with("[[") { text.to_owned() } else { format!("[[{text}]]") }
}
