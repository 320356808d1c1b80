//! The fields of one event: what stands between its heading and the next.

use std::collections::HashSet;
use std::ops::Range;

use idetic_core::Time;

use super::heading;
use super::{Detail, Entry, Generation, Section};
use crate::markdown::Problem;
use crate::markdown::lines::{Lines, Quote, bullet};

/// Longest name of a field.
const NAME_MAX_BYTES: usize = 60;
/// Longest key of a detail; what is longer is a sentence with a colon in it.
const KEY_MAX_BYTES: usize = 120;
/// Names that are fields without bold letters too.
const PLAIN: [&str; 7] = ["scope", "summary", "details", "refs", "tags", "type", "agent"];
/// The parts of an event of generation one.
const PARTS: [&str; 5] = ["what", "why", "impact", "next steps", "changes"];

/// An event of which only the heading is known.
pub(super) fn blank(generation: Generation, time: Time, only_day: bool, line: usize, range: Range<usize>) -> Entry {
    Entry {
        generation,
        number: None,
        id: String::new(),
        time,
        only_day,
        agent: String::new(),
        kind: String::new(),
        scope: Vec::new(),
        summary: String::new(),
        details: Vec::new(),
        refs: Vec::new(),
        tags: Vec::new(),
        sections: Vec::new(),
        line: line as u64 + 1,
        field_lines: Vec::new(),
        range,
        refs_range: None,
        id_range: None,
    }
}

/// `**Name**: value`, `**Name:** value`, or `Name: value` for the names everybody knows.
pub(super) fn field(line: &str) -> Option<(&str, &str)> {
    if let Some(rest) = line.strip_prefix("**") {
        let (name, behind) = rest.split_once("**")?;
        let (name, value) = match name.strip_suffix(':') {
            Some(name) => (name, behind),
            None => (name, behind.trim_start().strip_prefix(':')?),
        };
        let name = name.trim();
        return (!name.is_empty() && name.len() <= NAME_MAX_BYTES).then(|| (name, value.trim()));
    }
    let (name, value) = line.split_once(':')?;
    PLAIN.iter().any(|known| known.eq_ignore_ascii_case(name)).then(|| (name, value.trim()))
}

/// Whether a heading is one of the parts of generation one.
pub(super) fn is_part(line: &str) -> bool {
    crate::markdown::lines::heading(line).is_some_and(|(_, title)| {
        let title = title.trim_end_matches(':');
        PARTS.iter().any(|part| part.eq_ignore_ascii_case(title))
    })
}

/// A key as programs compare it.
pub(super) fn normal_key(key: &str) -> String {
    let bare: String = key.chars().filter(|c| !matches!(c, '*' | '`')).collect();
    bare.split_whitespace().collect::<Vec<_>>().join("_").to_lowercase()
}

/// The key and the value of `key: value`; the key may be bold around its colon.
pub(crate) fn split_key(text: &str) -> Option<(String, &str)> {
    for (at, _) in text.match_indices(':').take_while(|(at, _)| *at <= KEY_MAX_BYTES) {
        let behind = &text[at + 1..];
        let value = behind.trim_start_matches(['*', '`']);
        if !(value.is_empty() || value.starts_with(char::is_whitespace)) {
            continue;
        }
        let closing = &behind[..behind.len() - value.len()];
        let key = format!("{}{closing}", text[..at].trim_end());
        return (!key.is_empty()).then(|| (key, value.trim()));
    }
    None
}

/// Nothing said: a dash, `none`, `n/a`.
pub(crate) fn is_none(text: &str) -> bool {
    let bare = text.trim().trim_matches(['(', ')', '*', '_', '`', '"', '.']).to_lowercase();
    matches!(bare.as_str(), "" | "none" | "none yet" | "n/a" | "—" | "–" | "-")
}

/// The items of a list with commas; a comma in brackets separates nothing.
pub(crate) fn items(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut from = 0;
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[from..]);
    found.into_iter().map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// What the lines that come next belong to.
enum Target {
    Nothing,
    /// One of the fields of a line, by its place.
    Line(usize),
    /// The list of details, or that of a field with another name; the indentation of its first item.
    List(Option<usize>),
    Section,
}

/// A field of one line, which may go on over the next.
struct Said {
    name: String,
    text: String,
    first: usize,
    last: usize,
}

struct Reader<'e, 'l, 'a> {
    entry: &'e mut Entry,
    lines: &'l Lines<'a>,
    said: Vec<Said>,
    target: Target,
    /// Blank lines since the last that said something.
    blanks: usize,
    /// The first line that belongs to nothing.
    stray: Option<usize>,
    /// Which of the plain fields were there.
    seen: [bool; PLAIN.len()],
}

/// Reads the lines below a heading into an event.
pub(super) fn read(lines: &Lines, range: Range<usize>, entry: &mut Entry, problems: &mut Vec<Problem>) {
    let (said, target) = (Vec::new(), Target::Nothing);
    let mut reader = Reader { entry, lines, said, target, blanks: 0, stray: None, seen: [false; PLAIN.len()] };
    for at in range {
        reader.line(at);
    }
    reader.finish(problems);
}

impl Reader<'_, '_, '_> {
    fn line(&mut self, at: usize) {
        let line = self.lines.text(at);
        match self.lines.quote(at) {
            // In a list of details nothing is a comment.
            Quote::Comment => return,
            Quote::Fence => return self.goes_on(at, line),
            Quote::Not => {}
        }
        if line.trim().is_empty() {
            self.blanks += 1;
            // A paragraph ends a field of one line.
            if matches!(self.target, Target::Line(_)) {
                self.target = Target::Nothing;
            }
            return;
        }
        if self.entry.generation == Generation::One
            && let Some((3, title)) = self.lines.heading(at)
        {
            let section = Section { name: title.to_owned(), text: String::new(), line: at as u64 + 1 };
            self.entry.sections.push(section);
            self.target = Target::Section;
        } else if let Some((name, value)) = field(line).filter(|_| !matches!(self.target, Target::Section)) {
            self.field(at, name, value);
        } else if let Some((name, value)) = self.listed_field(line) {
            self.field(at, name, value);
        } else if let Some((indent, text)) = bullet(line) {
            self.item(at, line, indent, text);
        } else {
            self.goes_on(at, line);
        }
        self.blanks = 0;
    }

    /// `- **Scope**: x`: a field that somebody wrote as an item, before the details.
    fn listed_field<'t>(&self, line: &'t str) -> Option<(&'t str, &'t str)> {
        if matches!(self.target, Target::List(_) | Target::Section) {
            return None;
        }
        let (_, text) = bullet(line)?;
        field(text).filter(|(name, _)| PLAIN.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }

    fn field(&mut self, at: usize, name: &str, value: &str) {
        let normal = normal_key(name);
        let known = PLAIN.iter().position(|known| *known == normal);
        // Of two fields of one name the first counts; the other is a detail.
        let is_new = known.is_some_and(|at| !std::mem::replace(&mut self.seen[at], true));
        self.entry.field_lines.push((normal.clone(), at as u64 + 1));
        match normal.as_str() {
            "details" if is_new => {
                self.target = Target::List(None);
                if !is_none(value) {
                    self.detail(at, "", value);
                }
            }
            "scope" | "summary" | "refs" | "tags" | "type" | "agent" if is_new => {
                self.target = Target::Line(self.said.len());
                self.said.push(Said { name: normal, text: value.to_owned(), first: at, last: at });
            }
            _ => {
                self.detail(at, name, value);
                // What is listed below it is part of it.
                self.target = Target::List(Some(usize::MAX));
            }
        }
    }

    fn detail(&mut self, at: usize, key: &str, value: &str) {
        let (key, value) = (key.to_owned(), value.to_owned());
        self.entry.details.push(Detail { key, value, items: Vec::new(), line: at as u64 + 1 });
    }

    fn item(&mut self, at: usize, line: &str, indent: usize, text: &str) {
        let Target::List(base) = self.target else {
            return self.goes_on(at, line);
        };
        let of_field = base == Some(usize::MAX);
        let base_indent = base.filter(|_| !of_field).unwrap_or(indent);
        let is_nested = of_field || indent >= base_indent.saturating_add(2);
        if is_nested && let Some(detail) = self.entry.details.last_mut() {
            detail.items.push(unescaped(text));
            return;
        }
        self.target = Target::List(Some(base_indent));
        let text = unescaped(text);
        match split_key(&text) {
            Some((key, value)) => self.detail(at, &key, value),
            None => self.detail(at, "", &text),
        }
    }

    /// A line that goes on where the last one stopped.
    fn goes_on(&mut self, at: usize, line: &str) {
        match self.target {
            Target::Section => {
                if let Some(section) = self.entry.sections.last_mut() {
                    let gap = if section.text.is_empty() { 0 } else { self.blanks + 1 };
                    section.text.push_str(&"\n".repeat(gap));
                    section.text.push_str(line.trim_end());
                }
            }
            Target::Line(field) => {
                if let Some(said) = self.said.get_mut(field) {
                    let gap = if said.text.is_empty() { "" } else { " " };
                    said.text.push_str(gap);
                    said.text.push_str(line.trim());
                    said.last = at;
                }
            }
            Target::List(_) => match self.entry.details.last_mut() {
                Some(detail) => {
                    let text = detail.items.last_mut().unwrap_or(&mut detail.value);
                    let gap = if text.is_empty() { 0 } else { self.blanks + 1 };
                    text.push_str(&"\n".repeat(gap));
                    text.push_str(&unescaped(line.strip_prefix("  ").unwrap_or(line)));
                }
                None => self.detail(at, "", line.trim()),
            },
            Target::Nothing => self.stray = self.stray.or(Some(at)),
        }
        self.blanks = 0;
    }

    fn finish(self, problems: &mut Vec<Problem>) {
        let Self { entry, lines, said, stray, .. } = self;
        for Said { name, text, first, last } in said {
            match name.as_str() {
                "scope" if !is_none(&text) => entry.scope = items(text.trim_matches(['[', ']'])),
                "summary" => entry.summary = text,
                "tags" if !is_none(&text) => {
                    let tags = items(text.trim_matches(['[', ']'])).into_iter();
                    entry.tags = tags.map(|tag| tag.trim_matches('`').to_owned()).collect();
                }
                "refs" => {
                    let mut seen = HashSet::new();
                    entry.refs = heading::event_numbers(&text).filter(|number| seen.insert(*number)).collect();
                    entry.refs_range = Some(lines.span(first, last));
                    let words = items(&text).into_iter().filter(|item| !is_none(item));
                    for odd in words.filter(|item| heading::event_numbers(item).next().is_none()) {
                        let reason = format!("'{odd}' in Refs is not an event");
                        let remedy = "name events by id, such as evt-001, or write none";
                        problems.push(
                            Problem::new(first as u64 + 1, "ref-word", reason, remedy, lines.text(first)).harmless(),
                        );
                    }
                }
                "type" if entry.kind.is_empty() => {
                    entry.kind = text.trim_matches(['`', '*', '[', ']', ' ']).to_lowercase();
                }
                "agent" if entry.agent.is_empty() => entry.agent = text,
                _ => {}
            }
        }
        report(entry, lines, stray, problems);
    }
}

/// What an event should have and has not.
fn report(entry: &Entry, lines: &Lines, stray: Option<usize>, problems: &mut Vec<Problem>) {
    let who = match entry.generation {
        Generation::Two => entry.name(),
        Generation::One => format!("the event of {}", entry.when()),
    };
    let raw = lines.text(entry.line as usize - 1);
    let mut tell = |line: u64, rule, reason: String, remedy: &str| {
        problems.push(Problem::new(line, rule, reason, remedy, raw).harmless());
    };
    if entry.scope.is_empty() {
        tell(entry.line, "scope-missing", format!("{who} has no Scope"), "add a line **Scope**: area affected");
    }
    if entry.summary.trim().is_empty() {
        let (what, remedy) = match entry.generation {
            Generation::Two => ("Summary", "add a line **Summary**: one-line description"),
            Generation::One => ("title", heading::DATED_FORMAT),
        };
        tell(entry.line, "summary-missing", format!("{who} has no {what}"), remedy);
    }
    if entry.kind.is_empty() {
        let remedy = "add a line **Type:** decision, change, result or milestone";
        tell(entry.line, "type-missing", format!("{who} has no type"), remedy);
    } else if !heading::is_known(&entry.kind) {
        let known = idetic_core::kind::CHANGELOG_KINDS.join(", ");
        let reason = format!("{who} has the type '{}', which is not known", entry.kind);
        tell(entry.line_of("type"), "type-unknown", reason, &format!("known types: {known}"));
    }
    if let Some(at) = stray {
        let reason = format!("text in {who} that belongs to no field");
        tell(at as u64 + 1, "stray-text", reason, "move it into the Details");
    }
}

/// A line without the backslash that keeps it from being an item, a heading or a fence.
fn unescaped(line: &str) -> String {
    let rest = line.trim_start();
    let indent = &line[..line.len() - rest.len()];
    match rest.strip_prefix('\\') {
        Some(said) if is_escaped(said) => format!("{indent}{}", said.trim_end()),
        _ => line.trim_end().to_owned(),
    }
}

/// Whether a backslash before this text means that it is only text.
fn is_escaped(said: &str) -> bool {
    said.starts_with(['-', '*', '+', '\\', '#', '`', '~', '<']) || bullet(said).is_some()
}

/// Whether a line of a detail would be something else than text without a backslash before it.
pub(crate) fn needs_escape(said: &str) -> bool {
    let marks = ["```", "~~~", "#", "<!--"];
    marks.iter().any(|mark| said.starts_with(mark)) || said.strip_prefix('\\').is_some_and(is_escaped)
}
