//! New events written as generation two wants them, and added to a file without touching what is there.

mod first_layout;

use idetic_core::Time;

use super::Problem;
use super::changelog::{
    Changelog, Detail, Generation, event_id, is_none, items, minute, moment, needs_escape, split_key,
};
use super::lines::{bullet, newline};

/// The section a file without events gets.
const SECTION: &str = "## Event Log\n\n\
    <!-- LAYER 1: Source of truth. Append-only. If it is not here, it did not happen. -->\n\
    <!-- Append new events below this line. Never edit or delete existing events. -->\n";

/// An event that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its number.
    pub number: u64,
    /// When it happened; written to the minute.
    pub time: Time,
    /// Who writes it.
    pub agent: String,
    /// Its type.
    pub kind: String,
    /// What it touches.
    pub scope: Vec<String>,
    /// One line of what happened.
    pub summary: String,
    /// The details; their lines do not count.
    pub details: Vec<Detail>,
    /// The numbers of the events it refers to.
    pub refs: Vec<u64>,
    /// Its labels.
    pub tags: Vec<String>,
}

impl Draft {
    /// The same with texts that can stand where they have to: in one line, without a bar, a comma or a colon that would
    /// mean something else. What comes back from the file is this, to the letter.
    #[must_use]
    pub fn safe(&self) -> Self {
        // A year that has no four digits cannot be written.
        let time = moment(&minute(self.time)).map_or(Time(0), |(time, _)| time);
        let mut seen = std::collections::HashSet::new();
        Self {
            number: self.number,
            time,
            agent: or(one_line(&self.agent.replace('|', "/")), "unknown"),
            kind: or(word(&self.kind), "change"),
            scope: list(&self.scope),
            summary: one_line(&self.summary),
            details: self.details.iter().filter_map(safe_detail).collect(),
            refs: self.refs.iter().copied().filter(|number| seen.insert(*number)).collect(),
            tags: list(&self.tags.iter().map(|tag| tag.replace('`', "")).collect::<Vec<_>>()),
        }
    }

    /// The same in a log whose last event is of this time: times do not decrease, and when it happened becomes a detail.
    #[must_use]
    pub fn not_before(mut self, last: Option<Time>) -> Self {
        if let Some(last) = last.filter(|last| minute(*last) > minute(self.time)) {
            let happened = Detail { key: "happened".to_owned(), value: minute(self.time), items: Vec::new(), line: 0 };
            if !self.details.iter().any(|detail| detail.name() == "happened") {
                self.details.push(happened);
            }
            self.time = last;
        }
        self
    }

    /// The block, with `\n` at the end of every line.
    pub fn print(&self) -> String {
        let safe = self.safe();
        let or_none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
        let Self { agent, kind, summary, .. } = &safe;
        let mut out = format!("### {} | {} | {agent} | {kind}\n\n", event_id(safe.number), minute(safe.time));
        out.push_str(&format!(
            "**Scope**: {}\n**Summary**: {summary}\n\n**Details**:\n",
            or_none(safe.scope.join(", "))
        ));
        safe.details.iter().for_each(|detail| print_detail(&mut out, detail));
        let refs: Vec<String> = safe.refs.iter().copied().map(event_id).collect();
        let (refs, tags) = (or_none(refs.join(", ")), or_none(safe.tags.join(", ")));
        out.push_str(&format!("\n**Refs**: {refs}\n**Tags**: {tags}\n"));
        out
    }
}

/// Adds events at the end of a file's section of events, which is made when there is none. Every byte of the file stays;
/// when the section is the last, what was there is the beginning of what comes back. Refused only when something in the
/// file would hide the new events, such as a comment that is never closed.
pub fn append(text: &str, drafts: &[Draft]) -> Result<String, Problem> {
    if drafts.is_empty() {
        return Ok(text.to_owned());
    }
    let log = Changelog::read(text);
    if log.is_first_layout() {
        let out = first_layout::insert(&log, drafts);
        return checked(&log, drafts, out);
    }
    let newline = newline(text);
    let at = log.end_of_events.unwrap_or(text.len());
    let (before, behind) = text.split_at(at);
    let mut added = String::new();
    if log.end_of_events.is_none() {
        added.push_str(SECTION);
    }
    for draft in drafts {
        if !added.is_empty() {
            added.push('\n');
        }
        added.push_str(&draft.print());
    }
    if !behind.is_empty() {
        added.push('\n');
    }
    let out = format!("{before}{}{}{behind}", gap(before, newline), added.replace('\n', newline));
    checked(&log, drafts, out)
}

/// The new text, where the new events are found in it.
fn checked(log: &Changelog, drafts: &[Draft], out: String) -> Result<String, Problem> {
    let read = Changelog::read(&out);
    let taken = read.entries().len() == log.entries().len() + drafts.len();
    let is_there = |draft: &Draft| match log.is_first_layout() {
        true => read.entries().iter().any(|e| e.generation == Generation::One && e.summary == draft.safe().summary),
        false => read.entries().iter().rev().any(|e| e.number == Some(draft.number)),
    };
    let same = drafts.iter().all(is_there);
    if taken && same {
        return Ok(out);
    }
    let line = log.problems().iter().find(|problem| problem.rule == "unclosed").map_or(1, |problem| problem.line);
    let reason = "an event added here would not be found again";
    Err(Problem::new(line, "hidden-end", reason, "close the comment or the fence above the end of the file", ""))
}

/// What has to stand between a text and a block behind it: a blank line.
pub(super) fn gap(before: &str, newline: &str) -> String {
    let bare = before.trim_start_matches('\u{feff}');
    if bare.is_empty() {
        return String::new();
    }
    let ends = |text: &str| text.strip_suffix('\n').map(|t| t.strip_suffix('\r').unwrap_or(t).len());
    match ends(bare) {
        None => newline.repeat(2),
        Some(end) if bare[..end].is_empty() || ends(&bare[..end]).is_some() => String::new(),
        Some(_) => newline.to_owned(),
    }
}

/// A list with commas; something else where it is empty.
fn list_or(items: &[String], otherwise: &str) -> String {
    or(items.join(", "), otherwise)
}

fn or(text: String, otherwise: &str) -> String {
    if text.is_empty() { otherwise.to_owned() } else { text }
}

/// A text as one line.
pub(super) fn one_line(text: &str) -> String {
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn word(text: &str) -> String {
    let bare: String = text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_')).collect();
    bare.trim_matches('_').to_lowercase()
}

/// Items that stay apart when they stand behind each other with commas.
fn list(texts: &[String]) -> Vec<String> {
    let safe = |text: &String| {
        let text = one_line(text);
        let text = text.trim_matches(['[', ']', ' ']);
        let balanced = items(&format!("{text},x")) == [text, "x"] && !text.contains(['[', ']', '{', '}']);
        if balanced { text.to_owned() } else { one_line(&text.replace(['(', ')', '[', ']', '{', '}', ','], " ")) }
    };
    texts.iter().map(safe).filter(|text| !is_none(text)).collect()
}

fn safe_detail(detail: &Detail) -> Option<Detail> {
    let mut key = one_line(&detail.key);
    let mut value = lines(&detail.value);
    let items: Vec<String> = detail.items.iter().map(|item| lines(item)).filter(|item| !item.is_empty()).collect();
    let first = value.lines().next().unwrap_or_default();
    let would_be = if key.is_empty() { first.to_owned() } else { format!("{key}: {first}") };
    match split_key(&would_be) {
        // Where the first line of a value is a key and a value itself, that is what it becomes.
        Some((said, rest)) => {
            let more = value.split_once('\n').map_or("", |(_, more)| more);
            let glue = if more.is_empty() || rest.is_empty() { "" } else { "\n" };
            value = lines(&format!("{rest}{glue}{more}"));
            key = said;
        }
        // A key that is too long to be one.
        None if !key.is_empty() => {
            value = lines(&format!("{key}: {value}"));
            key = String::new();
        }
        None => {}
    }
    if key.is_empty() && value.is_empty() {
        // Items need something to stand below.
        return (!items.is_empty()).then(|| Detail { key: "items".to_owned(), value, items, line: 0 });
    }
    Some(Detail { key, value, items, line: 0 })
}

/// The lines of a text without blanks at their ends, and without empty lines around it.
fn lines(text: &str) -> String {
    let shown: String =
        text.replace("\r\n", "\n").chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    let lines: Vec<&str> = shown.trim().split('\n').map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}

fn print_detail(out: &mut String, detail: &Detail) {
    let Detail { key, value, items, .. } = detail;
    let text = match (key.is_empty(), value.is_empty()) {
        (true, _) => value.clone(),
        (false, true) => format!("{key}:"),
        (false, false) => format!("{key}: {value}"),
    };
    out.push_str("- ");
    print_lines(out, &text);
    for item in items {
        out.push_str("  - ");
        print_lines(out, item);
    }
}

/// The first line where it stands, the others below it, each kept from being anything but text.
fn print_lines(out: &mut String, text: &str) {
    for (at, line) in text.split('\n').enumerate() {
        let said = line.trim_start();
        let is_item = at > 0 && bullet(said).is_some();
        let escape = if is_item || needs_escape(said) { "\\" } else { "" };
        let indent = if at > 0 && !said.is_empty() { "  " } else { "" };
        out.push_str(&format!("{indent}{}{escape}{said}\n", &line[..line.len() - said.len()]));
    }
}

#[cfg(test)]
pub(crate) mod tests;
